"""Filling in the defaults of arguments that are absent, at every depth where a schema has some."""

import copy
from dataclasses import dataclass, field
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

# Only below these can there be more defaults.
_NESTING: Final = frozenset({"properties", "items", "allOf", "$ref"})


@dataclass
class Defaults:
    """The defaults of a schema: of absent properties, and inside those that are present."""

    values: Json = field(default_factory=dict)
    inside: "dict[str, Defaults]" = field(default_factory=dict)
    each: "Defaults | None" = None

    def fill(self, value: Any, filling: "tuple[Defaults, ...]" = ()) -> Any:
        """The value with its defaults; what was given is not changed, only copied where needed.

        `filling` are those by which the value itself was filled in: in a schema that refers to
        itself, a default inside its own default would have no end.
        """
        if isinstance(value, dict):
            return self._filled(value, filling)
        if isinstance(value, list) and self.each is not None:
            return [self.each.fill(item, filling) for item in value]
        return value

    def _filled(self, value: Json, filling: "tuple[Defaults, ...]") -> Json:
        filled = dict(value)
        for name, default in self.values.items():
            if name not in filled:
                filled[name] = copy.deepcopy(default)
        for name, more in self.inside.items():
            if name in value:
                filled[name] = more.fill(value[name], filling)
            elif name in filled and not any(more is one for one in filling):
                filled[name] = more.fill(filled[name], (*filling, more))
        return filled


def defaults_of(schema: Json) -> Defaults | None:
    """The defaults of a schema; None if it has none.

    Alternatives (`anyOf`, `oneOf`, `if`) fill nothing in: which of them is meant is not known
    before the arguments are complete.
    """
    reader = _Reader(schema)
    defaults = reader.read(schema)
    return defaults if reader.has_some else None


class _Reader:
    """Reads one document; a schema that refers to itself is read once."""

    def __init__(self, document: Json) -> None:
        self.has_some = False
        self._document = document
        self._read: dict[int, Defaults] = {}

    def read(self, schema: object) -> Defaults:
        if not isinstance(schema, dict):
            return Defaults()
        if id(schema) in self._read:
            return self._read[id(schema)]
        defaults = self._read[id(schema)] = Defaults()
        for part in self._parts(schema, 0):
            self._add(defaults, part)
        return defaults

    def _parts(self, schema: object, depth: int) -> list[Json]:
        """The schema and all that apply to the same value: its reference, and the parts of `allOf`."""
        if not isinstance(schema, dict) or depth > 20:
            return []
        if "$id" in schema and schema is not self._document:
            return []  # a document of its own, with references of its own
        parts = [schema]
        if isinstance(schema.get("$ref"), str):
            parts += self._parts(resolve(self._document, schema["$ref"]), depth + 1)
        if isinstance(schema.get("allOf"), list):
            for part in schema["allOf"]:
                parts += self._parts(part, depth + 1)
        return parts

    def _add(self, defaults: Defaults, part: Json) -> None:
        properties = part.get("properties")
        for name, inner in properties.items() if isinstance(properties, dict) else ():
            if isinstance(inner, dict) and "default" in inner:
                defaults.values.setdefault(name, inner["default"])
                self.has_some = True
            if isinstance(inner, dict) and _NESTING & set(inner):
                defaults.inside.setdefault(name, self.read(inner))
        if isinstance(part.get("items"), dict):
            defaults.each = defaults.each or self.read(part["items"])
