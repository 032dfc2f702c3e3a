"""The schemas of a tool or a definition as classes and aliases.

Every class is named here, so that editing one tool never renames another's classes.
"""

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import resolve
from toolfold_runtime.validation import ValidationError, validator_for

from toolfold.plan.models.definitions import NOTES, definition_of
from toolfold.plan.models.model import (
    ImportedType,
    ModelAlias,
    ModelClass,
    ModelField,
    ModelSource,
    ModelsPlan,
    class_reference,
    referenced_classes,
)
from toolfold.plan.models.names import branch_names, item_name
from toolfold.plan.models.types import (
    ANY,
    SCALARS,
    limits,
    literal_values,
    text_type,
    union,
)
from toolfold.plan.names.identifiers import TypeName, class_name, definition_name, field_name
from toolfold.plan.schemas.keywords import properties_of, required_of, walk
from toolfold.plan.text.escape import has_hidden, one_line, without_hidden

# Per module; one real schema would give thousands.
_MAX_CLASSES: Final = 200
_DEEPEST: Final = 20
_OF_OBJECTS: Final = frozenset({"type", "properties", "required", "additionalProperties"})


class ModelsBuilder:
    """Collects the types of one module; a nested object becomes a class of its own."""

    def __init__(self, definitions: Iterable[str] = ()) -> None:
        #: The manifest's definitions that this module may refer to.
        self.definitions = {name: definition_name(name) for name in definitions}
        self._types: dict[str, ModelClass | ModelAlias] = {}
        self._taken = {name.type for name in self.definitions.values()}
        #: By name: the definition that an alias stands for, and the schema that refers to it.
        self._aliases: dict[str, tuple[ModelSource, Json]] = {}

    def add(self, source: ModelSource) -> None:
        """Add the class of a schema, or an alias where it is no object with properties."""
        self._taken.add(source.name)
        _Document(self, source).root()

    def plan(self, description: str) -> ModelsPlan:
        """The module, once everything is added."""
        used = {name for own in self._types.values() for name in _used(own)}
        imports = (
            ImportedType(own.type, own.module, self._alias(own.type))
            for own in self.definitions.values()
            if own.type in used and own.type not in self._types
        )
        types = {name: self._with_attributes(own) for name, own in self._types.items()}
        return ModelsPlan(description, types, tuple(sorted(imports, key=lambda own: own.module)))

    def has_room(self) -> bool:
        """Whether one more class may be added."""
        return len(self._types) < _MAX_CLASSES

    def unique(self, name: str) -> str:
        """The name, with a number where another type of this module has it."""
        unique, number = name, 2
        while unique in self._taken:
            unique, number = f"{name}{number}", number + 1
        self._taken.add(unique)
        return unique

    def put(self, own: ModelClass | ModelAlias) -> None:
        """Add a type, or replace the one that was reserved for it."""
        self._types[own.name] = own

    def refer_to_alias(self, own: TypeName, source: ModelSource, target: Json) -> None:
        """Remember which definition an alias stands for."""
        self._aliases[own.type] = source, target

    def _alias(self, name: str) -> Json | None:
        """What an alias of another module stands for; None for a class."""
        if name not in self._aliases:
            return None
        source, target = self._aliases[name]
        # Classes that it would need are its own module's.
        return _Document(ModelsBuilder(self.definitions), source).type_of(target, name, "")

    def _with_attributes(self, own: ModelClass | ModelAlias) -> ModelClass | ModelAlias:
        """The type with an attribute for each field; fields that would share one are left out."""
        if isinstance(own, ModelAlias):
            return own
        # Pydantic would take an attribute for the class of the same name.
        named = [
            field._replace(attribute=f"{field.attribute}_")
            if field.attribute in self._taken
            else field
            for field in own.fields
        ]
        count = Counter(field.attribute for field in named)
        fields = [field for field in named if count[field.attribute] == 1]
        is_closed = own.is_closed and len(fields) == len(own.fields)
        return own._replace(fields=fields, is_closed=is_closed)


