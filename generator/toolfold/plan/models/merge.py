"""Following references and merging `allOf`, so that one schema has all properties of an object."""

from functools import cached_property
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve

from toolfold.plan.models.definitions import NOTES
from toolfold.plan.schemas.keywords import properties_of, required_of, walk

_MAX_DEPTH: Final = 20
_OF_OBJECTS: Final = frozenset({"type", "properties", "required", "additionalProperties"})


class Document:
    """A JSON Schema document whose references are looked up."""

    def __init__(self, schema: Json) -> None:
        self.schema = schema
        # By identity: a part that many references lead to is merged once.
        self._merged: dict[int, tuple[Json, Json]] = {}
        self._nullable: dict[tuple[int, int], tuple[Json, bool]] = {}

    def target(self, reference: str) -> Json | bool | None:
        """The schema that a reference points to; None for one that only the validator can follow."""
        return resolve(self.schema, reference) if self._is_one_document else None

    def resolved(self, schema: object) -> Json:
        """The schema at the end of its references; empty where they lead nowhere or in a circle."""
        seen: set[str] = set()
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            if schema["$ref"] in seen:
                return {}
            seen.add(schema["$ref"])
            schema = self.target(schema["$ref"])
        return schema if isinstance(schema, dict) else {}

    def merged(self, schema: Json, depth: int = 0) -> Json:
        """The schema with its `allOf` merged in, where every part is of an object with properties."""
        if id(schema) not in self._merged:
            self._merged[id(schema)] = (schema, self._merge(schema, depth))
        return self._merged[id(schema)][1]

    def _merge(self, schema: Json, depth: int) -> Json:
        parts = schema.get("allOf")
        if not isinstance(parts, list) or not parts or depth > _MAX_DEPTH:
            return schema
        resolved = [self.resolved(part) for part in parts]
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        if len(parts) == 1 and not rest.keys() - NOTES:
            return {**resolved[0], **rest}
        resolved = [self.merged(part, depth + 1) for part in resolved]
        if not any(map(is_class, (*resolved, rest))) or not all(map(_is_part, resolved)):
            return rest
        merged = _merged_objects([*resolved, rest])
        return merged | {key: rest[key] for key in ("description",) if key in rest}

    def accepts_null(self, schema: object, depth: int = 0) -> bool:
        """Whether a schema accepts null; False if it is nested too deeply to tell."""
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            return schema is True
        key = (id(schema), depth)
        if key not in self._nullable:
            self._nullable[key] = (schema, self._is_nullable(schema, depth))
        return self._nullable[key][1]

    def _is_nullable(self, schema: Json, depth: int) -> bool:
        if isinstance(schema.get("$ref"), str):
            return self.accepts_null(self.target(schema["$ref"]), depth + 1)
        values = schema.get("enum", [schema["const"]] if "const" in schema else [None])
        values = values if isinstance(values, list) else [None]  # no `enum` at all
        types = schema.get("type", "null")
        if None not in values or "null" not in (types if isinstance(types, list) else [types]):
            return False
        parts = [self.accepts_null(part, depth + 1) for part in schema.get("allOf", [])]
        options = [
            self.accepts_null(option, depth + 1)
            for key in ("anyOf", "oneOf")
            for option in schema.get(key, [])
        ]
        return all(parts) and (not options or any(options))

    @cached_property
    def _is_one_document(self) -> bool:
        """Whether no part has an `$id`, below which references would start anew."""
        inner = (schema for path, schema in walk(self.schema) if path)
        return not any(isinstance(part, dict) and {"$id", "id"} & set(part) for part in inner)


def is_class(schema: Json) -> bool:
    """Whether a schema becomes a class: an object with properties."""
    return schema.get("type") == "object" and bool(schema.get("properties"))


def only_part(schema: Json) -> Json | None:
    """The only part of an `allOf` beside which there are only annotations; else None."""
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        return parts[0] if schema.keys() - {"allOf"} <= NOTES else None
    return None


def _is_part(schema: Json) -> bool:
    """Whether a schema only describes the properties of an object."""
    return schema.get("type", "object") == "object" and schema.keys() <= _OF_OBJECTS | NOTES


def _merged_objects(parts: list[Json]) -> Json:
    merged: Json = {"type": "object", "properties": {}, "required": []}
    for part in parts:
        for prop, schema in properties_of(part).items():
            known = merged["properties"].setdefault(prop, schema)
            if known != schema:
                merged["properties"][prop] = {}
        names = (name for name in required_of(part) if isinstance(name, str))
        merged["required"] = list(dict.fromkeys([*merged["required"], *names]))
        if isinstance(part.get("description"), str):
            merged.setdefault("description", part["description"])
    return merged
