"""The other side of `serve.py`: a bare low-level SDK server with three tools.

Run as `bare_server.py` for stdio, `bare_server.py PORT` for HTTP.
"""

import sys
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [
    types.Tool(name=name, description="Says what it was told", input_schema=SCHEMA)
    for name in ("echo", "repeat", "say")
]


async def list_tools(_: Any, params: Any) -> types.ListToolsResult:
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(_: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = str((params.arguments or {})["text"])
    return types.CallToolResult(content=[types.TextContent(text=text)])


SERVER: Server[Any] = Server(
    "bare",
    version="1",
    on_list_tools=list_tools,
    on_call_tool=call_tool,
    get_tool_input_schema=lambda name: SCHEMA,
)


async def over_stdio() -> None:
    async with stdio_server() as (incoming, outgoing):
        await SERVER.run(incoming, outgoing, SERVER.create_initialization_options())


def over_http(port: int) -> None:
    import uvicorn

    app = SERVER.streamable_http_app(stateless_http=True, json_response=True)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    over_http(int(sys.argv[1])) if len(sys.argv) > 1 else anyio.run(over_stdio)