class _Document:
    """Adds the types of one JSON Schema document to a module."""

    def __init__(self, builder: ModelsBuilder, source: ModelSource) -> None:
        self.builder = builder
        self.source = source
        self.document = source.schema
        self._definitions = {} if source.is_foreign else builder.definitions
        #: The classes of references within the document.
        self._classes: dict[str, str] = {}
        self._open: list[str] = []

    def root(self) -> None:
        """Add the type of the document's root."""
        name, description = self.source.name, _described(self.document) or self.source.description
        root = self._resolved(self.document) if self.source.is_foreign else self.document
        root = self._merged(root)
        if _is_class(root) or self.source.must_be_class:
            self._classes |= {"#": name, str(self.document.get("$ref", "#")): name}
            self._class(root, name, description)
        else:
            self.builder.put(ModelAlias(name, description, ANY))  # in its place before nested ones
            kind = _not_only_null(self.type_of(self.document, name, f"Part of {name}."))
            self.builder.put(ModelAlias(name, description, kind))

    def type_of(self, schema: object, name: str, owner: str) -> Json:
        """The schema for the model generator; a class made for it gets `name`.

        `owner` says, in words, where it stands.
        """
        if not isinstance(schema, dict):
            return ANY
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], name, owner)
        only = _only_part(schema)
        if only is not None:
            return self.type_of(only, name, owner)
        schema = self._merged(schema)
        values = literal_values(schema)
        if values:
            return {"enum": values}
        kinds = schema.get("type")
        if isinstance(kinds, list):
            return union([self.type_of(schema | {"type": kind}, name, owner) for kind in kinds])
        if not isinstance(kinds, str):
            return self._alternatives(schema, name, owner) if kinds is None else ANY
        if "enum" in schema or "const" in schema:
            return {"type": kinds} if kinds in SCALARS else ANY
        return self._of_kind(schema, kinds, name, owner)

    def _of_kind(self, schema: Json, kind: str, name: str, owner: str) -> Json:
        if kind == "object":
            return self._object(schema, name, owner)
        if kind == "array":
            return self._array(schema, name, owner)
        if kind == "string":
            return text_type(schema, has_formats=self.source.has_formats)
        return {"type": kind, **limits(schema, kind)} if kind in SCALARS else ANY

    def _object(self, schema: Json, name: str, owner: str) -> Json:
        if _is_class(schema) and self.builder.has_room():
            unique = self.builder.unique(name)
            self._class(schema, unique, _described(schema) or owner)
            return class_reference(unique)
        values = schema.get("additionalProperties")
        inner = self.type_of(values, item_name(name), owner) if isinstance(values, dict) else ANY
        return {"type": "object", "additionalProperties": inner or True, **limits(schema, "object")}

    def _array(self, schema: Json, name: str, owner: str) -> Json:
        items, positions = schema.get("items"), schema.get("prefixItems")
        if positions is not None:
            return self._tuple(schema, name, owner)
        inner = self.type_of(items, item_name(name), owner) if isinstance(items, dict) else ANY
        return {"type": "array", "items": inner, **limits(schema, "array")}

    def _tuple(self, schema: Json, name: str, owner: str) -> Json:
        """A list of fixed length is a tuple; one that may be longer or shorter, a list."""
        positions = schema["prefixItems"]
        length = len(positions) if isinstance(positions, list) else 0
        ends = schema.get("items") is False or schema.get("maxItems") == length
        if not length or not ends or schema.get("minItems") != length:
            return {"type": "array", "items": ANY, **limits(schema, "array")}
        inner = [
            self.type_of(part, f"{name}{n}", owner) for n, part in enumerate(positions, start=1)
        ]
        return {
            "type": "array",
            "prefixItems": inner,
            "items": False,
            "minItems": length,
            "maxItems": length,
        }

    def _alternatives(self, schema: Json, name: str, owner: str) -> Json:
        """The union of `anyOf` or `oneOf`; Any where there is neither, or properties beside them."""
        options = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(options, list) or "properties" in schema:
            return ANY
        names = branch_names([self._merged(o) if isinstance(o, dict) else o for o in options], name)
        return union([self.type_of(o, own, owner) for o, own in zip(options, names, strict=True)])

    def _reference(self, reference: str, name: str, owner: str) -> Json:
        if reference in self._classes:
            return class_reference(self._classes[reference])
        target = self._target(reference)
        if not isinstance(target, dict):
            return ANY
        definition = definition_of(reference)
        if definition in self._definitions:
            own = self._definitions[definition]
            if not _is_class(self._merged(target)):
                self.builder.refer_to_alias(own, self.source, target)
            return class_reference(own.type)
        if reference in self._open:
            return ANY
        target = self._merged(target)
        tail = class_name(reference.rsplit("/", 1)[-1])
        if _is_class(target) and self.builder.has_room():
            unique = self.builder.unique(f"{self.source.name}{tail}")
            self._classes[reference] = unique
            self._class(target, unique, _described(target) or owner)
            return class_reference(unique)
        self._open.append(reference)
        inlined = self.type_of(target, name, owner)
        self._open.pop()
        return inlined

    def _merged(self, schema: Json, depth: int = 0) -> Json:
        """The schema with its `allOf` merged in, where every part is of an object with properties."""
        parts = schema.get("allOf")
        if not isinstance(parts, list) or not parts or depth > _DEEPEST:
            return schema
        resolved = [self._resolved(part) for part in parts]
        rest = {key: value for key, value in schema.items() if key != "allOf"}
        if len(parts) == 1 and not rest.keys() - NOTES:
            return {**resolved[0], **rest}
        resolved = [self._merged(part, depth + 1) for part in resolved]
        if not any(map(_is_class, (*resolved, rest))) or not all(map(_is_part, resolved)):
            return rest
        return _merged_objects([*resolved, rest]) | {
            key: rest[key] for key in ("description",) if key in rest
        }

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

    def _class(self, schema: Json, name: str, description: str) -> None:
        properties, required = properties_of(schema), required_of(schema)
        is_closed = schema.get("additionalProperties") is False
        is_closed = is_closed and not schema.get("patternProperties") and "" not in properties
        # In its place before the classes of its properties, one of which may refer to it.
        own = ModelClass(name, description, is_closed, [])
        self.builder.put(own)
        for prop, inner in properties.items():
            if prop:
                own.fields.append(self._field(inner, prop, own.name, is_required=prop in required))

    def _field(self, schema: object, prop: str, owner: str, *, is_required: bool) -> ModelField:
        words = f"`{one_line(without_hidden(prop))}` of {owner}."
        kind = _not_only_null(self.type_of(schema, f"{owner}{class_name(prop)}", words))
        own = schema if isinstance(schema, dict) else {}
        default = [own["default"]] if "default" in own and self._is_valid_default(own) else []
        is_nullable = self._accepts_null(schema)
        description = _described(own)
        return ModelField(
            field_name(prop), prop, kind, is_required, is_nullable, description, default
        )

    def _is_valid_default(self, schema: Json) -> bool:
        """Whether a class can be made of a default; one that is no object is looked at later."""
        value = schema["default"]
        if not value or not isinstance(value, dict | list):
            return True
        document: Json = {key: self.document.get(key, {}) for key in ("$defs", "definitions")}
        try:
            return validator_for(document | schema).is_valid(value)
        except (ValidationError, ValueError):
            return False

    def _accepts_null(self, schema: object, depth: int = 0) -> bool:
        """Whether null is among the values of a schema; False where that is too deep to tell."""
        if not isinstance(schema, dict) or depth > _DEEPEST:
            return schema is True
        if isinstance(schema.get("$ref"), str):
            return self._accepts_null(self._target(schema["$ref"]), depth + 1)
        values = schema.get("enum", [schema["const"]] if "const" in schema else [None])
        kinds = schema.get("type", "null")
        if None not in values or "null" not in (kinds if isinstance(kinds, list) else [kinds]):
            return False
        parts = [self._accepts_null(part, depth + 1) for part in schema.get("allOf", [])]
        options = [
            self._accepts_null(option, depth + 1)
            for key in ("anyOf", "oneOf")
            for option in schema.get(key, [])
        ]
        return all(parts) and (not options or any(options))


def _not_only_null(kind: Json) -> Json:
    """The type, or any where it has no other value than null, for which there is no annotation."""
    return ANY if kind == {"type": "null"} else kind


def _used(own: ModelClass | ModelAlias) -> set[str]:
    if isinstance(own, ModelAlias):
        return referenced_classes(own.type)
    return {name for field in own.fields for name in referenced_classes(field.type)}


def _only_part(schema: Json) -> Json | None:
    """The one part of an `allOf` beside which nothing is said but notes; else None."""
    parts = schema.get("allOf")
    if isinstance(parts, list) and len(parts) == 1 and isinstance(parts[0], dict):
        rest = schema.keys() - {"allOf"}
        return parts[0] if rest <= NOTES else None
    return None


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


def _is_part(schema: Json) -> bool:
    """Whether a schema says nothing but what properties an object has."""
    return schema.get("type", "object") == "object" and schema.keys() <= _OF_OBJECTS | NOTES


def _is_class(schema: Json) -> bool:
    return schema.get("type") == "object" and bool(schema.get("properties"))


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
