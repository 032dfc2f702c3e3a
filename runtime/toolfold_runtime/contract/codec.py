"""Named tuples to JSON and back, by their declared types.

Named tuples, because every start of a server makes these classes, and dataclasses cost five times as much.
"""

import types
from collections.abc import Callable
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
    if isinstance(value, dict):
        return _encoded_values(value)
    if not isinstance(value, tuple):
        return value
    kind: Any = type(value)
    if not _is_named(kind):
        return [encode(item) for item in value]
    defaults = kind._field_defaults
    return {
        name: encode(field)
        for name, field in zip(kind._fields, value, strict=True)
        if name not in defaults or field != defaults[name]
    }


def decode(kind: type[T], data: Json) -> T:
    """The value that `encode` wrote; TypeError where a field without a default is missing."""
    given = {
        name: read(data[name]) if read else data[name]
        for name, read in _readers(kind)
        if name in data
    }
    return kind(**given)


def _encoded_values(value: dict[Any, Any]) -> object:
    """A dict of values of the contract as plain data; any other is JSON already."""
    if not isinstance(next(iter(value.values()), None), tuple):
        return value
    return {key: encode(item) for key, item in value.items()}


def _is_named(kind: object) -> bool:
    return isinstance(kind, type) and hasattr(kind, "_fields")


def _readers(kind: type) -> list[tuple[str, _Reader | None]]:
    if kind not in _KNOWN:
        _KNOWN[kind] = [(name, _reader(hint)) for name, hint in get_type_hints(kind).items()]
    return _KNOWN[kind]


def _reader(hint: Any) -> _Reader | None:
    """A function that makes a value of this type from JSON; None where JSON is used as it is."""
    origin, arguments = get_origin(hint), get_args(hint)
    if _is_named(hint):
        return lambda data: decode(hint, data)
    if origin in (Union, types.UnionType):
        read = _reader(arguments[0])
        return read and (lambda data: None if data is None else read(data))
    if origin is tuple:
        item = _reader(arguments[0])
        return (lambda data: tuple(map(item, data))) if item else tuple
    if origin is dict:
        inner = _reader(arguments[1])
        return inner and (lambda data: {key: inner(value) for key, value in data.items()})
    return None
