"""How many schemas one value is held to: by references, a few lines can stand for billions."""

from collections.abc import Iterator
from typing import Final

from pydantic_core import to_json
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.schemas.keywords import walk

_MOST: Final = 100_000
_FEW: Final = 8
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("not", "if", "then", "else")


def is_explosive(schema: Json) -> bool:
    """Whether validating a value against a schema may take minutes; False for nearly all."""
    # What few references stand for is not much larger than the document.
    if to_json(schema).count(b'"$ref"') < _FEW:
        return False
    sizes: dict[int, int] = {}
    try:
        return any(_size(part, schema, sizes) > _MOST for _, part in walk(schema))
    except RecursionError:
        return True


def _size(part: object, document: Json, sizes: dict[int, int]) -> int:
    """How many schemas hold for the same value as one of them does, itself included."""
    if not isinstance(part, dict):
        return 1
    if id(part) not in sizes:
        sizes[id(part)] = 1  # for a reference that leads back here
        size = 1 + sum(_size(inner, document, sizes) for inner in _in_place(part, document))
        sizes[id(part)] = min(size, _MOST + 1)
    return sizes[id(part)]


def _in_place(schema: Json, document: Json) -> Iterator[object]:
    """The schemas that hold for the same value."""
    if isinstance(schema.get("$ref"), str):
        yield resolve(document, schema["$ref"])
    for key in _LISTS:
        if isinstance(schema.get(key), list):
            yield from schema[key]
    yield from (schema[key] for key in _SINGLE if key in schema)
    dependent = schema.get("dependentSchemas")
    yield from dependent.values() if isinstance(dependent, dict) else ()
