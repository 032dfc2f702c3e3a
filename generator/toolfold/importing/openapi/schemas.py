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
        own = self.target_of(schema)
        found = own.get("properties")
        properties = dict(found) if isinstance(found, dict) else {}
        parts = own.get("allOf")
        for part in parts if isinstance(parts, list) else ():
            inner = self.target_of(part).get("properties")
            properties |= inner if isinstance(inner, dict) else {}
        return properties

    def example_of(self, schema: Any) -> Any:
        """The example that a schema gives, itself or by what it refers to; None where it gives none."""
        own = self.target_of(schema)
        given = own.get("examples")
        first = given[0] if isinstance(given, list) and given else None
        return own.get("example", first)

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
        own = properties if isinstance(properties, dict) else {}
        unwanted = {name for name, inner in own.items() if self.is_unwanted(inner, direction)}
        if isinstance(parts, list) and depth < _DEEPEST_PARTS:
            for part in map(self.target_of, parts):
                unwanted |= self.unwanted_names(part, direction, depth + 1) - own.keys()
        return unwanted

    def _reference(self, schema: Json, direction: Direction, depth: int) -> Json:
        target = self._references.target(schema["$ref"])
        if target is None or not isinstance(target.value, dict | bool):
            return {}
        own: Json = {"$ref": self._shared(target.steps, target.value, direction)}
        if self._version == "3.1":
            beside = {key: value for key, value in schema.items() if key != "$ref"}
            return {**self._inline(beside, direction, depth), **own}
        own = self._nullable(schema, own)
        described = plain_text(schema.get("description"))
        return {**own, "description": described} if described else own

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
        own: Json = {} if kind is None else {"type": kind}
        described = plain_text(schema.get("description"))
        if described:
            own["description"] = described
        is_nullable = self._is_nullable(schema)
        values = values_of(schema, kind, self._warnings, is_nullable=is_nullable)
        if values is not None:
            own["enum"] = values
        if self._version == "3.1" and "const" in schema:
            own["const"] = schema["const"]
        own |= dict(simple_keywords(schema, self._warnings))
        own |= self._object(schema, direction, depth)
        own |= self._array(schema, direction, depth)
        own |= dict(self._combined(schema, direction, depth))
        if "minimum" in own and own.get("exclusiveMinimum") == own["minimum"]:
            del own["minimum"]
        if "maximum" in own and own.get("exclusiveMaximum") == own["maximum"]:
            del own["maximum"]
        return own

    def _object(self, schema: Json, direction: Direction, depth: int) -> Json:
        own: Json = {}
        properties = schema.get("properties")
        unwanted = self.unwanted_names(schema, direction)
        if isinstance(properties, dict):
            own["properties"] = {
                name: self.converted(inner, direction, depth + 1)
                for name, inner in properties.items()
                if name not in unwanted and len(name) < 500
            }
        required = schema.get("required")
        if isinstance(required, list):
            names = dict.fromkeys(name for name in required if isinstance(name, str))
            if left := [name for name in names if name not in unwanted]:
                own["required"] = left
        more = schema.get("additionalProperties")
        if isinstance(more, dict):
            own["additionalProperties"] = self.converted(more, direction, depth + 1)
        elif more is False and not unwanted:
            own |= {} if self._has_parts_outside(schema) else {"additionalProperties": False}
        return own

    def _has_parts_outside(self, schema: Json) -> bool:
        """Whether parts have properties that the schema itself has not, so that closing it refuses them all."""
        own = schema.get("properties")
        known = own.keys() if isinstance(own, dict) else ()
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
        own: Json = {}
        if isinstance(items, dict | bool):
            own["items"] = self.converted(items, direction, depth + 1)
        leading = schema.get("prefixItems")
        if self._version == "3.1" and isinstance(leading, list) and leading:
            own["prefixItems"] = [self.converted(inner, direction, depth + 1) for inner in leading]
        return own

    def _combined(
        self, schema: Json, direction: Direction, depth: int
    ) -> Iterator[tuple[str, Any]]:
        for key in _LISTS:
            parts = schema.get(key)
            if isinstance(parts, list) and parts:
                if key == "allOf":
                    unwanted = self.unwanted_names(schema, direction)
                    parts = [_not_requiring(unwanted, own) for own in parts]
                yield key, [self.converted(own, direction, depth + 1) for own in parts]
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
                own = schema[key].items()
                yield key, {n: self.converted(inner, direction, depth + 1) for n, inner in own}
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

    def _nullable(self, schema: Json, own: Json) -> Json:
        """The converted schema, which accepts null too where the document says `nullable`."""
        if not self._is_nullable(schema):
            return own
        if "$ref" in own or "allOf" in own:
            described = {k: own[k] for k in ("description",) if k in own}
            inner = {key: value for key, value in own.items() if key not in described}
            return {"anyOf": [inner, {"type": "null"}], **described}
        own = dict(own)
        if "type" in own:
            kinds = own["type"] if isinstance(own["type"], list) else [own["type"]]
            own["type"] = [*kinds, *(["null"] if "null" not in kinds else [])]
        for key in ("anyOf", "oneOf"):
            if key in own:
                # Of `oneOf`, null must not be accepted twice.
                if key == "anyOf" or not any(self._accepts_null(own) for own in schema[key]):
                    own[key] = [*own[key], {"type": "null"}]
                break
        return own


def _not_requiring(names: set[str], part: Any) -> Any:
    """A part of `allOf` that does not require these names, which other parts have."""
    required = part.get("required") if isinstance(part, dict) else None
    if not names or not isinstance(required, list):
        return part
    own = part.get("properties")
    left = [n for n in required if n not in names or (isinstance(own, dict) and n in own)]
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
            waiting += [own for own in node.values() if isinstance(own, dict | list)]
