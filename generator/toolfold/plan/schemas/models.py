"""The schemas of a tool as flat classes for the model generator.

Only keywords that a Python type can express without contradicting the validator are copied; the
rest falls back to `Any`. Every class is named here, so that editing one tool never renames
another's classes.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.names.identifiers import class_name, field_name
from toolfold.plan.schemas.keywords import properties_of, required_of, resolve, walk
from toolfold.plan.text.escape import has_hidden, one_line, without_hidden

_ANY: Final[Json] = {}
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_LIMITS: Final[dict[str, tuple[str, ...]]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("minItems", "maxItems"),
}
# Per tool; one real schema would give thousands.
_MAX_CLASSES: Final = 200


@dataclass
class ModelClasses:
    """The classes of one tool: flat schemas that refer to each other by class name."""

    classes: dict[str, Json] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)


def model_classes(params: Json, returns: Json | None, stem: str) -> ModelClasses:
    """The classes of a tool's parameters and result: `<Stem>Params`, `<Stem>Result` and nested ones."""
    result = ModelClasses()
    _ClassBuilder(params, f"{stem}Params", result).root(must_be_class=True)
    if returns is not None:
        _ClassBuilder(returns, f"{stem}Result", result).root(must_be_class=False)
    return result


class _ClassBuilder:
    """Adds the classes of one document to a result; a nested object becomes a class of its own."""

    def __init__(self, document: Json, name: str, result: ModelClasses) -> None:
        self.document = document
        self.name = name
        self.result = result
        self._named: dict[str, str] = {}
        self._open: list[str] = []

    def root(self, *, must_be_class: bool) -> None:
        document = self._merged(self._resolved(self.document))
        if must_be_class or _is_class(document):
            self._named |= {"#": self.name, str(self.document.get("$ref", "#")): self.name}
            self._class(document, self.name)
        else:
            # A class with one field, of which the emitter keeps the annotation as an alias.
            alias: Json = {"type": "object", "properties": {}, "required": ["root"]}
            self.result.classes[self.name] = alias
            alias["properties"]["root"] = self._type(document, self.name)

    def _type(self, schema: object, name: str) -> Json:
        """The schema with references to classes for objects; a class model for itself gets `name`."""
        if not isinstance(schema, dict):
            return _ANY
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], name)
        schema = self._merged(schema)
        if _string_enum(schema):
            return {"enum": _string_enum(schema)}
        kinds = schema.get("type")
        if isinstance(kinds, list):
            parts = [self._type(schema | {"type": kind}, name) for kind in kinds]
            return _union(parts)
        if not isinstance(kinds, str):
            return self._alternatives(schema, name) if kinds is None else _ANY
        if "enum" in schema or "const" in schema:
            return {"type": kinds} if kinds in _SCALARS else _ANY
        return self._of_kind(schema, kinds, name)

    def _of_kind(self, schema: Json, kind: str, name: str) -> Json:
        if kind == "object":
            if _is_class(schema) and len(self.result.classes) < _MAX_CLASSES:
                unique = self._unique(name)
                self._class(schema, unique)
                return _class_reference(unique)
            values = schema.get("additionalProperties")
            inner = self._type(values, f"{name}Value") if isinstance(values, dict) else _ANY
            return {"type": "object", "additionalProperties": inner or True}
        if kind == "array":
            items = schema.get("items")
            is_plain = isinstance(items, dict) and "prefixItems" not in schema
            inner = self._type(items, f"{name}Item") if is_plain else _ANY
            return {"type": "array", "items": inner}
        return {"type": kind} if kind in _SCALARS else _ANY

    def _alternatives(self, schema: Json, name: str) -> Json:
        """The union of `anyOf` or `oneOf`; Any where there is neither, or properties beside them."""
        options = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(options, list) or "properties" in schema:
            return _ANY
        return _union([self._type(o, f"{name}Option{i}") for i, o in enumerate(options, start=1)])

    def _reference(self, reference: str, name: str) -> Json:
        if reference in self._named:
            return _class_reference(self._named[reference])
        target = self._target(reference)
        if not isinstance(target, dict) or reference in self._open:
            return _ANY
        target = self._merged(target)
        tail = class_name(reference.rsplit("/", 1)[-1])
        if _is_class(target) and len(self.result.classes) < _MAX_CLASSES:
            unique = self._unique(f"{self.name}{tail}")
            self._named[reference] = unique
            self._class(target, unique)
            return _class_reference(unique)
        self._open.append(reference)
        inlined = self._type(target, name)
        self._open.pop()
        return inlined

    def _merged(self, schema: Json) -> Json:
        """The schema with its `allOf` merged in, where every part is an object with properties."""
        parts = schema.get("allOf")
        if not isinstance(parts, list) or not parts:
            return schema
        resolved = [self._resolved(part) for part in parts]
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        if len(parts) == 1 and not set(rest) - {"title", "description", "default"}:
            return {**resolved[0], **rest} if resolved[0] else rest
        if not all(_is_class(part) for part in resolved):
            return rest
        return _merged_objects([*resolved, rest])

    def _resolved(self, schema: object) -> Json:
        seen: set[str] = set()
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            if schema["$ref"] in seen:
                return {}
            seen.add(schema["$ref"])
            schema = self._target(schema["$ref"])
        return schema if isinstance(schema, dict) else {}

    def _target(self, reference: str) -> Json | bool | None:
        """What a reference points to, or None where only the validator can follow it."""
        return resolve(self.document, reference) if self._is_one_document else None

    @cached_property
    def _is_one_document(self) -> bool:
        """Whether no part has an `$id`, below which references would start anew."""
        inner = (schema for path, schema in walk(self.document) if path)
        return not any(isinstance(part, dict) and {"$id", "id"} & set(part) for part in inner)

    def _class(self, schema: Json, name: str) -> None:
        model: Json = {"type": "object", "properties": {}}
        self.result.classes[name] = model
        if description := _described(schema):
            model["description"] = description
        properties, required = properties_of(schema), required_of(schema)
        names = _field_names(properties)
        is_closed = schema.get("additionalProperties") is False and len(names) == len(properties)
        if is_closed and not schema.get("patternProperties"):
            model["additionalProperties"] = False
        for prop in names:
            model["properties"][prop] = self._property(
                properties[prop], f"{name}{class_name(prop)}"
            )
        model["required"] = [p for p in names if p in required]
        self.result.fields[name] = names

    def _property(self, schema: object, name: str) -> Json:
        model = dict(self._type(schema, name))
        if not isinstance(schema, dict):
            return model
        if "type" in model and model["type"] == schema.get("type"):
            # Only here: inside unions and items the generator would wrap each in a class.
            model |= _limits(schema, model["type"])
        if description := _described(schema):
            model["description"] = description
        if "default" in schema and _default_fits(schema["default"], model):
            model["default"] = schema["default"]
        return model

    def _unique(self, name: str) -> str:
        unique, number = name, 2
        while unique in self.result.classes:
            unique, number = f"{name}{number}", number + 1
        return unique


