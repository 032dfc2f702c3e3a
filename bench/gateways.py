"""Gateways to measure: generated ones in front of servers that cost next to nothing."""

import json
import sys
from pathlib import Path
from typing import Any

from bench.measure import python, run
from bench.served import BARE, ROOT
from bench.session import Session

Json = dict[str, Any]

STUB = ROOT / "tests" / "upstream" / "stub.py"
TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}


class Gateway:
    """A generated gateway in front of servers, each with tools that echo their input."""

    def __init__(self, folder: Path, servers: dict[str, Json], tools: dict[str, Json]) -> None:
        self.folder = folder
        folder.mkdir()
        manifest = {
            "toolfold": 1,
            "server": {"name": "gateway", "version": "1", "package": "gateway_mcp"},
            "categories": {"all": {}},
            "tools": tools,
            **({"servers": servers} if servers else {}),
        }
        (folder / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), folder)

    def session(self) -> Session:
        """A new gateway process over stdio."""
        command = python("-m", "gateway_mcp.server")
        return Session(command, self.folder, {"PYTHONPATH": str(self.folder / "generated")})


def tool_of(server: str, name: str, description: str, schema: Json = TEXT) -> Json:
    """A tool of a server, as an import writes it."""
    return {
        "id": f"{server}::{name}",
        "category": "all",
        "effect": "read",
        "summary": f"The {name} of {server}",
        "description": description,
        "input_schema": schema,
    }


def before_bare_server(folder: Path) -> Gateway:
    """A gateway in front of the bare SDK server."""
    tools = {
        name: tool_of("bare", name, "Says what it was told") for name in ("echo", "repeat", "say")
    }
    return Gateway(folder, {"bare": {"command": [sys.executable, str(BARE)]}}, tools)


def declared(folder: Path, count: int, *, with_servers: bool = True) -> Gateway:
    """A gateway with ten tools of each of so many servers; without them, tools that are only described."""
    names = [f"server{number}" for number in range(count)]
    tools = {
        f"{server}_tool{number}": tool_of(server, f"tool{number}", f"Does {number} for {server}")
        for server in names
        for number in range(10)
    }
    servers = {name: {"command": ["no-such-program", name]} for name in names}
    return Gateway(folder, servers if with_servers else {}, tools)


def before_stubs(folder: Path, count: int, **more: Any) -> Gateway:
    """A gateway in front of so many servers in plain Python, each with `echo` and `pid`."""
    schema = {"type": "object", "properties": {"text": {"type": "string"}}}
    servers, tools = {}, {}
    for number in range(count):
        name = f"stub{number}"
        servers[name] = {"command": [sys.executable, "-S", "-E", str(STUB)], **more}
        for tool in ("echo", "pid"):
            entry = tool_of(name, tool, f"What {tool} does", schema)
            if tool == "echo":
                entry |= {"title": "Echo", "annotations": {"readOnlyHint": True}}
            tools[f"{name}_{tool}"] = entry
    return Gateway(folder, servers, tools)
