"""The modelled copy of a schema: an allow-listed, flat set of classes for the model generator.

Only what a Python type can say without contradicting the validator is kept; the rest falls back
to `Any`. Every class is named here, so that editing one tool never renames another's classes.
"""

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

from toolfold.plan.names.python import class_name, field_name
from toolfold.plan.schemas.keywords import resolve, walk
from toolfold.plan.text.escape import hides, one_line, shown

Schema = dict[str, Any]

_ANY: Final[Schema] = {}
_SCALARS: Final = frozenset({"string", "integer", "number", "boolean", "null"})
_LIMITS: Final[dict[str, tuple[str, ...]]] = {
    "string": ("minLength", "maxLength"),
    "integer": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    "array": ("minItems", "maxItems"),
}
# Beyond this, classes cost more than they tell: one real schema would give thousands.
_MAX_CLASSES: Final = 200


@dataclass
class Modelled:
    """The classes of one tool: flat schemas that refer to each other by class name."""

    classes: dict[str, Schema] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)


def modelled(params: Schema, returns: Schema | None, stem: str) -> Modelled:
    """Flatten a tool's parameters and returns; roots are `<Stem>Params` and `<Stem>Result`."""
    result = Modelled()
    _Flattener(params, f"{stem}Params", result).root(must_be_class=True)
    if returns is not None:
        _Flattener(returns, f"{stem}Result", result).root(must_be_class=False)
    return result


class _Flattener:
    """Walks one document; a nested object becomes a class of its own."""

    def __init__(self, document: Schema, name: str, result: Modelled) -> None:
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
            alias: Schema = {"type": "object", "properties": {}, "required": ["root"]}
            self.result.classes[self.name] = alias
            alias["properties"]["root"] = self._type(document, self.name)

    def _type(self, schema: Any, name: str) -> Schema:
        """A schema that refers to classes where objects were; `name` is for a class to make."""
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

    def _of_kind(self, schema: Schema, kind: str, name: str) -> Schema:
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

    def _alternatives(self, schema: Schema, name: str) -> Schema:
        """A union where alternatives are all that is said; a schema without a type is Any."""
        options = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(options, list) or "properties" in schema:
            return _ANY
        suffixes = _option_names(options, name)
        return _union([self._type(o, s) for o, s in zip(options, suffixes, strict=True)])

    def _reference(self, reference: str, name: str) -> Schema:
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

    def _merged(self, schema: Schema) -> Schema:
        """`allOf` folded in where every part is an object with properties."""
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

    def _resolved(self, schema: Any) -> Schema:
        seen: set[str] = set()
        while isinstance(schema, dict) and isinstance(schema.get("$ref"), str):
            if schema["$ref"] in seen:
                return {}
            seen.add(schema["$ref"])
            schema = self._target(schema["$ref"])
        return schema if isinstance(schema, dict) else {}

    def _target(self, reference: str) -> Any:
        """What a reference points to, or None where only the validator can follow it."""
        return resolve(self.document, reference) if self._is_one_document else None

    @cached_property
    def _is_one_document(self) -> bool:
        """Whether no part has an `$id`, below which references would start anew."""
        inner = (schema for path, schema in walk(self.document) if path)
        return not any(isinstance(part, dict) and {"$id", "id"} & set(part) for part in inner)

    def _class(self, schema: Schema, name: str) -> None:
        made: Schema = {"type": "object", "properties": {}}
        self.result.classes[name] = made
        if description := _described(schema):
            made["description"] = description
        properties = schema.get("properties")
        properties = properties if isinstance(properties, dict) else {}
        required = schema.get("required")
        wanted = required if isinstance(required, list) else []
        names = _field_names(properties)
        is_closed = schema.get("additionalProperties") is False and len(names) == len(properties)
        if is_closed and not schema.get("patternProperties"):
            made["additionalProperties"] = False
        for prop in names:
            made["properties"][prop] = self._property(properties[prop], f"{name}{class_name(prop)}")
        made["required"] = [p for p in names if p in wanted]
        self.result.fields[name] = names

    def _property(self, schema: Any, name: str) -> Schema:
        made = dict(self._type(schema, name))
        if not isinstance(schema, dict):
            return made
        if "type" in made and made["type"] == schema.get("type"):
            # Only here: inside unions and items the generator would wrap each in a class.
            made |= _limits(schema, made["type"])
        if description := _described(schema):
            made["description"] = description
        if "default" in schema and _default_fits(schema["default"], made):
            made["default"] = schema["default"]
        return made

    def _unique(self, name: str) -> str:
        unique, number = name, 2
        while unique in self.result.classes:
            unique, number = f"{name}{number}", number + 1
        return unique


