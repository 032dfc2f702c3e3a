"""The schemas that are served and used for validation: as written, one document per tool."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.pointers import SchemaPath, reference_steps, resolve

from toolfold.errors import Severity
from toolfold.manifest.schema import Tool
from toolfold.manifest.tree import ManifestPath
from toolfold.plan.schemas.keywords import DEFINITIONS_PREFIX, walk

_DEEPEST: Final = 20


@dataclass(frozen=True)
class LocatedSchema:
    """A schema of a tool, and where each of its parts stands in the manifest."""

    schema: Json
    base: ManifestPath
    is_foreign: bool
    is_parameters: bool = False
    #: Whether it is only the manifest's `$defs`.
    is_definitions: bool = False
    #: Whether values must match the formats that the schema names.
    asserts_formats: bool = False
    #: Whether its `$defs` are the manifest's, and not its own.
    has_shared_definitions: bool = False

    @property
    def severity(self) -> Severity:
        """Hand-written schemas are held to everything; of foreign ones their author is warned."""
        return "warning" if self.is_foreign else "error"

    def has_own(self, path: SchemaPath) -> bool:
        """Whether a part belongs to this schema and not to the manifest's shared definitions."""
        is_shared = self.has_shared_definitions or not self.is_foreign
        return self.is_definitions or not is_shared or path[:1] != ("$defs",)

    def manifest_path(self, path: SchemaPath) -> ManifestPath:
        """The manifest path of a path into the schema."""
        if not self.is_foreign and path[:1] == ("$defs",):
            return path
        if self.is_parameters:
            if path[:1] == ("required",) and len(path) == 1:
                return self.base
            path = path[1:]
        return (*self.base, *path)


def input_schema(tool: Tool, definitions: Mapping[str, Json]) -> Json:
    """The schema of a tool's arguments, with the definitions that it refers to."""
    if tool.input_schema is None:
        return _from_parameters(tool.parameters or {}, definitions)
    schema = _without_nulls(tool.input_schema)
    schema.setdefault("type", "object")
    if tool.is_operation and "$defs" not in schema:
        _add_definitions(schema, definitions)
    return schema


def output_schema(tool: Tool, definitions: Mapping[str, Json]) -> Json | None:
    """The schema of a tool's result, with the definitions that it refers to; None without one.

    Where `returns` refers to an object, the schema is that object's.
    """
    schema = written_output(tool, definitions)
    if schema is None or tool.output_schema is not None:
        return schema
    return _object_referred_to(schema) or schema


def written_output(tool: Tool, definitions: Mapping[str, Json]) -> Json | None:
    """The schema of a tool's result as its author wrote it, with the definitions; None without one."""
    if tool.output_schema is not None:
        return _without_nulls(tool.output_schema)
    return None if tool.returns is None else with_definitions(tool.returns, definitions)


def with_definitions(schema: Json, definitions: Mapping[str, Json]) -> Json:
    """A hand-written schema as a document of its own."""
    document = dict(schema)
    _add_definitions(document, definitions)
    return document


def located_input(name: str, tool: Tool, definitions: Mapping[str, Json]) -> LocatedSchema:
    """The schema of a tool's arguments, with its place in the manifest."""
    schema = input_schema(tool, definitions)
    if tool.input_schema is not None:
        base = ("tools", name, "input_schema")
        return LocatedSchema(
            schema,
            base,
            is_foreign=True,
            asserts_formats=tool.asserts_input_formats,
            has_shared_definitions=tool.is_operation and "$defs" not in tool.input_schema,
        )
    base = ("tools", name, "parameters")
    return LocatedSchema(schema, base, is_foreign=False, is_parameters=True, asserts_formats=True)


def located_output(name: str, tool: Tool, definitions: Mapping[str, Json]) -> LocatedSchema | None:
    """The schema of a tool's result, with its place in the manifest; None without one."""
    schema = written_output(tool, definitions)
    if schema is None:
        return None
    is_foreign = tool.output_schema is not None
    base = ("tools", name, "output_schema" if is_foreign else "returns")
    return LocatedSchema(schema, base, is_foreign, asserts_formats=tool.asserts_output_formats)


