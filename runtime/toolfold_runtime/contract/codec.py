"""Frozen dataclasses to JSON and back, by their declared types."""

import types
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")
#: A JSON object whose content is not ours: a schema, annotations, arguments.
Json = dict[str, Any]

_KNOWN_HINTS: Final[dict[type, list[tuple[str, Any]]]] = {}


def encode(value: object) -> Any:
    """Plain data for a value of the contract; fields that have their default are left out."""
    if is_dataclass(value):
        return {
            field.name: encode(own)
            for field in fields(value)
            if (own := getattr(value, field.name)) != _default(field)
        }
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if isinstance(value, dict):
        return {key: encode(item) for key, item in value.items()}
    return value


def decode(kind: type[T], data: Json) -> T:
    """The value of a dataclass that `encode` wrote; KeyError where a field is missing."""
    given = {name: _read(hint, data[name]) for name, hint in _hints(kind) if name in data}
    return kind(**given)


def _read(hint: Any, data: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if is_dataclass(hint) and isinstance(hint, type):
        return decode(hint, data)
    if origin is tuple:
        return tuple(_read(arguments[0], item) for item in data)
    if origin is dict and is_dataclass(arguments[1]):
        return {key: _read(arguments[1], item) for key, item in data.items()}
    if origin in (Union, types.UnionType):
        return None if data is None else _read(arguments[0], data)
    return data


def _hints(kind: type) -> list[tuple[str, Any]]:
    if kind not in _KNOWN_HINTS:
        _KNOWN_HINTS[kind] = list(get_type_hints(kind).items())
    return _KNOWN_HINTS[kind]


def _default(field: Any) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default
