"""Resources as the protocol has them: two lists and reading."""

from typing import Any

import mcp_types as types
from mcp.server.caching import CacheHint
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.resource import Resource
from toolfold_runtime.disclosure.resources import ResourceReader
from toolfold_runtime.serving.requests import (
    CACHE_MS,
    Origin,
    answer_or_question,
    page_of,
    protocol_errors,
)


def add_resources(server: Server[Any], reader: ResourceReader, origin: Origin) -> None:
    """Have a server offer resources."""
    handlers = _Handlers(reader, origin)
    paginated = types.PaginatedRequestParams
    server.add_request_handler("resources/list", paginated, handlers.list_addresses)
    server.add_request_handler("resources/templates/list", paginated, handlers.list_templates)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, handlers.read)
    for method in ("resources/list", "resources/templates/list"):
        server.cache_hints[method] = CacheHint(ttl_ms=CACHE_MS, scope="public")
    # What a tool answers is its caller's own, and may be another thing the next moment.
    server.cache_hints["resources/read"] = CacheHint(ttl_ms=0, scope="private")


class _Handlers:
    """The request handlers, in the protocol's types."""

    def __init__(self, reader: ResourceReader, origin: Origin) -> None:
        self._reader = reader
        self._origin = origin

    async def list_addresses(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> Json:
        with protocol_errors(context):
            items = [_listed(own) | {"uri": own.uri} for own in self._reader.addresses()]
            return page_of(items, params.cursor, "resources")

    async def list_templates(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> Json:
        with protocol_errors(context):
            items = [_listed(own) | {"uriTemplate": own.uri} for own in self._reader.templates()]
            return page_of(items, params.cursor, "resourceTemplates")

    async def read(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> Any:
        return await answer_or_question(self._read(context, params))

    async def _read(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> Json:
        with protocol_errors(context, uri=params.uri):
            reading = await self._reader.read(params.uri, self._origin(context, params))
        hints = {"ttlMs": CACHE_MS, "cacheScope": "public"} if reading.is_public else {}
        return {"resultType": "complete", "contents": reading.contents, **hints}


def _listed(resource: Resource) -> Json:
    """A resource in the protocol's own form, but for its address."""
    optional = {"title": resource.title, "mimeType": resource.mime_type}
    given = {key: value for key, value in optional.items() if value is not None}
    return {"name": resource.name, "description": resource.description, **given}
