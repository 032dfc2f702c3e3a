"""Resources as the protocol has them: two lists and reading."""

from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.resource import Resource
from toolfold_runtime.disclosure.resources import ResourceReader
from toolfold_runtime.serving.call_contexts import CallContexts
from toolfold_runtime.serving.request_handling import (
    CACHE_MS,
    answer_or_question,
    listed,
    protocol_errors,
)


class ResourceHandlers:
    """Answer requests about resources, in the protocol's types."""

    def __init__(self, reader: ResourceReader, contexts: CallContexts) -> None:
        self._reader = reader
        self._contexts = contexts

    async def list_addresses(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> Json:
        """One page of the resources with a fixed address."""
        with protocol_errors(context):
            items = [
                _listed(resource) | {"uri": resource.uri} for resource in self._reader.addresses()
            ]
            return listed(items, params.cursor, "resources")

    async def list_templates(
        self, context: ServerRequestContext[Any], params: types.PaginatedRequestParams
    ) -> Json:
        """One page of the resources whose address has variables."""
        with protocol_errors(context):
            items = [
                _listed(template) | {"uriTemplate": template.uri}
                for template in self._reader.templates()
            ]
            return listed(items, params.cursor, "resourceTemplates")

    async def read(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> Any:
        """The contents at an address, or the question that the user must be asked first."""
        return await answer_or_question(self._read(context, params))

    async def _read(
        self, context: ServerRequestContext[Any], params: types.ReadResourceRequestParams
    ) -> Json:
        with protocol_errors(context, uri=params.uri):
            reading = await self._reader.read(
                params.uri, self._contexts.context_of(context, params)
            )
        hints = {"ttlMs": CACHE_MS, "cacheScope": "public"} if reading.is_public else {}
        return {"resultType": "complete", "contents": reading.contents, **hints}


def _listed(resource: Resource) -> Json:
    """A resource in the protocol's own form, but for its address."""
    optional = {"title": resource.title, "mimeType": resource.mime_type}
    given = {key: value for key, value in optional.items() if value is not None}
    return {"name": resource.name, "description": resource.description, **given}
