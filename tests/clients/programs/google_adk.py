"""google-adk: the tools of an McpToolset, as they are declared to its models."""

from typing import Any
from unittest.mock import MagicMock

from google.adk.tools.mcp_tool import (
    McpToolset,
    StdioConnectionParams,
    StreamableHTTPConnectionParams,
)
from mcp import StdioServerParameters

from tests.clients.programs.report import Calls, Json, answer, main, seen

_PATIENCE = 240  # seconds; its own is 5


async def session(target: Json, calls: Calls) -> Json:
    toolset = McpToolset(connection_params=_parameters(target))
    try:
        tools = {tool.name: tool for tool in await toolset.get_tools()}
        return await seen(tools, _declared, _called, calls)
    finally:
        await toolset.close()


def _parameters(target: Json) -> Any:
    if "url" in target:
        return StreamableHTTPConnectionParams(**target, timeout=_PATIENCE)
    return StdioConnectionParams(server_params=StdioServerParameters(**target), timeout=_PATIENCE)


def _declared(tool: Any) -> Any:
    declaration = tool._get_declaration()
    return declaration.parameters_json_schema or declaration.parameters.model_dump(mode="json")


async def _called(tool: Any, arguments: Json) -> Json:
    # Without a confirmation or credentials a tool asks nothing of its context.
    result = await tool.run_async(args=arguments, tool_context=MagicMock())
    structured = result.get("structuredContent")
    return answer(result["content"], is_error=result["isError"], structured=structured)


if __name__ == "__main__":
    main(session)
