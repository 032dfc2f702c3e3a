"""The MCP server over a catalog: it sends what was decided when generating."""

from collections.abc import Sequence
from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from toolfold_runtime import server_log
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply, text_blocks
from toolfold_runtime.errors import InputRequired, ToolError
from toolfold_runtime.serving.asking import refuse_lacking
from toolfold_runtime.serving.call_contexts import CallContexts
from toolfold_runtime.serving.callers import Callers
from toolfold_runtime.serving.client_log import set_level
from toolfold_runtime.serving.foreign import hold, send_held
from toolfold_runtime.serving.paging import page_of
from toolfold_runtime.serving.request_handling import CACHE_MS, error_text
from toolfold_runtime.serving.resources_prompts import add_resources_prompts


def build_server(dispatcher: Dispatcher, callers: Callers | None = None) -> Server[Any]:
    """A low-level SDK server that lists and calls what the dispatcher knows."""
    facts = dispatcher.facts
    contexts = CallContexts(facts.name, callers or Callers())
    calls = _Calls(dispatcher, contexts)
    server: Server[Any] = Server(
        facts.name,
        version=facts.version,
        title=facts.title,
        instructions=facts.instructions[dispatcher.exposure],
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        get_tool_input_schema=calls.input_schema,
        cache_hints={"tools/list": CacheHint(ttl_ms=CACHE_MS, scope="public")},
    )
    if facts.has_upstreams:
        server.middleware.append(send_held)
    server.add_request_handler("logging/setLevel", types.SetLevelRequestParams, set_level)
    server.middleware.append(contexts.questions.boundary())
    add_resources_prompts(server, dispatcher, contexts)
    return server


class _Calls:
    """The two request handlers, in the protocol's types."""

    def __init__(self, dispatcher: Dispatcher, contexts: CallContexts) -> None:
        self.dispatcher = dispatcher
        self.contexts = contexts

    async def list_tools(
        self, _: ServerRequestContext[Any], params: types.PaginatedRequestParams | None
    ) -> Any:
        """The list, or a page of one that is very long; in the form that is sent, as for calls."""
        dispatcher, cursor = self.dispatcher, params.cursor if params else None
        try:
            page = page_of(dispatcher.listed(), dispatcher.listed_bytes, cursor)
            tools = [dispatcher.definition(name).listed() for name in page.items]
        except MCPError:
            raise
        except Exception as error:
            # The SDK would send the exception's text to the client.
            server_log.failure("the server cannot list its tools", error)
            text = "the server cannot list its tools; its log says why"
            raise MCPError(types.INTERNAL_ERROR, text) from None
        return {"resultType": "complete", "tools": tools, **page.end}

    async def call_tool(
        self, context: ServerRequestContext[Any], params: types.CallToolRequestParams
    ) -> Any:
        """Any tool, by its own name; failures are answers that say what to do.

        In the form that is sent, which the SDK validates: its model would be made and dumped again.
        """
        try:
            arguments = dict(params.arguments or {})
            call_context = self.contexts.context_of(context, params)
            reply = await self.dispatcher.call(params.name, arguments, call_context)
        except InputRequired as asked:
            return asked.make_answer()
        except ToolError as error:
            refuse_lacking(context, error)
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
    return _answer(text_blocks(error_text(text))) | {"isError": True}


def _answer(content: Sequence[Json]) -> Json:
    # The modern era wants the type of a result; the SDK leaves it out of older ones.
    return {"resultType": "complete", "content": list(content)}
