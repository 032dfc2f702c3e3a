"""openai-agents: the function tools of an agent, with strict schemas where they can be strict."""

import json
from functools import partial
from typing import Any

from agents import Agent, RunContextWrapper
from agents.mcp import MCPServerStdio, MCPServerStreamableHttp
from agents.tool_context import ToolContext

from tests.clients.programs.report import Calls, Json, answer, image, main, seen

_STRICT = {"convert_schemas_to_strict": True}


async def session(target: Json, calls: Calls) -> Json:
    server_class = MCPServerStreamableHttp if "url" in target else MCPServerStdio
    async with server_class(target) as server:
        agent = Agent(name="notes", mcp_servers=[server], mcp_config=_STRICT)
        tools = {tool.name: tool for tool in await agent.get_mcp_tools(RunContextWrapper(None))}
        return await seen(
            tools, lambda tool: tool.params_json_schema, partial(_called, server), calls
        )


async def _called(server: Any, tool: Any, arguments: Json) -> Json:
    """What the model is told, beside what the same call gives to a program."""
    given = json.dumps(arguments)
    context = ToolContext(None, tool_name=tool.name, tool_call_id="1", tool_arguments=given)
    output = await tool.on_invoke_tool(context, given)
    blocks = [_block(one) for one in (output if isinstance(output, list) else [output])]
    result = await server.call_tool(tool.name, arguments)
    return answer(blocks, is_error=bool(result.is_error), structured=result.structured_content)


def _block(output: Json) -> Json:
    if output["type"] != "image":
        return output
    return image(*output["image_url"].removeprefix("data:").split(";base64,"))


if __name__ == "__main__":
    main(session)
