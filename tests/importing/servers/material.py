"""Servers that publish what a test wants, the files of clients that name them, and the import."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from toolfold.manifest.load import load
from toolfold.manifest.schema import Manifest

from tests.importing.material import tool
from tests.importing.servers import program
from tests.support.commands import Result, toolfold
from tests.support.projects import Json

PROGRAM: Final = str(Path(program.__file__))
READS: Final = {"readOnlyHint": True}


def publish(folder: Path, name: str, *tools: Json) -> list[str]:
    """Have a server publish these tools from now on; the command that starts it."""
    path = folder / f"{name}.tools.json"
    path.write_text(json.dumps(tools), encoding="utf-8")
    return [sys.executable, "-S", "-E", PROGRAM, str(path)]


def entry(command: Sequence[str], **more: Any) -> Json:
    """A server in a client's file."""
    return {"command": command[0], "args": list(command[1:]), **more}


def config(folder: Path, servers: Json, name: str = "mcp.json", key: str = "mcpServers") -> str:
    """A client's file that names these servers; its name."""
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(json.dumps({key: servers}), encoding="utf-8")
    return name


def import_mcp(folder: Path, *arguments: str) -> Result:
    """`toolfold import mcp`, which must never be a bug."""
    done = toolfold(folder, "import", "mcp", *arguments)
    assert "this is a bug" not in done.err, done.err
    return done


def imported(folder: Path, *arguments: str) -> Result:
    """An import that must succeed."""
    done = import_mcp(folder, *arguments)
    assert done.code == 0, done.text
    return done


def shop(folder: Path, *tools: Json, name: str = "shop", **more: Any) -> str:
    """A client's file with one server of these tools."""
    return config(folder, {name: entry(publish(folder, name, *tools), **more)}, f"{name}.json")


def manifest(folder: Path) -> Manifest:
    return load(folder / "tools.yaml").manifest


def names(folder: Path) -> dict[str, str]:
    """The id of every tool to its name in the manifest."""
    read = manifest(folder)
    return {read.id_of(name): name for name in read.tools}


__all__ = ["PROGRAM", "READS", "config", "entry", "import_mcp", "imported", "manifest", "names"]
__all__ += ["publish", "shop", "tool"]
