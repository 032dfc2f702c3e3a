"""The tools that a server publishes: all pages, and a digest of each to compare with its pin."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.pins import digest
from toolfold_runtime.upstream.session import Session

#: The most pages of a list, in case it never ends.
_MOST_PAGES: Final = 1_000
_MOST_TOOLS: Final = 20_000
_MOST_BYTES: Final = 64_000_000
#: Seconds for all pages: whoever waits has a limit of its own, and others come after it.
_PATIENCE: Final = 60.0
#: Seconds for which a list is believed. Many servers change without saying so.
_FRESH: Final = 300.0


async def listed(session: Session) -> list[Json]:
    """Every tool that the server publishes, exactly as it does; UpstreamError where that is no list."""
    return [tool async for page in _pages(session) for tool in page]


async def _pages(session: Session) -> AsyncGenerator[list[Json], None]:
    """The tools of every page, of which one is held at a time."""
    number = size = 0
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await session.page(cursor)
        items = page.get("tools")
        if not isinstance(items, list) or not all(map(_is_definition, items)):
            raise UpstreamError("broke the protocol: its list of tools is no list of definitions")
        yield items
        number += len(items)
        size += len(str(items))
        cursor = page.get("nextCursor")
        if cursor is None or not isinstance(cursor, str):
            return
        if cursor in cursors or number > _MOST_TOOLS or size > _MOST_BYTES:
            break
        cursors.add(cursor)
    raise UpstreamError(f"its list of tools does not end; {number:,} were read")


class Digests:
    """The digest of each tool of a session, asked for again when the server says so or time has passed.

    Digests only: definitions are large, and there may be many servers.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._listing: asyncio.Task[dict[str, str]] | None = None
        self._begun = 0.0
        #: The live definitions of the few tools that have changed.
        self._definitions: dict[str, Json | None] = {}

    async def digest_of(self, tool: str) -> str | None:
        """The digest of a tool's live definition; None where the server has no such tool."""
        loop = asyncio.get_running_loop()
        is_old = loop.time() > self._begun + _FRESH
        listing = self._listing
        if listing is None or is_old or self._session.has_changed or _has_failed(listing):
            self._session.has_changed = False
            self._definitions = {}
            self._begun = loop.time()
            listing = self._listing = loop.create_task(self._digests())
            listing.add_done_callback(_has_failed)  # nobody may wait for a failure any more
        # Many callers wait for one list, and one that is cancelled harms nobody.
        return (await asyncio.shield(listing)).get(tool)

    async def definition_of(self, tool: str) -> Json | None:
        """The live definition of a tool; None where the server has no such tool."""
        if tool not in self._definitions:
            named = [one for one in await listed(self._session) if one["name"] == tool]
            self._definitions[tool] = named[0] if named else None
        return self._definitions[tool]

    async def _digests(self) -> dict[str, str]:
        digests: dict[str, str] = {}
        try:
            async with asyncio.timeout(_PATIENCE), aclosing(_pages(self._session)) as pages:
                async for tools in pages:
                    for tool in tools:
                        digests.setdefault(tool["name"], digest(tool))  # as an import takes them
        except TimeoutError:
            raise UpstreamError(f"did not list its tools within {_PATIENCE:g} s") from None
        return digests


def _is_definition(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str)


def _has_failed(listing: "asyncio.Task[dict[str, str]]") -> bool:
    return listing.done() and (listing.cancelled() or listing.exception() is not None)
