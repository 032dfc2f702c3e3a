"""Reading saved tool lists, in each of their layouts, as one list of foreign tools."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NoReturn

from pydantic import ValidationError
from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.manifest.schema import Icon

_IMPORTED_KEYS: Final = frozenset(
    {"server", "name", "title", "description", "annotations", "icons", "_meta"}
    | {"inputSchema", "outputSchema"}
)
_MAX_BYTES: Final = 1 << 28
_MAX_KEY_LENGTH: Final = 1000  # YAML reads no longer ones
_MAX_DEPTH: Final = 200  # the manifest's own limit is lower; this one keeps reading finite


@dataclass(frozen=True)
class ForeignTool:
    """A tool as its server described it; `server` and `name` together identify it."""

    server: str
    name: str
    description: str
    input_schema: Json
    output_schema: Json | None = None
    title: str | None = None
    annotations: Json = field(default_factory=dict)
    meta: Json = field(default_factory=dict)
    icons: list[Json] = field(default_factory=list)
    #: The file it was read from, and the names of its fields that a manifest has no place for.
    file: str = ""
    omitted: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """`server::tool`, as it was where the tool came from."""
        return f"{self.server}::{self.name}"


def read_tools(files: list[Path]) -> list[ForeignTool]:
    """Every tool of every file, in order.

    Raises UsageError for a file that is no tool list, for a tool without a name, and for two
    tools with the same id.
    """
    tools = [tool for file in files for tool in _tools(file)]
    if not tools:
        raise UsageError(f"{', '.join(map(str, files))}: no tools in there")
    seen: set[str] = set()
    for tool in tools:
        if tool.id in seen:
            raise UsageError(f"{tool.id}: listed twice; rename one of the files to tell them apart")
        seen.add(tool.id)
    return tools


def _tools(file: Path) -> Iterator[ForeignTool]:
    document = _load(file)
    if isinstance(document, dict) and isinstance(document.get("result"), dict):
        document = document["result"]  # a whole JSON-RPC answer
    if isinstance(document, dict) and document.get("nextCursor"):
        raise UsageError(f"{file}: only the first page of a list (it has a nextCursor); save all")
    listed = document.get("tools") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise UsageError(f"{file}: not a saved `tools/list` answer: no list of tools")
    server = document.get("server") if isinstance(document, dict) else None
    default = server if isinstance(server, str) and server else file.stem
    for index, tool in enumerate(listed):
        yield replace(foreign_tool(tool, default, f"{file}: tools[{index}]"), file=str(file))


def _load(file: Path) -> Any:
    try:
        with file.open("rb") as opened:  # also a pipe: the answer may come from another program
            data = opened.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise UsageError(f"{file}: more than {_MAX_BYTES:,} bytes; save it in several files")
        return json.loads(data, parse_constant=_refuse_constant, parse_float=_finite)
    except OSError as error:
        raise UsageError(f"{file}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file}: not JSON: {error}") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    number = float(text)
    return number if math.isfinite(number) else _refuse_constant(text)


def foreign_tool(tool: Any, default_server: str, where: str) -> ForeignTool:
    """A tool in the protocol's form; UsageError where no manifest can hold it."""
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or not tool["name"]:
        raise UsageError(f"{where}: not a tool with a name")
    where = f"{where} ({tool['name'][:100]!a})"
    server = tool.get("server") or default_server
    if not isinstance(server, str):
        raise UsageError(f"{where}: server is not text")
    schema = _object(tool, "inputSchema", where) or {}
    if schema.get("type", "object") != "object":
        raise UsageError(f"{where}: the root type of inputSchema is not object")
    icons = _icons(tool.get("icons"))
    foreign = ForeignTool(
        server=server,
        name=tool["name"],
        description=_text(tool.get("description")),
        input_schema=schema,
        output_schema=_object(tool, "outputSchema", where),
        title=" ".join(_text(tool.get("title")).split()) or None,
        annotations=_object(tool, "annotations", where) or {},
        meta=_object(tool, "_meta", where) or {},
        icons=icons or [],
        omitted=tuple(_omitted(tool, has_icons=icons is not None)),
    )
    exact = [server, foreign.name, schema, foreign.output_schema, foreign.annotations, foreign.meta]
    _refuse_unwritable([*exact, foreign.icons], where)
    return foreign


def _object(tool: Json, key: str, where: str) -> Json | None:
    value = tool.get(key)
    if value is None or isinstance(value, dict):
        return value
    raise UsageError(f"{where}: {key} is not an object")


def _icons(value: Any) -> list[Json] | None:
    """A tool's icons; None where one is invalid or a manifest has no place for it."""
    try:
        return [dict(one) for one in value or [] if Icon.model_validate(one)]
    except (TypeError, ValidationError):
        return None


def _omitted(tool: Json, *, has_icons: bool) -> Iterator[str]:
    for key, value in tool.items():
        if value is not None and (key not in _IMPORTED_KEYS or (key == "icons" and not has_icons)):
            yield key


def _text(value: object) -> str:
    """Text without half characters, which a truncated description may end with."""
    return value.encode("utf-8", "replace").decode("utf-8") if isinstance(value, str) else ""


def _refuse_unwritable(values: list[object], where: str) -> None:
    """Raise UsageError for what no file can hold: names and schemas are imported exactly."""
    waiting: list[tuple[object, int]] = [(value, 0) for value in values]
    while waiting:
        value, depth = waiting.pop()
        if depth > _MAX_DEPTH:
            raise UsageError(f"{where}: nested too deeply")
        if isinstance(value, dict):
            if any(len(json.dumps(key)) > _MAX_KEY_LENGTH for key in value):
                raise UsageError(
                    f"{where}: a property name of more than {_MAX_KEY_LENGTH} characters"
                )
            waiting += [(inner, depth + 1) for pair in value.items() for inner in pair]
        elif isinstance(value, list):
            waiting += [(inner, depth + 1) for inner in value]
        elif isinstance(value, str) and any("\ud800" <= c <= "\udfff" for c in value):
            raise UsageError(f"{where}: half of a character in {value[:60]!a}")
