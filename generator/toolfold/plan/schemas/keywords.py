"""The keywords of JSON Schema, and the subschemas that stand under them."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

Step = str | int
SchemaPath = tuple[Step, ...]

# Keywords whose value is a schema.
_SINGLE: Final = frozenset(
    [
        "items",
        "additionalProperties",
        "not",
        "if",
        "then",
        "else",
        "contains",
        "propertyNames",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
        "additionalItems",
    ]
)
# Keywords whose value is a list of schemas.
_LISTS: Final = frozenset(["allOf", "anyOf", "oneOf", "prefixItems", "items"])
# Keywords whose value is a mapping of names to schemas.
_MAPPINGS: Final = frozenset(
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"]
)

# What a hand-written schema may say: the vocabularies of 2020-12 less those parts that reach
# out of a manifest's document (`$id`, `$anchor` and the dynamic references).
KNOWN: Final = frozenset(
    [
        "$ref",
        "$comment",
        "$defs",
        "title",
        "description",
        "default",
        "deprecated",
        "readOnly",
        "writeOnly",
        "examples",
        "type",
        "enum",
        "const",
        "multipleOf",
        "maximum",
        "exclusiveMaximum",
        "minimum",
        "exclusiveMinimum",
        "maxLength",
        "minLength",
        "pattern",
        "maxItems",
        "minItems",
        "uniqueItems",
        "maxContains",
        "minContains",
        "maxProperties",
        "minProperties",
        "required",
        "dependentRequired",
        "format",
        "contentEncoding",
        "contentMediaType",
        "contentSchema",
        "properties",
        "patternProperties",
        "additionalProperties",
        "propertyNames",
        "items",
        "prefixItems",
        "contains",
        "allOf",
        "anyOf",
        "oneOf",
        "not",
        "if",
        "then",
        "else",
        "dependentSchemas",
        "unevaluatedItems",
        "unevaluatedProperties",
        "x-mcp-header",  # the protocol's own: the client mirrors the parameter in a header
    ]
)
# What foreign schemas may say besides: older dialects, and the parts that name documents.
FOREIGN: Final = KNOWN | frozenset(
    [
        "$schema",
        "$id",
        "id",
        "$anchor",
        "$dynamicRef",
        "$dynamicAnchor",
        "$recursiveRef",
        "$recursiveAnchor",
        "$vocabulary",
        "definitions",
        "dependencies",
        "additionalItems",
    ]
)
TYPES: Final = ("string", "integer", "number", "boolean", "object", "array", "null")


def subschemas(schema: object) -> Iterator[tuple[SchemaPath, object]]:
    """The schemas directly under `schema`, each with its path."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in _MAPPINGS and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield (key, name), inner
        elif key in _LISTS and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif key in _SINGLE and isinstance(value, dict | bool):
            yield (key,), value


def walk(schema: object) -> Iterator[tuple[SchemaPath, object]]:
    """`schema` and every schema below it, with paths; in document order, without recursion."""
    waiting: list[tuple[SchemaPath, object]] = [((), schema)]
    while waiting:
        here, current = waiting.pop()
        yield here, current
        below = [((*here, *step), inner) for step, inner in subschemas(current)]
        waiting.extend(reversed(below))


def properties_of(schema: object) -> Json:
    """The `properties` of a schema; empty where it has none that are a mapping."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def required_of(schema: object) -> list[object]:
    """The `required` names of a schema; empty where it has none that are a list."""
    required = schema.get("required") if isinstance(schema, dict) else None
    return required if isinstance(required, list) else []


def resolve(root: object, reference: str) -> Json | bool | None:
    """The schema that a reference within the document points to; None where there is none."""
    if reference != "#" and not reference.startswith("#/"):
        return None  # another document, or an anchor, which only the validator follows
    node = root
    for part in reference[1:].split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and key in node:
            node = node[key]
        elif isinstance(node, list) and key.isdigit() and int(key) < len(node):
            node = node[int(key)]
        else:
            return None
    return node if isinstance(node, dict | bool) else None
