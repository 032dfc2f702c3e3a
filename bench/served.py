"""Servers to measure: generated ones of so many real tools, and a bare one of the SDK."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from toolfold_runtime.contract.definition import Definition

from bench.catalogs import draw
from bench.measure import python, run
from bench.session import Session

ROOT = Path(__file__).resolve().parents[1]
BARE = ROOT / "bench" / "bare_server.py"
IMPLEMENTATION = '''
class Anything:
    """Every tool answers at once."""

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)

        async def method(params):
            return {}

        return method
'''


class Project:
    """A generated server of so many real tools."""

    def __init__(self, size: int, folder: Path) -> None:
        self.folder = folder / f"serve-{size}"
        self.folder.mkdir()
        self.listed = draw(size, self.folder)
        run(python("-m", "toolfold", "import", "tools", str(self.listed)), self.folder)
        manifest = self.folder / "tools.yaml"
        text = manifest.read_text(encoding="utf-8")
        text = text.replace("server:\n", "server:\n  implementation: anything:Anything\n", 1)
        manifest.write_text(text, encoding="utf-8")
        (self.folder / "anything.py").write_text(IMPLEMENTATION, encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), self.folder)
        self.tool = self._callable_tool()
        (self.folder / "curated.yaml").write_text(
            f"tools: {{{self.tool}: {{effect: read, proposed: null}}}}\n", encoding="utf-8"
        )
        manifest.write_text(f"{text}overlays: [curated.yaml]\n", encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), self.folder)

    def session(self) -> Session:
        """A new server process over stdio, progressive."""
        command = python("-m", "drawn_mcp.server", "--exposure", "progressive")
        return Session(command, self.folder, {"PYTHONPATH": str(self.folder / "generated")})

    def calls(self) -> dict[str, tuple[str, dict[str, Any]]]:
        """What is measured, by name."""
        return {
            "capabilities": ("capabilities", {}),
            "tool_schema": ("tool_schema", {"tool": self.tool}),
            "search_tools by name": ("search_tools", {"query": self.tool}),
            "a direct call": (self.tool, {}),
            "run_read": ("run_read", {"tool": self.tool}),
        }

    def _callable_tool(self) -> str:
        """A tool in the middle that wants no arguments and promises no result."""
        from importlib import import_module

        sys.path.insert(0, str(self.folder / "generated"))
        for name in [name for name in sys.modules if name.startswith("drawn_mcp")]:
            del sys.modules[name]
        catalog = import_module("drawn_mcp.catalog").CATALOG
        sys.path.pop(0)
        names = [n for n in catalog.names() if _is_free(catalog.entry(n).definition)]
        return str(names[len(names) // 2])


def _is_free(definition: Definition) -> bool:
    schema = definition.input_schema
    return not schema.get("required") and definition.output_schema is None


def bare_session() -> Session:
    """A new bare server over stdio."""
    return Session(python(str(BARE)), ROOT, {})


def start(session: Callable[[], Session]) -> float:
    """CPU from nothing to the first list of tools."""
    with session() as server:
        server.request("tools/list", {})
        return server.cpu()
