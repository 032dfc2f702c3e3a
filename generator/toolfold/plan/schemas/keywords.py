"""Subschemas, properties and required names of a JSON Schema."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath

from toolfold.manifest.json_schema import LISTS, MAPPINGS, SINGLE

#: The beginning of references to a manifest's own definitions.
DEFINITIONS_PREFIX: Final = "#/$defs/"
#: The keywords that hold definitions, in any dialect.
DEFINITION_KEYWORDS: Final = ("$defs", "definitions")


def subschemas(schema: object) -> Iterator[tuple[SchemaPath, object]]:
    """The schemas directly under `schema`, each with its path."""
    if not isinstance(schema, dict):
        return
    for key, value in schema.items():
        if key in MAPPINGS and isinstance(value, dict):
            for name, inner in value.items():
                if isinstance(inner, dict | bool):
                    yield (key, name), inner
        elif key in LISTS and isinstance(value, list):
            for index, inner in enumerate(value):
                yield (key, index), inner
        elif key in SINGLE and isinstance(value, dict | bool):
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
