"""A real MCP client: in memory, over stdio or HTTP, in either era of the protocol."""

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final, Literal

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client

from tests.support.commands import process_environment
from tests.support.projects import Json
from tests.support.waiting import PATIENCE

Era = Literal["legacy", "2026-07-28"]

MODERN: Final = "2026-07-28"
ERAS: Final[tuple[Era, ...]] = ("legacy", MODERN)


@dataclass(frozen=True)
class Answer:
    """What a call was answered."""

    text: str
    is_error: bool
    structured: Any
    parts: tuple[str, ...]


def connected(server: Any, era: Era = MODERN, **more: Any) -> Client:
    """A client of a server in this process, at an address, or started by its parameters."""
    return Client(server, mode=era, read_timeout_seconds=PATIENCE, **more)


@contextlib.asynccontextmanager
async def over_http(url: str, token: str) -> AsyncIterator[TransportStreams]:
    """How a client with a token reaches a server."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=PATIENCE) as http,
        streamable_http_client(url, http_client=http) as streams,
    ):
        yield streams


def over_stdio(command: list[str], **environment: str) -> StdioServerParameters:
    """How a client starts a server."""
    program, *arguments = command
    return StdioServerParameters(
        command=program, args=arguments, env=process_environment(environment)
    )


def listed(server: Any, era: Era = MODERN) -> list[types.Tool]:
    """Every tool that `tools/list` shows, over all of its pages."""
    return [tool for page in pages(server, era) for tool in page]


def pages(server: Any, era: Era = MODERN) -> list[list[types.Tool]]:
    """The pages of `tools/list`."""

    async def ask() -> list[list[types.Tool]]:
        async with connected(server, era) as client:
            page = await client.list_tools()
            tools = [page.tools]
            while page.next_cursor is not None:
                page = await client.list_tools(cursor=page.next_cursor)
                tools.append(page.tools)
            return tools

    return anyio.run(ask)


def names(server: Any, era: Era = MODERN) -> list[str]:
    """The names of the tools listed."""
    return [tool.name for tool in listed(server, era)]


def call(server: Any, tool: str, arguments: Json | None = None, era: Era = MODERN) -> Answer:
    """One call on a connection of its own."""

    async def ask() -> types.CallToolResult:
        async with connected(server, era) as client:
            return await client.call_tool(tool, arguments or {})

    return answer_of(anyio.run(ask))


def answer_of(result: types.CallToolResult) -> Answer:
    parts = tuple(part.text for part in result.content if isinstance(part, types.TextContent))
    return Answer("\n".join(parts), bool(result.is_error), result.structured_content, parts)