def served_output(schema: Json) -> tuple[Json, bool]:
    """The output schema that clients accept, and whether results are wrapped to fit it.

    Handshake-era clients refuse a root that is not plainly an object.
    """
    if schema.get("type") == "object" and "$ref" not in schema:
        return schema, False
    inner = {key: value for key, value in schema.items() if key not in ("$defs", "$schema")}
    wrapped: Json = {"type": "object", "properties": {"result": inner}, "required": ["result"]}
    wrapped["x-fastmcp-wrap-result"] = True  # FastMCP's client gives its callers what is inside
    wrapped |= {key: schema[key] for key in ("$defs", "$schema") if key in schema}
    return _moved_references(wrapped), True


def _object_referred_to(schema: Json) -> Json | None:
    """The object that a root reference leads to, with its definitions; None where it is no object."""
    definitions = schema.get("$defs", {})
    root, seen = {k: v for k, v in schema.items() if k != "$defs"}, set[str]()
    while isinstance(root.get("$ref"), str) and root["$ref"] not in seen:
        seen.add(root["$ref"])
        target = resolve(schema, root["$ref"])
        rest = {key: value for key, value in root.items() if key != "$ref"}
        if not isinstance(target, dict) or rest.keys() & target.keys() - {"title", "description"}:
            return None
        root = target | rest
    if not _is_object(root, schema, 0):
        return None
    return with_definitions({"type": "object"} | root, definitions)


def _is_object(part: object, document: Json, depth: int) -> bool:
    """Whether a schema accepts nothing but objects, by its type or by a part of its `allOf`."""
    if not isinstance(part, dict) or depth > _DEEPEST:
        return False
    if isinstance(part.get("$ref"), str):
        return _is_object(resolve(document, part["$ref"]), document, depth + 1)
    if "type" in part:
        return bool(part["type"] == "object")
    return any(_is_object(inner, document, depth + 1) for inner in part.get("allOf", ()))


def references(schema: object) -> Iterator[tuple[SchemaPath, str]]:
    """Every `$ref` in a schema, with its path."""
    for path, inner in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("$ref"), str):
            yield (*path, "$ref"), inner["$ref"]


def reached_definitions(schema: object, definitions: Mapping[str, Json]) -> set[str]:
    """The names of the definitions that a schema refers to, directly or by others."""
    reached: set[str] = set()
    waiting = [schema]
    while waiting:
        for name in named_definitions(waiting.pop(), definitions) - reached:
            reached.add(name)
            waiting.append(definitions[name])
    return reached


def named_definitions(schema: object, definitions: Mapping[str, Json]) -> set[str]:
    """The names of the definitions that a schema itself refers to, whole or in part."""
    steps = (reference_steps(reference) or [] for _, reference in references(schema))
    names = {path[1] for path in steps if len(path) > 1 and path[0] == "$defs"}
    return names & definitions.keys()


def _without_nulls(schema: Json) -> Json:
    """A foreign schema without `properties` and `required` that are null, which clients refuse."""
    return {
        key: value
        for key, value in schema.items()
        if value is not None or key not in ("properties", "required")
    }


def _from_parameters(parameters: dict[str, Json], definitions: Mapping[str, Json]) -> Json:
    """The schema of an object with these properties and no others."""
    schema: Json = {"type": "object", "properties": {}}
    required = []
    for name, parameter in parameters.items():
        described = dict(parameter)
        if described.get("required") is True:
            required.append(name)
        if isinstance(described.get("required"), bool):
            del described["required"]
        schema["properties"][name] = described
    if required:
        schema["required"] = required
    schema["additionalProperties"] = False
    _add_definitions(schema, definitions)
    return schema


def _add_definitions(schema: Json, definitions: Mapping[str, Json]) -> None:
    """Add the shared definitions that the schema reaches, in the manifest's order."""
    reached = reached_definitions(schema, definitions)
    if reached:
        schema["$defs"] = {name: definitions[name] for name in definitions if name in reached}


def _moved_references(wrapped: Json) -> Json:
    """A copy whose references to the root, or below it, lead to where the root now is."""
    moved = copy.deepcopy(wrapped)
    for _, inner in walk(moved):
        if not isinstance(inner, dict) or not isinstance(inner.get("$ref"), str):
            continue
        reference = inner["$ref"]
        if reference == "#" or (
            reference.startswith("#/") and not reference.startswith(DEFINITIONS_PREFIX)
        ):
            inner["$ref"] = "#/properties/result" + reference[1:]
    return moved
