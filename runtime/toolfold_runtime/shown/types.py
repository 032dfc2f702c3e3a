"""What a tool answers, in a few words: `[{id: int, title: str, user: {login: str, …}}]`."""

from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.jsontext import compact
from toolfold_runtime.shown.parts import Definitions, merged, target_of

_WORDS: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "null",
    "object": "object",
    "array": "[…]",
}
_MOST_VALUES: Final = 4
_LONGEST_VALUES: Final = 40
_MOST_VARIANTS: Final = 4
_LONGEST_NAME: Final = 60
_CUT: Final = "{…}"


class _Level(NamedTuple):
    """How much is shown: objects within objects, and names in each, the outer and the inner ones."""

    depth: int
    names: int
    inner_names: int


_LEVELS: Final = (
    _Level(4, 60, 40),
    _Level(3, 60, 20),
    _Level(3, 40, 12),
    _Level(2, 40, 10),
    _Level(2, 40, 5),
    _Level(1, 40, 0),
    _Level(1, 20, 0),
    _Level(1, 8, 0),
)


def shown_types(schema: Any, definitions: Definitions, budget: int) -> str:
    """The richest form of a type that fits so many characters; what is left out is marked with `…`."""
    text = ""
    for level in _LEVELS:
        try:
            text = _Writing(definitions, level, 4 * budget).text(schema, 0, ())
        except _TooLargeError:
            continue
        if len(text) <= budget:
            return text
    return f"{text[:budget]}…"


class _TooLargeError(Exception):
    """More than the budget, known before all of it was written."""


class _Writing:
    """One way through a schema at one level."""

    def __init__(self, definitions: Definitions, level: _Level, room: int) -> None:
        self._definitions = definitions
        self._level = level
        self._room = room

    def text(self, schema: Any, depth: int, seen: tuple[str, ...]) -> str:
        """The type of a schema; `depth` counts the objects that it is in."""
        resolved, names = target_of(schema, self._definitions)
        if set(names) & set(seen):
            return _CUT
        seen = (*seen, *names)
        resolved = merged(resolved, self._definitions, seen)
        if values := _values(resolved):
            return values
        properties = resolved.get("properties")
        if isinstance(properties, dict) and properties:
            text = self._object(properties, depth, seen)
            return f"{text}|null" if _may_be_null(resolved.get("type")) else text
        for key in ("anyOf", "oneOf"):
            if isinstance(resolved.get(key), list) and resolved[key]:
                texts = dict.fromkeys(self.text(part, depth, seen) for part in resolved[key])
                more = "|…" if len(texts) > _MOST_VARIANTS else ""
                return "|".join(list(texts)[:_MOST_VARIANTS]) + more
        kind = resolved.get("type")
        kinds = kind if isinstance(kind, list) else [kind]
        parts = [self._by_type(one, resolved, depth, seen) for one in kinds]
        return "|".join(dict.fromkeys(parts))

    def _by_type(self, kind: Any, resolved: Json, depth: int, seen: tuple[str, ...]) -> str:
        if kind == "array" or (kind is None and "items" in resolved):
            inner = self.text(resolved.get("items", {}), depth, seen)
            return "[…]" if inner == "any" else f"[{inner}]"
        more = resolved.get("additionalProperties")
        if kind == "object" and isinstance(more, dict) and more:
            if depth >= self._level.depth:
                return _CUT
            return f"{{*: {self.text(more, depth + 1, seen)}}}"
        return _WORDS.get(str(kind), "any")

    def _object(self, properties: Json, depth: int, seen: tuple[str, ...]) -> str:
        most = self._level.names if depth == 0 else self._level.inner_names
        if depth >= self._level.depth or not most:
            return _CUT
        parts = []
        for name, schema in list(properties.items())[:most]:
            self._room -= len(name) + 4
            if self._room < 0:
                raise _TooLargeError
            parts.append(f"{name[:_LONGEST_NAME]}: {self.text(schema, depth + 1, seen)}")
        left = len(properties) - len(parts)
        parts += [f"… {left} more"] if left else []
        return f"{{{', '.join(parts)}}}"


def _values(schema: Json) -> str:
    """The values of a short `enum`; empty for any other schema."""
    values = schema.get("enum")
    if not isinstance(values, list) or len(values) > _MOST_VALUES:
        return ""
    text = "|".join(compact(value) for value in values)
    return text if len(text) <= _LONGEST_VALUES else ""


def _may_be_null(kind: Any) -> bool:
    return isinstance(kind, list) and "null" in kind
