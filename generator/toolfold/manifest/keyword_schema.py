"""The schema of hand-written schemas for editors, in draft 7: keywords, their values, their meaning."""

from typing import Any, Final

from toolfold.manifest.json_schema import LISTS, MAPPINGS, STRING_FORMATS, TYPES

_SCHEMA: Final = {"$ref": "#/definitions/Schema"}
_TEXT: Final = {"type": "string"}
_FLAG: Final = {"type": "boolean"}
_NUMBER: Final = {"type": "number", "examples": [100]}
_COUNT: Final = {"type": "integer", "minimum": 0, "examples": [1]}
_NAMES: Final = {"type": "array", "items": {"type": "string"}, "uniqueItems": True}
_TYPE: Final = {"enum": list(TYPES)}

# Keywords whose value is no schema; every other one takes schemas.
_VALUES: Final[dict[str, dict[str, Any]]] = {
    "type": {
        "anyOf": [_TYPE, {"type": "array", "items": _TYPE, "minItems": 1, "uniqueItems": True}],
        "examples": ["string", ["string", "null"]],
    },
    "enum": {"type": "array", "examples": [["open", "closed"]]},
    "const": {"examples": ["open"]},
    "default": {"examples": [20]},
    "$ref": {"type": "string", "pattern": r"^#/\$defs/", "examples": ["#/$defs/Order"]},
    "required": _NAMES | {"examples": [["id"]]},
    "dependentRequired": {
        "type": "object",
        "additionalProperties": _NAMES,
        "examples": [{"card": ["billing_address"]}],
    },
    "format": {"enum": list(STRING_FORMATS)},
    "pattern": {"type": "string", "format": "regex", "examples": ["^[A-Z]-[0-9]+$"]},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0, "examples": [0.01]},
    "contentEncoding": {"enum": ["base64"]},
    "contentMediaType": _TEXT | {"examples": ["image/png"]},
    "examples": {"type": "array", "examples": [["A-1", "B-2"]]},
    "x-mcp-header": _TEXT | {"examples": ["X-Tenant"]},
    "title": _TEXT | {"examples": ["Order number"]},
    "description": _TEXT | {"examples": ["The number on the receipt"]},
    "$comment": _TEXT | {"examples": ["As the shop's database has it"]},
    **dict.fromkeys(("deprecated", "readOnly", "writeOnly", "uniqueItems"), _FLAG),
    **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
    **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), _COUNT),
    **dict.fromkeys(("minContains", "maxContains", "minProperties", "maxProperties"), _COUNT),
}
# Of every keyword but `$defs`, which belongs to the manifest.
_MEANINGS: Final = {
    "type": "The type of the value, or a list of allowed types.",
    "title": "A short name for people.",
    "description": "What the value is, in words for agents.",
    "default": "The value where none is given.",
    "examples": "Valid values.",
    "enum": "All values that are allowed.",
    "const": "The only value that is allowed.",
    "format": "What the text stands for; it is checked.",
    "pattern": "An ECMA-262 expression that the text must match somewhere.",
    "minLength": "The fewest characters.",
    "maxLength": "The most characters.",
    "minimum": "The least number.",
    "maximum": "The largest number.",
    "exclusiveMinimum": "The number must be larger.",
    "exclusiveMaximum": "The number must be smaller.",
    "multipleOf": "The number must be a multiple of this.",
    "items": "The schema of each item, after those of `prefixItems`.",
    "prefixItems": "The schemas of the first items, one each.",
    "contains": "At least one item must match this.",
    "minItems": "The fewest items.",
    "maxItems": "The most items.",
    "uniqueItems": "Whether no item may be there twice.",
    "minContains": "The fewest items that match `contains`.",
    "maxContains": "The most items that match `contains`.",
    "unevaluatedItems": "The schema of items that no other keyword looks at.",
    "properties": "The properties of the object, by name.",
    "required": "The properties that must be there.",
    "additionalProperties": "The schema of properties that are not named; false for none.",
    "patternProperties": "The schemas of properties whose names match an expression.",
    "propertyNames": "The schema of the names of properties.",
    "minProperties": "The fewest properties.",
    "maxProperties": "The most properties.",
    "dependentRequired": "Properties that must be there when another is.",
    "dependentSchemas": "Schemas that hold when a property is there.",
    "unevaluatedProperties": "The schema of properties that no other keyword looks at.",
    "allOf": "All of these must match.",
    "anyOf": "At least one of these must match.",
    "oneOf": "Exactly one of these must match.",
    "not": "This must not match.",
    "if": "Where this matches, `then` holds, and `else` otherwise.",
    "then": "Holds where `if` matches.",
    "else": "Holds where `if` does not match.",
    "$ref": "Refers to a definition under the manifest's `$defs:`.",
    "$comment": "A note for authors, served with the schema.",
    "deprecated": "Whether the value should no longer be given.",
    "readOnly": "Whether the value is only ever returned.",
    "writeOnly": "Whether the value is only ever given.",
    "contentEncoding": "How bytes are written as text.",
    "contentMediaType": "The media type of the content.",
    "contentSchema": "The schema of the content, where it is JSON.",
    "x-mcp-header": "The HTTP header that mirrors the parameter.",
}


def schema_definitions() -> dict[str, Any]:
    """`Schema` for any hand-written schema, and `Parameter`, which says `required` of itself."""
    properties = {key: _form(key) | {"description": text} for key, text in _MEANINGS.items()}
    keywords: dict[str, Any] = {
        key: {"$ref": f"#/definitions/Schema/properties/{key}"} for key in properties
    }
    keywords["required"] = {
        "anyOf": [_FLAG, _NAMES],
        "default": False,
        "description": "Whether every call must give it; of an object, also a list as in schemas.",
        "examples": [True],
    }
    return {
        "Schema": {
            "description": "A JSON Schema 2020-12.",
            "type": ["object", "boolean"],
            "properties": properties,
            "additionalProperties": False,
        },
        "Parameter": {
            "description": "A parameter: a JSON Schema 2020-12, and whether it is required.",
            "type": "object",
            "properties": keywords,
            "additionalProperties": False,
        },
    }


def _form(key: str) -> dict[str, Any]:
    """The schema for the value of a keyword."""
    if key in _VALUES:
        return _VALUES[key]
    if key in MAPPINGS:
        examples = [{"id": {"type": "string"}}]
        return {"type": "object", "additionalProperties": _SCHEMA, "examples": examples}
    if key in LISTS and key != "items":
        choices = [[{"type": "string"}, {"type": "integer"}]]
        return {"type": "array", "items": _SCHEMA, "minItems": 1, "examples": choices}
    return {"allOf": [_SCHEMA], "examples": [{"type": "string"}]}
