"""Saved tool lists in the forms they come in, as one list of foreign tools."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from toolfold.errors import UsageError

Json = dict[str, Any]

_LONGEST_KEY: Final = 1000  # YAML reads no longer ones


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
    listed = document.get("tools") if isinstance(document, dict) else document
    if not isinstance(listed, list):
        raise UsageError(f"{file}: not a saved `tools/list` answer: no list of tools")
    server = document.get("server") if isinstance(document, dict) else None
    default = server if isinstance(server, str) and server else file.stem
    for index, tool in enumerate(listed):
        yield _tool(tool, default, f"{file}: tools[{index}]")


def _load(file: Path) -> Any:
    try:
        data = file.read_bytes()
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


def _tool(tool: Any, default_server: str, where: str) -> ForeignTool:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str) or not tool["name"]:
        raise UsageError(f"{where}: not a tool with a name")
    schema = tool.get("inputSchema")
    if schema is not None and not isinstance(schema, dict):
        raise UsageError(f"{where} ({tool['name']}): inputSchema is not an object")
    server = tool.get("server")
    return ForeignTool(
        server=_text(server) if isinstance(server, str) and server else default_server,
        name=_text(tool["name"]),
        description=_text(tool.get("description")),
        input_schema=_clean(schema or {}),
        output_schema=_clean(_object(tool.get("outputSchema"))) or None,
        title=" ".join(_text(tool.get("title")).split()) or None,
        annotations=_clean(_object(tool.get("annotations"))),
        meta=_clean(_object(tool.get("_meta"))),
    )


def _object(value: Any) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    """Text that can be written: JSON may hold halves of characters, files cannot."""
    if not isinstance(value, str):
        return ""
    return value.encode("utf-8", "replace").decode("utf-8") if _is_broken(value) else value


def _is_broken(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _clean(value: Any) -> Any:
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, dict):
        if any(len(key) > _LONGEST_KEY for key in value):
            raise UsageError(f"a property name of more than {_LONGEST_KEY} characters")
        return {_text(key): _clean(inner) for key, inner in value.items()}
    return [_clean(inner) for inner in value] if isinstance(value, list) else value
