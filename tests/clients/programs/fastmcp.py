"""FastMCP's client."""

from functools import partial
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError

from tests.clients.programs.report import Calls, Json, answer, dumped, main, seen, text


async def session(target: Json, calls: Calls) -> Json:
    transport = target["url"] if "url" in target else StdioTransport(**target, keep_alive=False)
    async with Client(transport) as client:
        tools = {tool.name: tool for tool in await client.list_tools()}
        return await seen(tools, lambda tool: tool.input_schema, partial(_called, client), calls)


async def _called(client: Any, tool: Any, arguments: Json) -> Json:
    try:
        result = await client.call_tool(tool.name, arguments)
    except ToolError as error:
        return text(str(error), is_error=True)
    return answer(dumped(result.content), is_error=False, structured=result.structured_content)


if __name__ == "__main__":
    main(session)
