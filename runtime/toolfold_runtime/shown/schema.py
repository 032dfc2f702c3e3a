"""A schema of arguments as agents are shown it: within a budget, and accepting whatever the whole accepts.

What is left out is only ever a restriction, never a choice. Where the inside of an object is left out,
its description names some of what is inside, and the path by which the rest can be had is given.
"""

import json
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.jsontext import compact
from toolfold_runtime.shown.parts import Definitions, merged, sentence, target_of

_KEPT: Final = ("const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
_COUNTS: Final = ("minItems", "maxItems", "minLength", "maxLength")
_LARGE_COUNT: Final = 1000
_LONGEST_PATTERN: Final = 40
_LONGEST_DEFAULT: Final = 40
_MOST_VARIANTS: Final = 5
_MOST_NAMED: Final = 12
# Characters of the smallest schema, with its name; and of all that are looked at in the end.
_LEAST: Final = 8
_MOST_VALUES: Final = 400_000
# Formats that say no more than the type.
_PLAIN_FORMATS: Final = frozenset(
    {"int32", "int64", "float", "double", "password", "string", "decimal", "unix-time", "binary"}
)


class _Level(NamedTuple):
    """How much is shown: objects within objects, characters of prose, values of an `enum`, names inside objects."""

    depth: int
    prose: int
    values: int
    inside: int = 8


_LEVELS: Final = (
    _Level(4, 120, 20),
    _Level(2, 120, 20),
    _Level(2, 60, 12),
    _Level(1, 60, 8),
    _Level(1, 0, 8),
    _Level(1, 0, 4),
    _Level(1, 0, 4, inside=2),
)


class Shown(NamedTuple):
    """A trimmed schema, and the paths of the objects whose inside is left out."""

    schema: Json
    cut: tuple[str, ...] = ()
    #: Whether each object has all of its properties, or none.
    has_all_properties: bool = True


def shown_schema(schema: Any, definitions: Definitions, budget: int) -> Shown:
    """The richest form of a schema that fits so many characters of JSON.

    Where none fits, properties are left out, those that are required last.
    """
    shown = Shown({})
    for level in _LEVELS:
        is_last = level is _LEVELS[-1]
        trimming = _Trimming(definitions, level, _MOST_VALUES if is_last else budget)
        try:
            shown = Shown(trimming.root(schema), tuple(trimming.cut))
        except _TooLargeError:
            continue
        if len(compact(shown.schema)) <= budget:
            return shown
    return _fewer(shown, budget)


class _TooLargeError(Exception):
    """More than the budget, known before all of it was written."""


class _Trimming:
    """One way through a schema at one level."""

    def __init__(self, definitions: Definitions, level: _Level, room: int) -> None:
        self._definitions = definitions
        self._level = level
        #: Characters that are left at most, where each schema within takes but a few.
        self._room = room
        #: Paths of objects whose inside is left out, each once, in order.
        self.cut: dict[str, None] = {}

    def root(self, schema: Any) -> Json:
        resolved, names = target_of(schema, self._definitions)
        shown = self._of(schema, 0, (), "")
        is_closed = (
            resolved.get("additionalProperties") is False and "patternProperties" not in resolved
        )
        if is_closed and not names and "properties" in shown:
            shown["additionalProperties"] = False
        return shown

    def _of(self, schema: Any, depth: int, seen: tuple[str, ...], path: str) -> Json:
        """What is shown of a schema; `depth` counts the objects that it is in."""
        self._room -= _LEAST
        if self._room < 0:
            raise _TooLargeError
        resolved, names = target_of(schema, self._definitions)
        resolved = merged(resolved, self._definitions, (*seen, *names))
        shown = self._simple(resolved)
        is_circle = bool(set(names) & set(seen))
        seen = (*seen, *names)
        properties = resolved.get("properties")
        if isinstance(properties, dict) and properties:
            if depth >= self._level.depth or is_circle:
                self.cut[path or "."] = None
                _describe(shown, _inside(properties, self._level.inside))
            else:
                shown |= self._object(resolved, properties, depth, seen, path)
        self._add_items(shown, resolved, depth, seen, path)
        more = resolved.get("additionalProperties")
        is_open = isinstance(more, dict) and more and "patternProperties" not in resolved
        if is_open and depth < self._level.depth and not is_circle:
            shown["additionalProperties"] = self._of(more, depth + 1, seen, path)
        self._add_variants(shown, resolved, depth, seen, path)
        return shown

    def _object(
        self, resolved: Json, properties: Json, depth: int, seen: tuple[str, ...], path: str
    ) -> Json:
        inner = {
            name: self._of(schema, depth + 1, seen, f"{path}.{name}" if path else name)
            for name, schema in properties.items()
        }
        required = resolved.get("required")
        names = [n for n in required if n in inner] if isinstance(required, list) else []
        return {"properties": inner, **({"required": names} if names else {})}

    def _add_items(
        self, shown: Json, resolved: Json, depth: int, seen: tuple[str, ...], path: str
    ) -> None:
        items = resolved.get("items")
        if isinstance(items, dict) and "prefixItems" not in resolved:
            inner = self._of(items, depth, seen, path)
            shown |= {"items": inner} if inner else {}

    def _add_variants(
        self, shown: Json, resolved: Json, depth: int, seen: tuple[str, ...], path: str
    ) -> None:
        """Variants as `anyOf`, of which several may hold once something of each is left out."""
        for key in ("anyOf", "oneOf"):
            parts = resolved.get(key)
            if not isinstance(parts, list):
                continue
            variants: dict[str, Json] = {}
            for part in parts:
                variant = self._of(part, depth, seen, path)
                variants.setdefault(compact(variant), variant)
            _add_choice(shown, list(variants.values()))
            return

    def _simple(self, resolved: Json) -> Json:
        """The type, the values and the limits of a value by itself, and the sentence about it."""
        shown: Json = {"type": resolved["type"]} if "type" in resolved else {}
        described = sentence(resolved.get("description"), self._level.prose)
        if described:
            shown["description"] = described
        values = resolved.get("enum")
        if isinstance(values, list):
            if len(values) <= self._level.values:
                shown["enum"] = values
            else:
                some = ", ".join(str(value) for value in values[: self._level.values])
                _describe(shown, f"One of {len(values)}: {some[:120]}, …")
        shown |= {key: resolved[key] for key in _KEPT if key in resolved}
        for key in _COUNTS:
            if isinstance(resolved.get(key), int) and 0 < resolved[key] < _LARGE_COUNT:
                shown[key] = resolved[key]
        pattern, form = resolved.get("pattern"), resolved.get("format")
        if isinstance(pattern, str) and len(pattern) <= _LONGEST_PATTERN:
            shown["pattern"] = pattern
        if isinstance(form, str) and form not in _PLAIN_FORMATS:
            shown["format"] = form
        if "default" in resolved and len(json.dumps(resolved["default"])) <= _LONGEST_DEFAULT:
            shown["default"] = resolved["default"]
        if resolved.get("deprecated") is True:
            shown["deprecated"] = True
        return shown


def _add_choice(shown: Json, variants: list[Json]) -> None:
    """Add what a value may be: as a list of types where that says it all, else as `anyOf`."""
    if {} in variants or len(variants) > _MOST_VARIANTS:
        kinds = {json.dumps(variant.get("type")): variant.get("type") for variant in variants}
        if {} in variants or None in kinds.values():
            return
        variants = [{"type": kind} for kind in kinds.values()]
    if len(variants) == 1 and not shown.keys() & variants[0].keys() - {"description", "type"}:
        shown |= {**variants[0], **shown}
        return
    types = [variant.get("type") for variant in variants]
    if "type" not in shown and all(variant.keys() == {"type"} for variant in variants):
        flat = [k for kind in types for k in (kind if isinstance(kind, list) else [kind])]
        shown["type"] = list(dict.fromkeys(flat))
    else:
        shown["anyOf"] = variants


def _describe(shown: Json, text: str) -> None:
    described = shown.get("description")
    shown["description"] = f"{described}. {text}" if described else text


def _inside(properties: Json, most: int) -> str:
    """The names of what is inside an object, the first of many."""
    names = [name[:40] for name in properties][:most]
    more = f", … {len(properties) - len(names)} more" if len(properties) > len(names) else ""
    return f"Inside: {', '.join(names)}{more}"


def _fewer(shown: Shown, budget: int) -> Shown:
    """As many properties as fit, the required ones first; the others are named, or counted."""
    schema = shown.schema
    kind = {key: schema[key] for key in ("type",) if key in schema}
    properties = schema.get("properties")
    if not isinstance(properties, dict):
        return Shown(kind, (".",), has_all_properties=False)
    required = [name for name in schema.get("required", ()) if name in properties]
    kept: list[str] = []
    room = budget
    for name in [*required, *(name for name in properties if name not in required)]:
        room -= len(compact({name: properties[name]})) + len(name) * (name in required)
        if room < 0:
            break
        kept.append(name)
    less = _of_properties(kind, schema, kept, required)
    while kept and len(compact(less)) > budget:  # with the names of what is left out
        kept.pop()
        less = _of_properties(kind, schema, kept, required)
    left = [name for name in properties if name not in kept]
    inside = tuple(path for path in shown.cut if path.partition(".")[0] in kept)
    return Shown(less, (*inside, *left), has_all_properties=False)


def _of_properties(kind: Json, schema: Json, kept: list[str], required: list[str]) -> Json:
    """A schema with these properties, which names some of the others."""
    properties = schema["properties"]
    left = [name for name in properties if name not in kept]
    some = ", ".join(name[:40] for name in left[:_MOST_NAMED])
    more = f", … {len(left) - _MOST_NAMED} more" if len(left) > _MOST_NAMED else ""
    less: Json = {
        **kind,
        "description": f"Left out: {some}{more}",
        "properties": {
            name: property_schema for name, property_schema in properties.items() if name in kept
        },
    }
    needed = [name for name in required if name in kept]
    return less | ({"required": needed} if needed else {})
