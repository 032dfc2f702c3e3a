"""The MCP server over a catalog: it picks and sends what was decided when generating."""

import contextlib
import sys
import traceback
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from toolfold_runtime.catalog import Catalog, Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.execute import Answer, Executor
from toolfold_runtime.meta import MetaTools
from toolfold_runtime.runners import asked_for, refuse_effect
from toolfold_runtime.serve import Handler

_PAGE: Final = 200
_CACHE_MS: Final = 3_600_000


async def run_stdio(server: Server[Any]) -> None:
    """Serve one client over standard input and output."""
    # What methods print goes to stderr, buffered or not: stdout belongs to the protocol.
    async with stdio_server() as (incoming, outgoing):
        try:
            with contextlib.redirect_stdout(sys.stderr):
                await server.run(incoming, outgoing, server.create_initialization_options())
        finally:
            if sys.__stdout__ is not None:
                sys.__stdout__.flush()


def build_server(
    catalog: Catalog, meta_tools: Mapping[str, Handler], executor: Executor, exposure: str
) -> Server[Any]:
    """A low-level SDK server that lists and calls the catalog's tools and the meta-tools."""
    facts = catalog.server
    calls = _Calls(catalog, meta_tools, executor, exposure)
    return Server(
        facts["name"],
        version=facts["version"],
        title=facts["title"],
        instructions=facts["instructions"],
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        get_tool_input_schema=calls.input_schema,
        cache_hints={"tools/list": CacheHint(ttl_ms=_CACHE_MS, scope="public")},
    )


class _Calls:
    """The two request handlers and what they share."""

    def __init__(
        self,
        catalog: Catalog,
        meta_tools: Mapping[str, Handler],
        executor: Executor,
        exposure: str,
    ) -> None:
        self.catalog = catalog
        self.meta_tools = MetaTools(catalog, meta_tools)
        self.executor = executor
        self.exposure = exposure
        self.facts = catalog.server
        self.meta = self.meta_tools.definitions

    async def list_tools(
        self, _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """One page of the list; the cursor is the number of tools already sent."""
        start = _position(params.cursor if params else None)
        names = self._listed()
        page = names[start : start + _PAGE]
        tools = [types.Tool.model_validate(self._definition(name)) for name in page]
        following = str(start + _PAGE) if start + _PAGE < len(names) else None
        return types.ListToolsResult(tools=tools, next_cursor=following)

    async def call_tool(
        self, _: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Any tool, by its own name; failures are answers that say what to do."""
        try:
            return await self._called(params.name, dict(params.arguments or {}))
        except ToolError as error:
            return _failure(f"{error.code}: {error.text}")
        except Exception as error:
            # The SDK would send the exception's text to the client.
            traceback.print_exception(error, file=sys.stderr)
            return _failure("backend_failed: the server failed; its log says why")

    def input_schema(self, name: str) -> Json | None:
        """A tool's input schema, so that the SDK need not list all tools to find it."""
        try:
            schema: Json = self._definition(name)["inputSchema"]
        except ToolError:
            return None
        return schema

    def _listed(self) -> list[str]:
        """The same for every connection, and for as long as the server runs."""
        if self.exposure == "direct":
            return [*self.facts["inventory"], *self.catalog.names()]
        return [*self.meta, *(self.facts["hot"] if self.exposure == "hybrid" else [])]

    async def _called(self, name: str, arguments: Json) -> types.CallToolResult:
        if name in self.meta_tools.handlers:
            texts = self.meta_tools.answer(name, arguments)
            return types.CallToolResult(content=[types.TextContent(text=text) for text in texts])
        runners = self.facts["runners"]
        if name in runners:
            tool, given = asked_for(name, arguments)
            if tool in self.meta:
                text = f"{tool} is a meta-tool; call it by its own name."
                raise ToolError("effect_refused", text)
            entry = self.catalog.entry(tool)
            refuse_effect(name, entry, runners)
            return _success(await self.executor.call(entry, given))
        entry = self.catalog.entry(name)
        self._refuse_unlisted(entry.name)
        return _success(await self.executor.call(entry, arguments))

    def _refuse_unlisted(self, name: str) -> None:
        if self.facts["unlisted_calls"] == "allow" or name in self._listed():
            return
        runners = " or ".join(self.facts["runners"])
        text = f"{name} is not listed." + (f" Run it with {runners}." if runners else "")
        raise ToolError("effect_refused", text)

    def _definition(self, name: str) -> Json:
        return self.meta.get(name) or self.catalog.entry(name).definition


def _position(cursor: str | None) -> int:
    is_ours = cursor and len(cursor) < 10 and cursor.isascii() and cursor.isdigit()
    return int(cursor) if cursor and is_ours else 0


def _success(answer: Answer) -> types.CallToolResult:
    content: list[Any] = [types.TextContent(text=answer.text)]
    return types.CallToolResult(content=content, structured_content=answer.structured)


def _failure(text: str) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=text)], is_error=True)
