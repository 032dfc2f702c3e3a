"""Schemas of OpenAPI as schemas of JSON Schema 2020-12, those that are shared as definitions.

Up to 3.0 the words mean something else than in JSON Schema: `nullable`, exclusive bounds, what
stands beside a `$ref`. What is left out says nothing about values, or cannot be read; whatever
was accepted is accepted.
"""

import hashlib
import json
from collections.abc import Iterator
from typing import Any, Final

from toolfold_runtime.contract.codec import Json

from toolfold.importing.openapi.definitions import DefinitionNames, Direction
from toolfold.importing.openapi.keywords import simple_keywords, type_of, values_of
from toolfold.importing.openapi.references import References, Steps
from toolfold.importing.openapi.texts import plain_text
from toolfold.importing.openapi.version import Version
from toolfold.importing.openapi.warnings import Warnings
from toolfold.plan.schemas.shared import definition_prefix

_PREFIX: Final = "#/$defs/"
_LISTS: Final = ("allOf", "anyOf", "oneOf")
_SINGLE: Final = ("not",)
# What only 3.1 has.
_LATER_SINGLE: Final = ("if", "then", "else", "contains", "propertyNames", "unevaluatedItems")
_LATER_SINGLE_OR_FLAG: Final = ("unevaluatedProperties",)
_LATER_MAPPINGS: Final = ("patternProperties", "dependentSchemas")
# Schemas within schemas; a manifest holds 64 levels of values.
_DEEPEST: Final = 20
# Parts within parts in which properties are looked for.
_DEEPEST_PARTS: Final = 5
_UNWANTED: Final[dict[Direction, str]] = {"request": "readOnly", "answer": "writeOnly"}


