"""The MCP server over a catalog: it sends what was decided when generating."""

from collections.abc import Sequence
from typing import Any, Final

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from toolfold_runtime import server_log
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply, text_blocks
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.confirm import InputRequired
from toolfold_runtime.serving.callers import Callers
from toolfold_runtime.serving.confirming import Confirmations
from toolfold_runtime.serving.foreign import hold, send_held

_MAX_ERROR_TEXT: Final = 20_000
_PAGE: Final = 200
_CACHE_MS: Final = 3_600_000


def build_server(dispatcher: Dispatcher, callers: Callers | None = None) -> Server[Any]:
    """A low-level SDK server that lists and calls what the dispatcher knows."""
    facts = dispatcher.facts
    calls = _Calls(dispatcher, callers or Callers())
    server: Server[Any] = Server(
        facts.name,
        version=facts.version,
        title=facts.title,
        instructions=facts.instructions[dispatcher.exposure],
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        get_tool_input_schema=calls.input_schema,
        cache_hints={"tools/list": CacheHint(ttl_ms=_CACHE_MS, scope="public")},
    )
    if facts.has_confirmation:
        calls.confirmations = Confirmations(facts.name, calls.callers)
        server.middleware.append(calls.confirmations.boundary())
    if facts.has_upstreams:
        server.middleware.append(send_held)
    return server


class _Calls:
    """The two request handlers, in the protocol's types."""

    def __init__(self, dispatcher: Dispatcher, callers: Callers) -> None:
        self.dispatcher = dispatcher
        self.callers = callers
        self.confirmations: Confirmations | None = None

    async def list_tools(
        self, _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        """One page of the list; the cursor is the number of tools already sent."""
        start = _position(params.cursor if params else None)
        try:
            names = self.dispatcher.listed()
            page = [self.dispatcher.definition(name) for name in names[start : start + _PAGE]]
            tools = [types.Tool.model_validate(definition.listed()) for definition in page]
        except Exception as error:
            # The SDK would send the exception's text to the client.
            server_log.failure("the server cannot list its tools", error)
            text = "the server cannot list its tools; its log says why"
            raise MCPError(types.INTERNAL_ERROR, text) from None
        following = str(start + _PAGE) if start + _PAGE < len(names) else None
        return types.ListToolsResult(tools=tools, next_cursor=following)

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> Any:
        """Any tool, by its own name; failures are answers that say what to do.

        In the form that is sent, which the SDK validates: its model would be made and dumped again.
        """
        confirmations = self.confirmations
        origin = CallContext(
            self.callers.of(context),
            context.session.report_progress,
            confirmations.confirm_for(context, params) if confirmations is not None else None,
            (context.meta or {}).get("progress_token") is not None,
        )
        try:
            reply = await self.dispatcher.call(params.name, dict(params.arguments or {}), origin)
        except InputRequired as asked:
            return asked.answer
        except ToolError as error:
            return _failure(f"{error.code}: {error.text}")
        except Exception as error:
            # The SDK would send the exception's text to the client.
            server_log.failure("the server failed", error, tool=params.name)
            return _failure("backend_failed: the server failed; its log says why")
        return _result(reply)

    def input_schema(self, name: str) -> Json | None:
        """A tool's input schema, so that the SDK need not list all tools to find it."""
        try:
            return self.dispatcher.definition(name).input_schema
        except (ToolError, OSError, KeyError, ValueError):
            return None


def _position(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if len(cursor) > 9 or not (cursor.isascii() and cursor.isdigit()) or int(cursor) % _PAGE:
        raise MCPError(types.INVALID_PARAMS, "unknown cursor; list again without one")
    return int(cursor)


def _result(reply: Reply) -> Json:
    answer = _answer(reply.content)
    if reply.structured is not None:
        answer["structuredContent"] = reply.structured
    if not reply.is_foreign:
        return answer
    if reply.is_error:
        answer["isError"] = True
    if reply.meta is not None:
        answer["_meta"] = reply.meta
    return hold(answer)


def _failure(text: str) -> Json:
    # What an author says may be long, and may hold half of a surrogate pair, which no JSON can.
    sent = text[:_MAX_ERROR_TEXT].encode("utf-8", "replace").decode()
    return _answer(text_blocks(sent)) | {"isError": True}


def _answer(content: Sequence[Json]) -> Json:
    # The modern era wants the type of a result; the SDK leaves it out of older ones.
    return {"resultType": "complete", "content": list(content)}
