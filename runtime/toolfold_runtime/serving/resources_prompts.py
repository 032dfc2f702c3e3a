"""The methods of resources, prompts and completion, added to a server whose catalog has them.

Most clients never ask, so what answers them is imported when one does.
"""

from collections.abc import Awaitable, Callable, Mapping
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.serving.call_contexts import CallContexts
from toolfold_runtime.serving.request_handling import CACHE_MS

#: Answers the requests of one method.
RequestHandler: TypeAlias = Callable[[ServerRequestContext[Any], Any], Awaitable[Any]]

_RESOURCES: Final[Mapping[str, type[types.RequestParams]]] = {
    "resources/list": types.PaginatedRequestParams,
    "resources/templates/list": types.PaginatedRequestParams,
    "resources/read": types.ReadResourceRequestParams,
}
_PROMPTS: Final[Mapping[str, type[types.RequestParams]]] = {
    "prompts/list": types.PaginatedRequestParams,
    "prompts/get": types.GetPromptRequestParams,
}
_COMPLETION: Final[Mapping[str, type[types.RequestParams]]] = {
    "completion/complete": types.CompleteRequestParams,
}
_LISTS: Final = ("resources/list", "resources/templates/list", "prompts/list")


def add_resources_prompts(
    server: Server[Any], dispatcher: Dispatcher, contexts: CallContexts
) -> None:
    """Have a server answer for the resources and prompts of its catalog, and complete their arguments."""
    facts = dispatcher.facts
    has_resources = facts.has_generated_resources or facts.has_resources
    methods = {
        **(_RESOURCES if has_resources else {}),
        **(_PROMPTS if facts.has_prompts else {}),
        **(_COMPLETION if has_resources or facts.has_prompts else {}),
    }
    handlers = _Handlers(dispatcher, contexts)
    for method, params in methods.items():
        server.add_request_handler(method, params, partial(handlers.answer, method))
    for method in _LISTS:
        server.cache_hints[method] = CacheHint(ttl_ms=CACHE_MS, scope="public")
    # What a tool answers is its caller's own, and may be another thing the next moment.
    server.cache_hints["resources/read"] = CacheHint(ttl_ms=0, scope="private")


class _Handlers:
    """The handlers by method, imported when the first of them is needed."""

    def __init__(self, dispatcher: Dispatcher, contexts: CallContexts) -> None:
        self._dispatcher = dispatcher
        self._contexts = contexts

    async def answer(self, method: str, context: ServerRequestContext[Any], params: Any) -> Any:
        """The answer of a method's handler."""
        return await self._handlers[method](context, params)

    @cached_property
    def _handlers(self) -> dict[str, RequestHandler]:
        from toolfold_runtime.disclosure.resources import ResourceReader
        from toolfold_runtime.serving.completion import CompletionHandlers
        from toolfold_runtime.serving.prompts import PromptHandlers
        from toolfold_runtime.serving.resources import ResourceHandlers

        reader = ResourceReader(self._dispatcher)
        resources = ResourceHandlers(reader, self._contexts)
        prompts = PromptHandlers(self._dispatcher, self._contexts)
        return {
            "resources/list": resources.list_addresses,
            "resources/templates/list": resources.list_templates,
            "resources/read": resources.read,
            "prompts/list": prompts.list,
            "prompts/get": prompts.get,
            "completion/complete": CompletionHandlers(self._dispatcher, reader).complete,
        }
