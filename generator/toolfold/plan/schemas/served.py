"""The schemas that are served and validated: the source as written, in one document per tool."""

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolfold.manifest.schema import Tool
from toolfold.manifest.tree import ManifestPath
from toolfold.plan.schemas.keywords import SchemaPath, walk

Schema = dict[str, Any]


@dataclass(frozen=True)
class Origin:
    """A schema of a tool, and where each of its parts stands in the manifest."""

    schema: Schema
    base: ManifestPath
    is_foreign: bool
    is_parameters: bool = False

    def manifest_path(self, path: SchemaPath) -> ManifestPath:
        """The manifest path of a path into the schema."""
        if not self.is_foreign and path[:1] == ("$defs",):
            return path
        if self.is_parameters:
            if path[:1] == ("required",) and len(path) == 1:
                return self.base
            path = path[1:]
        return (*self.base, *path)


def input_origin(name: str, tool: Tool, defs: dict[str, Schema]) -> Origin:
    """The schema of a tool's arguments."""
    if tool.input_schema is not None:
        schema = _without_nulls(tool.input_schema)
        schema.setdefault("type", "object")
        return Origin(schema, ("tools", name, "input_schema"), is_foreign=True)
    base = ("tools", name, "parameters")
    return Origin(_from_parameters(tool.parameters or {}, defs), base, False, is_parameters=True)


def output_origin(name: str, tool: Tool, defs: dict[str, Schema]) -> Origin | None:
    """The schema of a tool's result, if it declares one."""
    if tool.output_schema is not None:
        schema = _without_nulls(tool.output_schema)
        return Origin(schema, ("tools", name, "output_schema"), is_foreign=True)
    if tool.returns is None:
        return None
    schema = dict(tool.returns)
    _add_definitions(schema, defs)
    return Origin(schema, ("tools", name, "returns"), is_foreign=False)


def served_output(schema: Schema) -> tuple[Schema, bool]:
    """The output schema that clients accept, and whether results are wrapped to fit it.

    Handshake-era clients refuse a root that is not plainly an object.
    """
    if schema.get("type") == "object" and "$ref" not in schema:
        return schema, False
    inner = {key: value for key, value in schema.items() if key not in ("$defs", "$schema")}
    wrapped: Schema = {"type": "object", "properties": {"result": inner}, "required": ["result"]}
    wrapped |= {key: schema[key] for key in ("$defs", "$schema") if key in schema}
    return _moved_references(wrapped), True


def references(schema: Any) -> Iterator[tuple[SchemaPath, str]]:
    """Every `$ref` in a schema, with its path."""
    for path, inner in walk(schema):
        if isinstance(inner, dict) and isinstance(inner.get("$ref"), str):
            yield (*path, "$ref"), inner["$ref"]


def _without_nulls(schema: Schema) -> Schema:
    """A foreign root less the empty lists that some servers send as null; no client takes them."""
    return {
        key: value
        for key, value in schema.items()
        if value is not None or key not in ("properties", "required")
    }


def _from_parameters(parameters: dict[str, Schema], defs: dict[str, Schema]) -> Schema:
    """One closed object: an argument that the manifest does not declare is a mistake."""
    schema: Schema = {"type": "object", "properties": {}}
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
    _add_definitions(schema, defs)
    return schema


def _add_definitions(schema: Schema, defs: dict[str, Schema]) -> None:
    """Add the shared definitions that the schema reaches, in the manifest's order."""
    needed: set[str] = set()
    waiting = [schema]
    while waiting:
        for _, reference in references(waiting.pop()):
            name = reference.removeprefix("#/$defs/").split("/")[0]
            if reference.startswith("#/$defs/") and name in defs and name not in needed:
                needed.add(name)
                waiting.append(defs[name])
    if needed:
        schema["$defs"] = {name: defs[name] for name in defs if name in needed}


def _moved_references(wrapped: Schema) -> Schema:
    """References to the old root follow it to where it now stands."""
    moved = copy.deepcopy(wrapped)
    for _, inner in walk(moved):
        if not isinstance(inner, dict) or not isinstance(inner.get("$ref"), str):
            continue
        reference = inner["$ref"]
        if reference == "#" or (
            reference.startswith("#/") and not reference.startswith("#/$defs/")
        ):
            inner["$ref"] = "#/properties/result" + reference[1:]
    return moved
