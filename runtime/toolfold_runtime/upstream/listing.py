"""What a server publishes, asked for once: for importing, for checks, and for `toolfold servers`."""

import asyncio
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.secrets import MissingVariableError, expand, require_variables

#: Pages of a list that are read; one that goes on is no list.
MOST_PAGES: Final = 1_000


class LiveServer(NamedTuple):
    """A server as it describes itself; definitions of tools are exactly as published."""

    name: str | None
    version: str | None
    instructions: str | None
    protocol_version: str
    tools: list[Json]


async def live_server(server: UpstreamServer, seconds: float) -> LiveServer:
    """Connect, list all pages of the tools, and close again; UpstreamError says what is wrong."""
    from mcp import Client

    try:
        require_variables(server)
        async with asyncio.timeout(seconds), Client(_transport(server), cache=None) as client:
            info = client.server_info
            return LiveServer(
                info.name if info else None,
                info.version if info else None,
                client.instructions,
                client.protocol_version,
                await _tools(client),
            )
    except MissingVariableError as error:
        raise UpstreamError(str(error)) from None
    except TimeoutError:
        raise UpstreamError(f"no answer within {seconds:g} s") from None
    except Exception as error:
        raise UpstreamError(str(error)) from None


def _transport(server: UpstreamServer) -> AbstractAsyncContextManager[Any]:
    from mcp import StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    if server.url is not None:
        return streamable_http_client(expand(server.url))
    command, *arguments = map(expand, server.command)
    env = {name: expand(value) for name, value in server.env.items()}
    cwd = expand(server.cwd) if server.cwd else None
    return stdio_client(StdioServerParameters(command=command, args=arguments, env=env, cwd=cwd))


async def _tools(client: Any) -> list[Json]:
    tools: list[Json] = []
    cursor: str | None = None
    for _ in range(MOST_PAGES):
        page = await client.list_tools(cursor=cursor)
        tools += [
            tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools
        ]
        cursor = page.next_cursor
        if cursor is None:
            break
    return tools