def _field_names(properties: Json) -> dict[str, str]:
    """Property to attribute; properties that would share an attribute are left out."""
    encoded = {prop: field_name(prop) for prop in properties if prop}
    count = Counter(encoded.values())
    return {prop: attribute for prop, attribute in encoded.items() if count[attribute] == 1}


def attribute_clashes(schema: Json) -> list[tuple[str, str]]:
    """Pairs of properties of one object that would share an attribute, in order."""
    seen: dict[str, str] = {}
    pairs = []
    for prop in properties_of(schema):
        attribute = field_name(prop)
        if attribute in seen:
            pairs.append((seen[attribute], prop))
        seen.setdefault(attribute, prop)
    return pairs


def _described(schema: Json) -> str:
    """The description, with spaces for hidden characters; empty where there is none."""
    text = schema.get("description")
    if not isinstance(text, str):
        return ""
    if not has_hidden(text):
        return text.strip()
    return "\n".join(one_line(without_hidden(line)) for line in text.splitlines()).strip()


def _is_class(schema: Json) -> bool:
    return schema.get("type") == "object" and bool(schema.get("properties"))


def _string_enum(schema: Json) -> list[str | None]:
    """The values of an enum of strings and null, which a Literal treats like the validator.

    Empty for any other: 1.0 equals 1 to a validator but not to a Literal.
    """
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(values, list) or not any(isinstance(v, str) for v in values):
        return []
    return values if all(v is None or isinstance(v, str) for v in values) else []


def _limits(schema: Json, kind: str) -> Json:
    limits = {}
    for key in _LIMITS.get(kind, ()):
        value = schema.get(key)
        number = int | float if "imum" in key else int
        if isinstance(value, number) and not isinstance(value, bool):
            limits[key] = value
    return limits


def _union(options: list[Json]) -> Json:
    unique: list[Json] = []
    for option in options:
        if option == _ANY:
            return _ANY
        for part in option.get("anyOf", [option]):
            if part not in unique:
                unique.append(part)
    if not unique:
        return _ANY
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _merged_objects(parts: list[Json]) -> Json:
    merged: Json = {"type": "object", "properties": {}, "required": []}
    for part in parts:
        for prop, schema in properties_of(part).items():
            known = merged["properties"].setdefault(prop, schema)
            if known != schema:
                merged["properties"][prop] = {}
        merged["required"] += [r for r in required_of(part) if isinstance(r, str)]
        if isinstance(part.get("description"), str):
            merged.setdefault("description", part["description"])
    return merged


def _default_fits(default: object, model: Json) -> bool:
    """Whether a model can have the default: a scalar or a list of scalars, of the right type."""
    kinds = [part.get("type") for part in model.get("anyOf", [model])]
    if "enum" in model:
        return default in model["enum"] and isinstance(default, str)
    if isinstance(default, list):
        flat = all(isinstance(v, str | int | float | bool) for v in default)
        items = model.get("items", {}).get("type")
        return "array" in kinds and flat and all(_is_of(v, items) for v in default)
    return any(_is_of(default, kind) for kind in kinds)


def _is_of(value: object, kind: object) -> bool:
    match kind:
        case "string":
            return isinstance(value, str)
        case "boolean":
            return isinstance(value, bool)
        case "integer":
            return isinstance(value, int) and not isinstance(value, bool)
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return kind == "null" and value is None


def _class_reference(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}