class Schemas:
    """The schemas of one document; definitions are converted when somebody asks for them all."""

    def __init__(
        self, references: References, server: str, version: Version, warnings: Warnings
    ) -> None:
        self._references = references
        self._version = version
        self._warnings = warnings
        self._prefix = definition_prefix(server)
        self._names = DefinitionNames(references, self._prefix)
        self._waiting: dict[str, tuple[Any, Direction]] = {}
        self._definitions: dict[str, Json] = {}

    def converted(self, schema: Any, direction: Direction, depth: int = 0) -> Json:
        """A schema as JSON Schema; what it refers to becomes a definition."""
        if isinstance(schema, bool) and (self._version == "3.1" or schema):
            return {} if schema else {"not": {}}
        if not isinstance(schema, dict):
            self._warnings.add("schemas that are no mappings accept anything", ascii(schema)[:60])
            return {}
        if depth > _DEEPEST:
            return self._moved(schema, direction)
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema, direction, depth)
        return self._nullable(schema, self._inline(schema, direction, depth))

    def definitions(self) -> dict[str, Json]:
        """Every definition that was referred to, and those that they refer to; by name."""
        while self._waiting:
            self._definition(next(iter(self._waiting)))
        return dict(sorted(self._definitions.items()))

    def reached(self, schema: Json) -> dict[str, Json]:
        """The definitions that a converted schema refers to, and those that they refer to."""
        reached: dict[str, Json] = {}
        waiting = list(_names_in(schema))
        while waiting:
            name = waiting.pop()
            if name not in reached:
                reached[name] = self._definition(name)
                waiting += _names_in(reached[name])
        return reached

    def _definition(self, name: str) -> Json:
        if name in self._waiting:
            schema, direction = self._waiting.pop(name)
            self._definitions[name] = {}  # what refers to it meanwhile need not convert it again
            self._definitions[name] = self.converted(schema, direction)
        known: Json = self._definitions[name]
        return known

    def target_of(self, schema: Any) -> Json:
        """What a schema says by itself or by what it refers to, not converted; empty without that."""
        return self._references.resolved(schema)

    def properties_of(self, schema: Any) -> Json:
        """The properties of an object by name, those of its parts (`allOf`) too, not converted."""
        target = self.target_of(schema)
        found = target.get("properties")
        properties = dict(found) if isinstance(found, dict) else {}
        parts = target.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            inner = self.target_of(part).get("properties")
            properties |= inner if isinstance(inner, dict) else {}
        return properties

    def example_of(self, schema: Any) -> Any:
        """The example that a schema gives, itself or by what it refers to; None where it gives none."""
        target = self.target_of(schema)
        given = target.get("examples")
        first = given[0] if isinstance(given, list) and given else None
        return target.get("example", first)

    def is_unwanted(self, schema: Any, direction: Direction, depth: int = 0) -> bool:
        """Whether a property is only for the other direction, as it or a part of it (`allOf`) says."""
        mark = _UNWANTED[direction]
        if not isinstance(schema, dict):
            return False
        target = self.target_of(schema)
        if schema.get(mark) is True or target.get(mark) is True:
            return True
        parts = target.get("allOf")
        if not isinstance(parts, list) or depth >= _DEEPEST_PARTS:
            return False
        return any(self.is_unwanted(part, direction, depth + 1) for part in parts)

    def unwanted_names(self, schema: Json, direction: Direction, depth: int = 0) -> set[str]:
        """The properties of a schema and of its parts (`allOf`) that are only for the other direction."""
        properties, parts = schema.get("properties"), schema.get("allOf")
        property_schemas = properties if isinstance(properties, dict) else {}
        unwanted = {
            name for name, inner in property_schemas.items() if self.is_unwanted(inner, direction)
        }
        if isinstance(parts, list) and depth < _DEEPEST_PARTS:
            for part in map(self.target_of, parts):
                unwanted |= (
                    self.unwanted_names(part, direction, depth + 1) - property_schemas.keys()
                )
        return unwanted

    def _reference(self, schema: Json, direction: Direction, depth: int) -> Json:
        target = self._references.target(schema["$ref"])
        if target is None or not isinstance(target.value, dict | bool):
            return {}
        converted: Json = {"$ref": self._shared(target.steps, target.value, direction)}
        if self._version == "3.1":
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return {**self._inline(beside, direction, depth), **converted}
        converted = self._nullable(schema, converted)
        described = plain_text(schema.get("description"))
        return {**converted, "description": described} if described else converted

    def _shared(self, steps: Steps, schema: Any, direction: Direction) -> str:
        name = self._names.name(steps, direction)
        if name not in self._definitions:
            self._waiting.setdefault(name, (schema, direction))
        return _PREFIX + name

    def _moved(self, schema: Json, direction: Direction) -> Json:
        """A reference to a schema that stands too deep to stay where it is."""
        text = json.dumps(schema, sort_keys=True, default=str)
        digest = hashlib.sha256(f"{direction}{text}".encode()).hexdigest()[:16]
        name = f"{self._prefix}inner_{digest}"
        if name not in self._definitions:
            self._waiting.setdefault(name, (schema, direction))
        return {"$ref": _PREFIX + name}

    def _inline(self, schema: Json, direction: Direction, depth: int) -> Json:
        kind = type_of(schema, self._warnings)
        converted: Json = {} if kind is None else {"type": kind}
        described = plain_text(schema.get("description"))
        if described:
            converted["description"] = described
        is_nullable = self._is_nullable(schema)
        values = values_of(schema, kind, self._warnings, is_nullable=is_nullable)
        if values is not None:
            converted["enum"] = values
        if self._version == "3.1" and "const" in schema:
            converted["const"] = schema["const"]
        converted |= dict(simple_keywords(schema, self._warnings))
        converted |= self._object(schema, direction, depth)
        converted |= self._array(schema, direction, depth)
        converted |= dict(self._combined(schema, direction, depth))
        if "minimum" in converted and converted.get("exclusiveMinimum") == converted["minimum"]:
            del converted["minimum"]
        if "maximum" in converted and converted.get("exclusiveMaximum") == converted["maximum"]:
            del converted["maximum"]
        return converted

    def _object(self, schema: Json, direction: Direction, depth: int) -> Json:
        converted: Json = {}
        properties = schema.get("properties")
        unwanted = self.unwanted_names(schema, direction)
        if isinstance(properties, dict):
            converted["properties"] = {
                name: self.converted(inner, direction, depth + 1)
                for name, inner in properties.items()
                if name not in unwanted and len(name) < 500
            }
        required = schema.get("required")
        if isinstance(required, list):
            names = dict.fromkeys(name for name in required if isinstance(name, str))
            if left := [name for name in names if name not in unwanted]:
                converted["required"] = left
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            converted["additionalProperties"] = self.converted(more, direction, depth + 1)
        elif more is False and not unwanted:
            converted |= {} if self._has_parts_outside(schema) else {"additionalProperties": False}
        return converted

    def _has_parts_outside(self, schema: Json) -> bool:
        """Whether parts have properties that the schema itself has not, so that closing it refuses them all."""
        properties = schema.get("properties")
        known = properties.keys() if isinstance(properties, dict) else ()
        lists = (schema[key] for key in _LISTS if isinstance(schema.get(key), list))
        parts = (name for listed in lists for part in listed for name in self.properties_of(part))
        outside = next((name for name in parts if name not in known), None)
        if outside is None:
            return False
        fact = "objects that allow nothing but their own properties allow those of their parts"
        self._warnings.add(fact, ascii(outside)[:60])
        return True

    def _array(self, schema: Json, direction: Direction, depth: int) -> Json:
        items = schema.get("items")
        if isinstance(items, list):  # of an older dialect, and wrong in every version of OpenAPI
            self._warnings.add("lists of `items` are read as those of JSON Schema", "items")
            first = [self.converted(inner, direction, depth + 1) for inner in items]
            return {"prefixItems": first} if first else {}
        converted: Json = {}
        if isinstance(items, dict | bool):
            converted["items"] = self.converted(items, direction, depth + 1)
        leading = schema.get("prefixItems")
        if self._version == "3.1" and isinstance(leading, list) and leading:
            converted["prefixItems"] = [
                self.converted(inner, direction, depth + 1) for inner in leading
            ]
        return converted

    def _combined(
        self, schema: Json, direction: Direction, depth: int
    ) -> Iterator[tuple[str, Any]]:
        for key in _LISTS:
            parts = schema.get(key)
            if isinstance(parts, list) and parts:
                if key == "allOf":
                    unwanted = self.unwanted_names(schema, direction)
                    parts = [_not_requiring(unwanted, part) for part in parts]
                yield key, [self.converted(part, direction, depth + 1) for part in parts]
        for key in (*_SINGLE, *(_LATER_SINGLE if self._version == "3.1" else ())):
            if isinstance(schema.get(key), dict | bool):
                yield key, self.converted(schema[key], direction, depth + 1)
        if self._version != "3.1":
            return
        for key in _LATER_SINGLE_OR_FLAG:
            if isinstance(schema.get(key), dict | bool):
                yield key, self.converted(schema[key], direction, depth + 1)
        for key in _LATER_MAPPINGS:
            if isinstance(schema.get(key), dict):
                subschemas = schema[key].items()
                yield (
                    key,
                    {n: self.converted(inner, direction, depth + 1) for n, inner in subschemas},
                )
        for key in ("$dynamicRef", "$recursiveRef"):
            if key in schema:
                self._warnings.add(f"{key} accepts anything", ascii(schema[key])[:60])

    def _is_nullable(self, schema: Json) -> bool:
        return self._version != "3.1" and (
            schema.get("nullable") is True or schema.get("x-nullable") is True
        )

    def _accepts_null(self, schema: Any) -> bool:
        """Whether a variant says itself, or by what it refers to, that it may be null."""
        return self._is_nullable(self.target_of(schema))

    def _nullable(self, schema: Json, converted: Json) -> Json:
        """The converted schema, which accepts null too where the document says `nullable`."""
        if not self._is_nullable(schema):
            return converted
        if "$ref" in converted or "allOf" in converted:
            described = {k: converted[k] for k in ("description",) if k in converted}
            inner = {key: value for key, value in converted.items() if key not in described}
            return {"anyOf": [inner, {"type": "null"}], **described}
        converted = dict(converted)
        if "type" in converted:
            kinds = (
                converted["type"] if isinstance(converted["type"], list) else [converted["type"]]
            )
            converted["type"] = [*kinds, *(["null"] if "null" not in kinds else [])]
        for key in ("anyOf", "oneOf"):
            if key in converted:
                # Of `oneOf`, null must not be accepted twice.
                if key == "anyOf" or not any(self._accepts_null(part) for part in schema[key]):
                    converted[key] = [*converted[key], {"type": "null"}]
                break
        return converted


def _not_requiring(names: set[str], part: Any) -> Any:
    """A part of `allOf` that does not require these names, which other parts have."""
    required = part.get("required") if isinstance(part, dict) else None
    if not names or not isinstance(required, list):
        return part
    properties = part.get("properties")
    left = [
        n for n in required if n not in names or (isinstance(properties, dict) and n in properties)
    ]
    return {**part, "required": left}


def _names_in(schema: object) -> Iterator[str]:
    """The names of the definitions that a converted schema refers to itself."""
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            reference = node.get("$ref")
            if isinstance(reference, str) and reference.startswith(_PREFIX):
                yield reference.removeprefix(_PREFIX)
            waiting += [value for value in node.values() if isinstance(value, dict | list)]
