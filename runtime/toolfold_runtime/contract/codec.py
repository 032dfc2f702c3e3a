"""Frozen dataclasses to JSON and back, by their declared types."""

import types
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import (
    Any,
    Final,
    TypeAlias,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

T = TypeVar("T")
#: A JSON object whose content is not ours: a schema, annotations, arguments.
Json: TypeAlias = dict[str, Any]
_Reader: TypeAlias = Callable[[Any], object]

_KNOWN: Final[dict[type, list[tuple[str, _Reader | None]]]] = {}


def encode(value: object) -> object:
    """Plain data for a value of the contract; fields that have their default are omitted."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            field.name: encode(own)
            for field in fields(value)
            if (own := getattr(value, field.name)) != _default(field)
        }
    return [encode(item) for item in value] if isinstance(value, tuple) else value


def decode(kind: type[T], data: Json) -> T:
    """The value that `encode` wrote; TypeError where a field without a default is missing."""
    given = {
        name: read(data[name]) if read else data[name]
        for name, read in _readers(kind)
        if name in data
    }
    return kind(**given)


def _default(field: "Field[object]") -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _readers(kind: type) -> list[tuple[str, _Reader | None]]:
    if kind not in _KNOWN:
        _KNOWN[kind] = [(name, _reader(hint)) for name, hint in get_type_hints(kind).items()]
    return _KNOWN[kind]


def _reader(hint: Any) -> _Reader | None:
    """What makes a value of this type from JSON; None where JSON has it as it is."""
    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, type) and is_dataclass(hint):
        return lambda data: decode(hint, data)
    if origin in (Union, types.UnionType):
        own = _reader(arguments[0])
        return own and (lambda data: None if data is None else own(data))
    if origin is tuple:
        item = _reader(arguments[0])
        return (lambda data: tuple(map(item, data))) if item else tuple
    if origin is dict:
        inner = _reader(arguments[1])
        return inner and (lambda data: {key: inner(value) for key, value in data.items()})
    return None
