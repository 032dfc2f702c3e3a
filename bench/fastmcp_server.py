"""FastMCP over stdio with its search transform, for bench/peers.py: `fastmcp_server.py LIST`.

LIST is a saved list of tools. They answer at once and validate nothing, as those of the other
sides do; clients see two tools, `search_tools` and `call_tool`.
"""

import json
import sys
from pathlib import Path
from typing import Any

from fastmcp import FastMCP
from fastmcp.server.transforms.search.bm25 import BM25SearchTransform
from fastmcp.tools.base import Tool, ToolResult


class Answering(Tool):  # type: ignore[misc]  # types must not depend on what only benchmarks install
    """A real tool that does nothing."""

    async def run(self, arguments: dict[str, Any]) -> ToolResult:
        return ToolResult(structured_content={})


def names(tools: list[dict[str, Any]]) -> list[str]:
    """A name for each tool that no other has."""
    return [f"{number}_{tool['name']}"[:120] for number, tool in enumerate(tools)]


def main() -> None:
    tools = json.loads(Path(sys.argv[1]).read_bytes())["tools"]
    server = FastMCP("drawn")
    for name, tool in zip(names(tools), tools, strict=True):
        server.add_tool(
            Answering(
                name=name, description=tool.get("description"), parameters=tool["inputSchema"]
            )
        )
    server.add_transform(BM25SearchTransform(max_results=5))
    server.run(transport="stdio", show_banner=False)


if __name__ == "__main__":
    main()
