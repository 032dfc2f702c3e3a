"""A part of a tool's schemas, asked for by a path: `create_issue.labels`, `create_issue.returns.user`."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError, unknown
from toolfold_runtime.jsontext import compact, shortened
from toolfold_runtime.shown.parts import at_path, merged, target_of
from toolfold_runtime.shown.schema import shown_schema

if TYPE_CHECKING:
    from toolfold_runtime.catalog.catalog import Catalog

_BUDGET: Final = 6_000
#: The step to the schema of a tool's result, unless an argument has this name.
RETURNS: Final = "returns"
_MOST_SHOWN: Final = 50


def tool_of_part(name: str, knows: Callable[[str], bool]) -> str:
    """The tool that a name with a path begins with; ids may have dots in them, names do not."""
    end = name.find(".")
    while end >= 0:
        if knows(name[:end]):
            return name[:end]
        end = name.find(".", end + 1)
    return name


def part_view(catalog: "Catalog", entry: ToolEntry, name: str) -> str:
    """The schema at a path, trimmed; ToolError with the known names if the path leads nowhere."""
    tool = tool_of_part(name, catalog.knows)
    path = name[len(tool) + 1 :]
    schema = catalog.input_schema(entry)
    part = _part(schema, path)
    if part is None and (path == RETURNS or path.startswith(f"{RETURNS}.")):
        schema, path = _result_schema(catalog, entry), path[len(RETURNS) + 1 :]
        part = _part(schema, path) if schema else None
        path = f"{RETURNS}.{path}".rstrip(".")
    if part is None:
        raise _unknown_path(catalog, entry, path)
    shown = shown_schema(part, _definitions(schema), _BUDGET)
    view: Json = {"name": f"{entry.name}.{path}", "schema": shown.schema}
    omitted = [f"{entry.name}.{path}.{cut_path}" for cut_path in shown.cut if cut_path != "."]
    if omitted:
        view["more"] = f"ask for what is left out by its path: {', '.join(omitted[:5])}"
    return compact(view)


def _result_schema(catalog: "Catalog", entry: ToolEntry) -> Json:
    if entry.http is not None and entry.http.has_answer_schema:
        return catalog.answer_schema(entry.name)
    return entry.definition.output_schema or {}


def _part(schema: Json, path: str) -> Any:
    return at_path(schema, path, _definitions(schema))


def _definitions(schema: Json) -> Callable[[str], Any]:
    definitions = schema.get("$defs")
    return definitions.get if isinstance(definitions, dict) else lambda name: None


def _unknown_path(catalog: "Catalog", entry: ToolEntry, path: str) -> ToolError:
    """The error for a path that leads nowhere, with the names that it could continue with."""
    schema = catalog.input_schema(entry)
    if path.startswith(f"{RETURNS}."):
        schema, path = _result_schema(catalog, entry), path.removeprefix(f"{RETURNS}.")
    target, _ = target_of(schema, _definitions(schema))
    properties = merged(target, _definitions(schema)).get("properties")
    names = list(properties)[:_MOST_SHOWN] if isinstance(properties, dict) else []
    return unknown("invalid_arguments", f"part of {entry.name}", shortened(path), names)
