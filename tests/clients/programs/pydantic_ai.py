"""pydantic-ai: the tools of an MCPToolset, called as an agent calls them."""

import base64
import json
from functools import partial
from typing import Any

from fastmcp.client.transports import StdioTransport
from pydantic_ai import BinaryContent, ModelRetry, RunContext
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.test import TestModel
from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer
from pydantic_ai.usage import RunUsage

from tests.clients.programs.report import Calls, Json, answer, image, main, seen, text


async def session(target: Json, calls: Calls) -> Json:
    client = target["url"] if "url" in target else StdioTransport(**target, keep_alive=False)
    context = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    async with MCPToolset(client) as toolset:
        tools = await toolset.get_tools(context)
        called = partial(_called, toolset, context)
        return await seen(tools, _shown, called, calls, _strict)


def _shown(tool: Any) -> Any:
    return tool.tool_def.parameters_json_schema


def _strict(tool: Any) -> Any:
    return OpenAIJsonSchemaTransformer(_shown(tool), strict=True).walk()


async def _called(toolset: Any, context: Any, tool: Any, arguments: Json) -> Json:
    valid = tool.args_validator.validate_python(arguments)
    try:
        result = await toolset.call_tool(tool.tool_def.name, valid, context, tool)
    except ModelRetry as error:
        return text(error.message, is_error=True)
    if isinstance(result, BinaryContent):
        data = base64.b64encode(result.data).decode()
        return answer([image(result.media_type, data)], is_error=False)
    if isinstance(result, str):
        return text(result)
    # Data: structured content where there is some, otherwise text that is JSON.
    return text(json.dumps(result), structured=result)


if __name__ == "__main__":
    main(session)
