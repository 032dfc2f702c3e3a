"""The keywords of JSON Schema, and the subschemas that stand under them."""

from collections.abc import Iterator
from typing import Any, Final

Step = str | int
SchemaPath = tuple[Step, ...]

ONE: Final = frozenset(
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
MANY: Final = frozenset(["allOf", "anyOf", "oneOf", "prefixItems", "items"])
NAMED: Final = frozenset(
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


def subschemas(schema: Any) -> Iterator[tuple[SchemaPath, Any]]:
    """The schemas directly under `schema`, each with the path that leads to it."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in NAMED and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield (key, name), inner
        elif key in MANY and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif key in ONE and isinstance(value, dict | bool):
            yield (key,), value


def walk(schema: Any, path: SchemaPath = ()) -> Iterator[tuple[SchemaPath, Any]]:
    """`schema` and every schema below it, with paths; in document order, without recursion."""
    waiting: list[tuple[SchemaPath, Any]] = [(path, schema)]
    while waiting:
        here, current = waiting.pop()
        yield here, current
        below = [((*here, *step), inner) for step, inner in subschemas(current)]
        waiting.extend(reversed(below))


def resolve(root: Any, reference: str) -> Any:
    """What a reference within the document points to, or None."""
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
