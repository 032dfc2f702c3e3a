"""What hand-written schemas may say: the keywords, types and formats of JSON Schema 2020-12."""

from collections.abc import Sequence
from typing import Final

# Keywords whose value is a schema, a list of schemas, and a mapping of names to schemas.
SINGLE: Final = frozenset(
    {"items", "not", "if", "then", "else", "contains", "propertyNames", "contentSchema"}
    | {"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems"}
)
LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
MAPPINGS: Final = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"}
)
# Of older dialects.
_OLDER: Final = frozenset({"definitions", "dependencies", "additionalItems"})
_ANNOTATIONS: Final = frozenset(
    {"title", "description", "default", "deprecated", "readOnly", "writeOnly", "examples"}
    | {"$comment", "format", "contentEncoding", "contentMediaType"}
)
_ASSERTIONS: Final = frozenset(
    {"type", "enum", "const", "required", "dependentRequired", "pattern", "multipleOf"}
    | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"}
    | {"minItems", "maxItems", "uniqueItems", "minContains", "maxContains"}
    | {"minProperties", "maxProperties"}
)
# What a hand-written schema may say: the vocabularies of 2020-12 less those parts that reach
# out of a manifest's document, and the protocol's own: a parameter that is mirrored in a header.
KNOWN: Final = ((SINGLE | LISTS | MAPPINGS | _ANNOTATIONS | _ASSERTIONS) - _OLDER) | frozenset(
    {"$ref", "x-mcp-header"}
)
# What foreign schemas may say besides: older dialects, the parts that name documents, and the mark
# of a result in an object of its own, which toolfold's servers list as well.
FOREIGN: Final = (
    KNOWN
    | _OLDER
    | frozenset({"$schema", "$id", "id", "$anchor", "$vocabulary", "$dynamicRef"})
    | frozenset({"$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"})
    | frozenset({"x-fastmcp-wrap-result"})
)
TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")
#: The formats of text that `toolfold_runtime.validation` asserts.
STRING_FORMATS: Final = (
    *("date", "date-time", "time", "duration", "uuid", "email", "idn-email"),
    *("hostname", "idn-hostname", "ipv4", "ipv6", "uri", "uri-reference", "uri-template"),
    *("iri", "iri-reference", "json-pointer", "relative-json-pointer", "regex", "binary"),
)

# What other languages and habits call the types.
_TYPE_WORDS: Final = {
    **dict.fromkeys(("str", "text", "char", "varchar"), "string"),
    **dict.fromkeys(("int", "long", "int32", "int64"), "integer"),
    **dict.fromkeys(("float", "double", "decimal", "real"), "number"),
    **dict.fromkeys(("dict", "map", "mapping", "struct"), "object"),
    **dict.fromkeys(("list", "set", "tuple", "sequence"), "array"),
    **dict.fromkeys(("none", "nil", "undefined"), "null"),
    "bool": "boolean",
}
#: Other names of formats, from other languages and by habit.
FORMAT_WORDS: Final = {
    **{name: name for name in STRING_FORMATS},
    **dict.fromkeys(("datetime", "timestamp"), "date-time"),
    **dict.fromkeys(("bytes", "file"), "binary"),
    "url": "uri",
    "guid": "uuid",
}


def meant_type(word: str) -> str:
    """The JSON Schema type for a type name of another language: `integer`, `string, format: date`.

    Empty where the word is none that is known.
    """
    lowered = word.lower()
    if lowered in FORMAT_WORDS:
        return f"string, format: {FORMAT_WORDS[lowered]}"
    return lowered if lowered in TYPES else _TYPE_WORDS.get(lowered, "")


def type_hint(given: object) -> str:
    """What to write for a type that JSON Schema does not have; empty for an unknown word."""
    words = given if isinstance(given, list) else [given]
    word = next((str(word) for word in words if word not in TYPES), "")
    meant = meant_type(word)
    if ", " in meant:
        return f"write `{{type: {meant}}}`"
    if word.lower() in ("any", "mixed", "unknown"):
        return "leave `type` out where any value will do"
    if word.lower() == "enum":
        return "leave `type` out: `enum: [...]` says it all"
    if "|" in word:
        parts = (part.strip() for part in word.split("|"))
        return f"write `type: [{', '.join(_quoted_null(part) for part in parts)}]`"
    return f'did you mean "{meant}"?' if meant else ""


def _quoted_null(word: str) -> str:
    """A type as a YAML list item: `null` needs quotes to be a string."""
    return '"null"' if word == "null" else word


def schema_hint(path: Sequence[str | int], given: object) -> str:
    """What to write for a value that a keyword does not take; empty if no correction is certain."""
    key, above = str(path[-1]) if path else "", path[-2] if len(path) > 1 else ""
    takes_schema = key in SINGLE or above in MAPPINGS | LISTS
    if takes_schema and isinstance(given, str):
        return f"a schema is a mapping like {{type: {meant_type(given) or 'string'}}}"
    if key in ("enum", "examples") and isinstance(given, str | int | float):
        return f"write `{key}: [{given}]`"
    return ""


#: Words of other schema languages, and their counterparts in JSON Schema.
KEYWORD_HINTS: Final = {
    "optional": "a parameter is optional unless it says `required: true`",
    "nullable": 'allow null by its type: `type: [string, "null"]`',
    **dict.fromkeys(("desc", "help", "doc"), 'did you mean "description"?'),
    **dict.fromkeys(("choices", "options", "values", "oneof"), 'did you mean "enum"?'),
    **dict.fromkeys(("regex", "regexp"), 'did you mean "pattern"?'),
    "example": 'did you mean "examples"?',
    "discriminator": "leave it out: a property with a `const` in each branch is enough",
}
