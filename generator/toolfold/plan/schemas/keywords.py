"""The keywords of JSON Schema, and the subschemas that stand under them."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json

Step = str | int
SchemaPath = tuple[Step, ...]

# Keywords whose value is a schema, a list of schemas, and a mapping of names to schemas.
_SINGLE: Final = frozenset(
    {"items", "not", "if", "then", "else", "contains", "propertyNames", "contentSchema"}
    | {"additionalProperties", "unevaluatedProperties", "unevaluatedItems", "additionalItems"}
)
_LISTS: Final = frozenset({"allOf", "anyOf", "oneOf", "prefixItems", "items"})
_MAPPINGS: Final = frozenset(
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
KNOWN: Final = ((_SINGLE | _LISTS | _MAPPINGS | _ANNOTATIONS | _ASSERTIONS) - _OLDER) | frozenset(
    {"$ref", "x-mcp-header"}
)
# What foreign schemas may say besides: older dialects, and the parts that name documents.
FOREIGN: Final = (
    KNOWN
    | _OLDER
    | frozenset({"$schema", "$id", "id", "$anchor", "$vocabulary", "$dynamicRef"})
    | frozenset({"$dynamicAnchor", "$recursiveRef", "$recursiveAnchor"})
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


def pointer(path: SchemaPath) -> str:
    """The JSON pointer of a path into a schema."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


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
