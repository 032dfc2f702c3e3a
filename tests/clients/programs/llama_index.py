"""llama-index: the function tools of an McpToolSpec, which connects anew for every call."""

from typing import Any

from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

from tests.clients.programs.report import Calls, Json, answer, dumped, main, seen


async def session(target: Json, calls: Calls) -> Json:
    if "url" in target:
        client = BasicMCPClient(target["url"])
    else:
        client = BasicMCPClient(target["command"], args=target["args"], env=target["env"])
    listed = await McpToolSpec(client).to_tool_list_async()
    tools = {tool.metadata.get_name(): tool for tool in listed}
    return await seen(tools, lambda tool: tool.metadata.get_parameters_dict(), _called, calls)


async def _called(tool: Any, arguments: Json) -> Json:
    result = (await tool.acall(**arguments)).raw_output
    content = dumped(result.content)
    return answer(content, is_error=result.is_error, structured=result.structured_content)


if __name__ == "__main__":
    main(session)
