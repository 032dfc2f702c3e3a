"""The schemas of a tool or a definition as classes and aliases.

Every class is named here, so that editing one tool never renames another's classes.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.plan.models.definitions import definition_of
from toolfold.plan.models.merge import Document, is_class, only_part
from toolfold.plan.models.model import (
    ImportedType,
    ModelAlias,
    ModelClass,
    ModelField,
    ModelSource,
    ModelsPlan,
    class_reference,
    types_used_by,
)
from toolfold.plan.models.names import branch_names, item_name
from toolfold.plan.models.types import ANY, SCALARS, limits, literal_values, text_type, union
from toolfold.plan.names.identifiers import class_name, definition_type, field_name
from toolfold.plan.schemas.keywords import properties_of, required_of
from toolfold.plan.schemas.validation_cost import quick_validator
from toolfold.plan.text.escape import has_hidden, one_line, without_hidden

# Per module; one real schema would give thousands.
_MAX_CLASSES: Final = 200
# A leap second, or the year before the first: valid dates and times that Python does not have.
_NOT_IN_PYTHON: Final = re.compile(r'"0000-|:60(?:[.Zz"]|[+-]\d)')


class ModelsBuilder:
    """Collects the types of one module; a nested object becomes a class of its own."""

    def __init__(self, definitions: Iterable[str] = ()) -> None:
        #: The manifest's definitions that this module may refer to.
        self.definitions = {name: definition_type(name) for name in definitions}
        self._types: dict[str, ModelClass | ModelAlias] = {}
        self._taken = {definition.name for definition in self.definitions.values()}
        #: By the name of an alias: the document that refers to its definition, and the schema of that.
        self._aliases: dict[str, tuple[ModelSource, Json]] = {}

    def add(self, source: ModelSource) -> None:
        """Add the class of a schema, or an alias where it is no object with properties."""
        self._taken.add(source.name)
        self._types[source.name] = ModelAlias(source.name, "", ANY)  # before nested ones
        self._types[source.name] = _SchemaReader(self, source).root()

    def plan(self, description: str) -> ModelsPlan:
        """The module, once everything is added."""
        types = {name: self._with_attributes(model) for name, model in self._types.items()}
        used = {name for model in types.values() for name in types_used_by(model)} - types.keys()
        imports = [
            ImportedType(definition.name, definition.module, self._alias(definition.name))
            for definition in sorted(self.definitions.values())
            if definition.name in used
        ]
        return ModelsPlan(description, types, tuple(imports))

    def reserve(self, name: str) -> str | None:
        """The name, or one like it that is free, for a class to come; None where there are too many."""
        if len(self._types) >= _MAX_CLASSES:
            return None
        unique, number = name, 2
        while unique in self._taken:
            unique, number = f"{name}{number}", number + 1
        self._taken.add(unique)
        self._types[unique] = ModelAlias(unique, "", ANY)  # its place, and it counts
        return unique

    def put(self, model: ModelClass) -> None:
        """Add the class for which a name was reserved."""
        self._types[model.name] = model

    def refer_to_alias(self, name: str, source: ModelSource, target: Json) -> None:
        """Remember which definition the alias of this name stands for."""
        self._aliases[name] = source, target

    def _alias(self, name: str) -> Json | None:
        """The schema behind an alias of another module; None for a class."""
        if name not in self._aliases:
            return None
        source, target = self._aliases[name]
        # Classes that it would need are its own module's.
        return _SchemaReader(ModelsBuilder(self.definitions), source).type_of(target, name, "")

    def _with_attributes(self, model: ModelClass | ModelAlias) -> ModelClass | ModelAlias:
        """The type with an attribute per field; fields whose attributes clash are left out."""
        if isinstance(model, ModelAlias):
            return model
        # Pydantic would take an attribute for the class of the same name.
        named = [
            field._replace(attribute=f"{field.attribute}_")
            if field.attribute in self._taken
            else field
            for field in model.fields
        ]
        count = Counter(field.attribute for field in named)
        fields = tuple(field for field in named if count[field.attribute] == 1)
        is_closed = model.is_closed and len(fields) == len(model.fields)
        return model._replace(fields=fields, is_closed=is_closed)


class _SchemaReader:
    """Reads one JSON Schema document and adds its nested classes to a module."""

    def __init__(self, builder: ModelsBuilder, source: ModelSource) -> None:
        self._builder = builder
        self._source = source
        self._document = Document(source.schema)
        self._definitions = {} if source.is_foreign else builder.definitions
        #: The classes of references within the document.
        self._classes: dict[str, str] = {}
        #: References that are being replaced by what they lead to.
        self._expanding: list[str] = []

    def root(self) -> ModelClass | ModelAlias:
        """The type of the document's root."""
        source, schema = self._source, self._source.schema
        description = _described(schema) or source.description
        root = self._document.resolved(schema) if source.is_foreign else schema
        root = self._document.merged(root)
        if is_class(root) or source.must_be_class:
            self._classes |= {"#": source.name, str(schema.get("$ref", "#")): source.name}
            return self._class(root, source.name, description)
        alias = self.type_of(schema, source.name, f"Part of {source.name}.")
        return ModelAlias(source.name, description, _not_only_null(alias))

    def type_of(self, schema: object, name: str, place: str) -> Json:
        """The schema for the model generator; a class made for it gets `name`.

        `place` says where it stands, for the docstring of a class without a description.
        """
        if not isinstance(schema, dict):
            return ANY
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], name, place)
        only = only_part(schema)
        if only is not None:
            return self.type_of(only, name, place)
        schema = self._document.merged(schema)
        values = literal_values(schema)
        if values:
            return {"enum": values}
        types = schema.get("type")
        if isinstance(types, list):
            return union([self.type_of(schema | {"type": one}, name, place) for one in types])
        if not isinstance(types, str):
            return self._alternatives(schema, name, place) if types is None else ANY
        if "enum" in schema or "const" in schema:
            return {"type": types} if types in SCALARS else ANY
        return self._of_type(schema, types, name, place)

    def _of_type(self, schema: Json, type_: str, name: str, place: str) -> Json:
        if type_ == "object":
            return self._object(schema, name, place)
        if type_ == "array":
            return self._array(schema, name, place)
        if type_ == "string":
            return text_type(schema, has_formats=self._source.has_formats)
        return {"type": type_, **limits(schema, type_)} if type_ in SCALARS else ANY

    def _object(self, schema: Json, name: str, place: str) -> Json:
        unique = self._builder.reserve(name) if is_class(schema) else None
        if unique is not None:
            self._builder.put(self._class(schema, unique, _described(schema) or place))
            return class_reference(unique)
        values = schema.get("additionalProperties")
        inner = self.type_of(values, item_name(name), place) if isinstance(values, dict) else ANY
        return {"type": "object", "additionalProperties": inner or True, **limits(schema, "object")}

    def _array(self, schema: Json, name: str, place: str) -> Json:
        if schema.get("prefixItems") is not None:
            return self._tuple(schema, name, place)
        items = schema.get("items")
        inner = self.type_of(items, item_name(name), place) if isinstance(items, dict) else ANY
        return {"type": "array", "items": inner, **limits(schema, "array")}

    def _tuple(self, schema: Json, name: str, place: str) -> Json:
        """A list of fixed length is a tuple; one that may be longer or shorter, a list."""
        positions = schema["prefixItems"]
        length = len(positions) if isinstance(positions, list) else 0
        ends = schema.get("items") is False or schema.get("maxItems") == length
        if not length or not ends or schema.get("minItems") != length:
            return {"type": "array", "items": ANY, **limits(schema, "array")}
        inner = [self.type_of(part, f"{name}{n}", place) for n, part in enumerate(positions, 1)]
        return {
            "type": "array",
            "prefixItems": inner,
            "items": False,
            "minItems": length,
            "maxItems": length,
        }

    def _alternatives(self, schema: Json, name: str, place: str) -> Json:
        """The union of `anyOf` or `oneOf`; Any where there is neither, or properties beside them."""
        options = schema.get("anyOf", schema.get("oneOf"))
        if not isinstance(options, list) or "properties" in schema:
            return ANY
        merged = [self._document.merged(o) if isinstance(o, dict) else o for o in options]
        names = branch_names(merged, name)
        pairs = zip(options, names, strict=True)
        return union([self.type_of(option, branch, place) for option, branch in pairs])

    def _reference(self, reference: str, name: str, place: str) -> Json:
        if reference in self._classes:
            return class_reference(self._classes[reference])
        target = self._document.target(reference)
        if not isinstance(target, dict):
            return ANY
        definition = definition_of(reference)
        if definition in self._definitions:
            class_of_definition = self._definitions[definition].name
            if not is_class(self._document.merged(target)):
                self._builder.refer_to_alias(class_of_definition, self._source, target)
            return class_reference(class_of_definition)
        return self._local_reference(reference, self._document.merged(target), name, place)

    def _local_reference(self, reference: str, target: Json, name: str, place: str) -> Json:
        """A reference within the document: a class of this module, or what it leads to."""
        if reference in self._expanding:
            return ANY
        tail = class_name(reference.rsplit("/", 1)[-1])
        local_class = (
            self._builder.reserve(f"{self._source.name}{tail}") if is_class(target) else None
        )
        if local_class is not None:
            self._classes[reference] = local_class
            self._builder.put(self._class(target, local_class, _described(target) or place))
            return class_reference(local_class)
        self._expanding.append(reference)
        expanded = self.type_of(target, name, place)
        self._expanding.pop()
        return expanded

    def _class(self, schema: Json, name: str, description: str) -> ModelClass:
        properties, required = properties_of(schema), required_of(schema)
        is_closed = schema.get("additionalProperties") is False
        is_closed = is_closed and not schema.get("patternProperties") and "" not in properties
        fields = tuple(
            self._field(inner, prop, name, is_required=prop in required)
            for prop, inner in properties.items()
            if prop
        )
        return ModelClass(name, description, is_closed, fields)

    def _field(self, schema: object, prop: str, owner: str, *, is_required: bool) -> ModelField:
        place = f"`{one_line(without_hidden(prop))}` of {owner}."
        given = schema if isinstance(schema, dict) else {}
        has_default = "default" in given and self._is_valid_default(given)
        return ModelField(
            attribute=field_name(prop),
            property=prop,
            type=_not_only_null(self.type_of(schema, f"{owner}{class_name(prop)}", place)),
            is_required=is_required,
            is_nullable=self._document.accepts_null(schema),
            description=_described(given),
            default=(given["default"],) if has_default else (),
        )

    def _is_valid_default(self, schema: Json) -> bool:
        """Whether a class can be made of a default; one that is no object is looked at later."""
        value = schema["default"]
        if not value or not isinstance(value, dict | list):
            return True
        if _NOT_IN_PYTHON.search(json.dumps(value)):
            return False  # the text of a moment, perhaps
        root = self._document.schema
        document: Json = {key: root.get(key, {}) for key in ("$defs", "definitions")}
        validator = quick_validator(document | schema)
        return validator is not None and validator.is_valid(value)


def _not_only_null(schema: Json) -> Json:
    """The type; `Any` for one that has only null, which the model generator cannot express."""
    return ANY if schema == {"type": "null"} else schema


def _described(schema: Json) -> str:
    """The description, with spaces for hidden characters; empty where there is none."""
    text = schema.get("description")
    if not isinstance(text, str):
        return ""
    if not has_hidden(text):
        return text.strip()
    return "\n".join(one_line(without_hidden(line)) for line in text.splitlines()).strip()
