"""mcp-use with its LangChain adapter, which sends null for every parameter that was not given."""

from typing import Any

from mcp_use import MCPClient
from mcp_use.agents.adapters import LangChainAdapter

from tests.clients.programs.report import Calls, Json, answer, image, main, seen, text


async def session(target: Json, calls: Calls) -> Json:
    client = MCPClient.from_dict({"mcpServers": {"notes": target}})
    try:
        tools = {tool.name: tool for tool in await LangChainAdapter().create_tools(client)}
        return await seen(tools, _shown, _called, calls)
    finally:
        await client.close_all_sessions()


def _shown(tool: Any) -> Any:
    return tool.args_schema.model_json_schema()


async def _called(tool: Any, arguments: Json) -> Json:
    result = await tool.ainvoke(arguments)
    if isinstance(result, str):
        return text(result)
    if isinstance(result, dict):  # its report of an error
        return text(result["details"], is_error=True)
    return answer([_block(one) for one in result], is_error=False)


def _block(block: Json) -> Json:
    return image(block["mime_type"], block["data"]) if block["type"] == "image" else block


if __name__ == "__main__":
    main(session)
