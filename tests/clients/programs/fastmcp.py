"""FastMCP's client."""

from functools import partial
from typing import Any

from fastmcp import Client
from fastmcp.client.transports import StdioTransport
from fastmcp.exceptions import ToolError
from pydantic_core import to_jsonable_python

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
    # What it makes of structured content by the output schema, out of the object around a list.
    data = to_jsonable_python(result.data) if result.structured_content else None
    return answer(dumped(result.content), is_error=False, structured=data)


if __name__ == "__main__":
    main(session)
