"""The classes of one module, before any of their source is written."""

from collections.abc import Mapping
from typing import NamedTuple

from toolfold_runtime.contract.codec import Json


class ModelSource(NamedTuple):
    """A schema that becomes a class or an alias called `name`.

    A foreign schema has definitions of its own; others share those of the manifest.
    """

    schema: Json
    name: str
    #: The docstring where the schema has no description.
    description: str
    is_foreign: bool
    #: Whether formats are asserted, and so may be types of Python.
    has_formats: bool
    must_be_class: bool = False


class ModelsModule(NamedTuple):
    """A module of models: the schemas that become its types, and the definitions they may use."""

    description: str
    sources: tuple[ModelSource, ...]
    definitions: tuple[str, ...]
    #: Leads from the module to the package of the definitions' modules.
    definitions_package: str


class ExportModule(NamedTuple):
    """The module of a definition whose class is in another one, with all of its cycle."""

    module: str
    name: str


class ModelField(NamedTuple):
    """A field of a class; `type` is a schema that refers to other classes by their names."""

    attribute: str
    property: str
    type: Json
    is_required: bool
    #: Whether null is a value that the schema accepts, and not only a way to omit the field.
    is_nullable: bool
    description: str
    #: A tuple with the default, so that a default of null differs from no default.
    default: tuple[object, ...]


class ModelClass(NamedTuple):
    """A class for an object; `is_closed` where the schema forbids other properties."""

    name: str
    description: str
    is_closed: bool
    fields: tuple[ModelField, ...]


class ModelAlias(NamedTuple):
    """A name for a type that is no class."""

    name: str
    description: str
    type: Json


class ImportedType(NamedTuple):
    """A class or alias of a definition, from its module below `definitions`."""

    name: str
    module: str
    #: The schema behind an alias; None for a class.
    alias: Json | None


class ModelsPlan(NamedTuple):
    """A module of models: its own types by name, and those that it imports."""

    description: str
    types: Mapping[str, ModelClass | ModelAlias]
    imports: tuple[ImportedType, ...]


def class_reference(name: str) -> Json:
    """The schema that stands for a class."""
    return {"$ref": f"#/$defs/{name}"}


def referenced_classes(schema: object) -> set[str]:
    """The names of all classes that a schema refers to."""
    if isinstance(schema, list):
        return {name for inner in schema for name in referenced_classes(inner)}
    if not isinstance(schema, dict):
        return set()
    if isinstance(schema.get("$ref"), str):
        return {schema["$ref"].rsplit("/", 1)[-1]}
    # The values of an enum are data, whatever they look like.
    return {
        name for key, inner in schema.items() if key != "enum" for name in referenced_classes(inner)
    }


def types_used_by(model: ModelClass | ModelAlias) -> list[str]:
    """The names of the types that a class or alias refers to, in the order of its fields."""
    schemas = [model.type] if isinstance(model, ModelAlias) else [f.type for f in model.fields]
    names = (name for schema in schemas for name in sorted(referenced_classes(schema)))
    return list(dict.fromkeys(names))
