"""langchain-mcp-adapters: tools of LangChain, called as the graph of an agent calls them."""

from typing import Any

from langchain_core.utils.function_calling import convert_to_openai_tool
from langchain_mcp_adapters.client import MultiServerMCPClient
from langchain_mcp_adapters.tools import load_mcp_tools

from tests.clients.programs.report import Calls, Json, answer, image, main, seen


async def session(target: Json, calls: Calls) -> Json:
    transport = "http" if "url" in target else "stdio"
    client = MultiServerMCPClient({"notes": {"transport": transport, **target}})
    async with client.session("notes") as connection:
        tools = {tool.name: tool for tool in await load_mcp_tools(connection)}
        return await seen(tools, lambda tool: tool.tool_call_schema, _called, calls, _strict)


def _strict(tool: Any) -> Any:
    return convert_to_openai_tool(tool, strict=True)["function"]["parameters"]


async def _called(tool: Any, arguments: Json) -> Json:
    call = {"type": "tool_call", "id": "1", "name": tool.name, "args": arguments}
    message = await tool.ainvoke(call)
    structured = (message.artifact or {}).get("structured_content")
    blocks = [_block(one) for one in message.content]
    return answer(blocks, is_error=message.status == "error", structured=structured)


def _block(block: Json) -> Json:
    return image(block["mime_type"], block["base64"]) if block["type"] == "image" else block


if __name__ == "__main__":
    main(session)