def _field_names(properties: Schema) -> dict[str, str]:
    """Property to attribute; properties that encode alike are left to the open part."""
    encoded = {prop: field_name(prop) for prop in properties if prop}
    count = Counter(encoded.values())
    return {prop: attribute for prop, attribute in encoded.items() if count[attribute] == 1}


def encoded_alike(schema: Schema) -> list[tuple[str, str]]:
    """Pairs of properties of one object whose attributes would be the same, in order."""
    seen: dict[str, str] = {}
    pairs = []
    for prop in schema.get("properties") or {}:
        attribute = field_name(prop)
        if attribute in seen:
            pairs.append((seen[attribute], prop))
        seen.setdefault(attribute, prop)
    return pairs


def _described(schema: Schema) -> str:
    """A description fit for a docstring: what does not print, or reorders text, is a space."""
    text = schema.get("description")
    if not isinstance(text, str):
        return ""
    if not hides(text):
        return text.strip()
    return "\n".join(one_line(shown(line)) for line in text.splitlines()).strip()


def _is_class(schema: Schema) -> bool:
    return schema.get("type") == "object" and bool(schema.get("properties"))


def _string_enum(schema: Schema) -> list[str | None]:
    """The values of an enum that a Literal can say as the validator means it: text and null.

    Numbers stay out: 1.0 equals 1 to a validator but not to a Literal.
    """
    values = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if not isinstance(values, list) or not any(isinstance(v, str) for v in values):
        return []
    return values if all(v is None or isinstance(v, str) for v in values) else []


def _limits(schema: Schema, kind: str) -> Schema:
    found = {}
    for key in _LIMITS.get(kind, ()):
        value = schema.get(key)
        wanted = int | float if "imum" in key else int
        if isinstance(value, wanted) and not isinstance(value, bool):
            found[key] = value
    return found


def _union(options: list[Schema]) -> Schema:
    unique: list[Schema] = []
    for option in options:
        if option == _ANY:
            return _ANY
        for part in option.get("anyOf", [option]):
            if part not in unique:
                unique.append(part)
    if not unique:
        return _ANY
    return unique[0] if len(unique) == 1 else {"anyOf": unique}


def _option_names(options: list[Any], name: str) -> list[str]:
    return [f"{name}Option{number}" for number in range(1, len(options) + 1)]


def _merged_objects(parts: list[Schema]) -> Schema:
    merged: Schema = {"type": "object", "properties": {}, "required": []}
    for part in parts:
        for prop, schema in (part.get("properties") or {}).items():
            known = merged["properties"].setdefault(prop, schema)
            if known != schema:
                merged["properties"][prop] = {}
        merged["required"] += [r for r in part.get("required", []) if isinstance(r, str)]
        if isinstance(part.get("description"), str):
            merged.setdefault("description", part["description"])
    return merged


def _default_fits(default: Any, made: Schema) -> bool:
    """Whether a default can stand in the model: scalars and lists of them, of the right type."""
    kinds = [part.get("type") for part in made.get("anyOf", [made])]
    if "enum" in made:
        return default in made["enum"] and isinstance(default, str)
    if isinstance(default, list):
        flat = all(isinstance(v, str | int | float | bool) for v in default)
        items = made.get("items", {}).get("type")
        return "array" in kinds and flat and all(_is_of(v, items) for v in default)
    return any(_is_of(default, kind) for kind in kinds)


def _is_of(value: Any, kind: Any) -> bool:
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


def _class_reference(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}
