"""What can be read by its address: pages, schemas and the inventory, and results of tools."""

import json
from collections.abc import Iterator
from functools import cached_property
from typing import Final, NamedTuple

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.address import LONGEST_ADDRESS, AddressTemplate, parse_template
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.resource import (
    AGENTS_PAGE,
    CATEGORY_PAGE,
    GENERATED,
    HOME_PAGE,
    INVENTORY,
    JSON,
    MARKDOWN,
    PLAIN,
    SCHEMAS,
    SCHEME,
    TOKENS_PAGE,
    TOOL_PAGE,
    Resource,
)
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
from toolfold_runtime.errors import ToolError, UnknownAddressError, unknown_text
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.call import CallContext

_PAGES: Final = {HOME_PAGE: pages.HOME, AGENTS_PAGE: pages.AGENTS, TOKENS_PAGE: pages.TOKENS}
_ADDRESSES: Final = "text/uri-list"
#: Codes of errors that mean "not found"; the first is a tool's own.
_NOT_FOUND: Final = ("not_found", "unknown_tool", "unknown_category")
_LONGEST_PARSED: Final = 1_000_000


class Reading(NamedTuple):
    """Contents in the protocol's form, and whether they are the same for everybody."""

    contents: list[Json]
    is_public: bool


class ResourceReader:
    """The resources of a server, each read when it is asked for."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._catalog = dispatcher.catalog

    @cached_property
    def all(self) -> tuple[Resource, ...]:
        """Every address and template: the runtime's own, then the manifest's in its order."""
        return (*self._runtime_resources(), *self._catalog.resources)

    def addresses(self) -> list[Resource]:
        """The resources with a fixed address."""
        return [resource for resource in self.all if not resource.variables]

    def templates(self) -> list[Resource]:
        """The resources whose address has variables."""
        return [resource for resource in self.all if resource.variables]

    async def read(self, address: str, context: CallContext) -> Reading:
        """The contents at an address; UnknownAddressError with the nearest ones, or the tool's ToolError."""
        resource, values = self._resolved(address)
        try:
            if resource.tool:
                reply = await self._dispatcher.call_with_texts(resource.tool, values, context)
                return Reading(contents_of(address, resource, reply), is_public=False)
            mime_type, text = self._generated_text(resource, "".join(values.values()))
        except ToolError as error:
            if error.code in _NOT_FOUND:
                raise UnknownAddressError(error.text) from None
            raise
        content = {"uri": address, "mimeType": mime_type, "text": text}
        return Reading([content], is_public=True)

    def _resolved(self, address: str) -> tuple[Resource, dict[str, str]]:
        """The resource that an address is of, and the values of its variables."""
        # What follows # is for whoever reads the page.
        uri = address.partition("#")[0] if address.startswith(SCHEME) else address
        if len(address) <= LONGEST_ADDRESS:
            if uri in self._by_address:
                return self._by_address[uri], {}
            for template, resource in self._by_template:
                values = template.match(uri)
                if values is not None:
                    return resource, values
        known = [resource.uri for resource in self.all]
        raise UnknownAddressError(unknown_text("resource", address, known))

    @cached_property
    def _by_address(self) -> dict[str, Resource]:
        return {resource.uri: resource for resource in self.addresses()}

    @cached_property
    def _by_template(self) -> list[tuple[AddressTemplate, Resource]]:
        return [(parse_template(resource.uri), resource) for resource in self.templates()]

    def _runtime_resources(self) -> Iterator[Resource]:
        """The runtime's own resources that this package has."""
        if not self._catalog.facts.has_generated_resources:
            return
        has_pages = self._catalog.page(pages.HOME) is not None
        for resource in GENERATED:
            if resource.mime_type == JSON or (has_pages and resource.mime_type == MARKDOWN):
                yield resource
            elif resource.uri not in _PAGES:
                yield resource._replace(mime_type=self._view_type)

    def _generated_text(self, resource: Resource, value: str) -> tuple[str, str]:
        """The type and text of a resource of the runtime's own, whose variable has a value.

        In the place of a page that is not there stands a view, which every catalog has.
        """
        catalog, uri = self._catalog, resource.uri
        if uri == SCHEMAS:
            listed = self._dispatcher.definition(value).listed()
            keys = ("name", "inputSchema", "outputSchema")
            return JSON, compact({key: listed[key] for key in keys if key in listed})
        if uri == INVENTORY:
            return self._view_type, catalog.inventory()
        if uri == TOOL_PAGE:
            page = catalog.tool_page(value)
            return (MARKDOWN, page) if page else (self._view_type, self._full_view(value))
        if uri == CATEGORY_PAGE:
            page = catalog.category_page(value)
            return (MARKDOWN, page) if page else (self._view_type, catalog.inventory(value))
        page = catalog.page(_PAGES[uri])
        if page is None:
            raise UnknownAddressError("the pages of this server are gone.")
        return MARKDOWN, page

    def _full_view(self, tool: str) -> str:
        name = self._catalog.entry(tool).name
        return self._catalog.details(name, "full", self._dispatcher.exposure)

    @property
    def _view_type(self) -> str:
        return JSON if self._catalog.facts.format == "json" else PLAIN


def contents_of(address: str, resource: Resource, reply: Reply) -> list[Json]:
    """The blocks of an answer as contents of an address, in the protocol's form.

    The media type of a resource is that of the first text; notes about it may follow.
    """
    text_type = resource.mime_type or _type_of(reply)
    contents = list[Json]()
    for block in reply.content:
        match block["type"]:
            case "text":
                contents.append({"mimeType": text_type, "text": block["text"]})
                text_type = PLAIN
            case "image" | "audio":
                contents.append({"mimeType": block["mimeType"], "blob": block["data"]})
            case "resource":
                contents.append(block["resource"])
            case "resource_link":
                contents.append({"mimeType": _ADDRESSES, "text": block["uri"]})
    return [content | {"uri": address} for content in contents]


def _type_of(reply: Reply) -> str:
    """The type of an answer's first text."""
    text = next(iter(reply.texts), "")
    is_json = reply.structured is not None or _is_json(text)
    return JSON if is_json else PLAIN


def _is_json(text: str) -> bool:
    """Whether a text is an object or a list in JSON; of a long one only its ends are looked at."""
    if text[:1] + text[-1:] not in ("{}", "[]"):
        return False
    try:
        return len(text) > _LONGEST_PARSED or json.loads(text) is not None
    except (ValueError, RecursionError):
        return False
