"""The tools that a server publishes: all pages, and a digest of each to compare with its pin."""

import asyncio
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.pins import digest
from toolfold_runtime.upstream.session import Session

#: A list that goes on is no list.
_MOST_PAGES: Final = 1_000
_MOST_TOOLS: Final = 20_000


async def listed(session: Session) -> list[Json]:
    """Every tool that the server publishes, exactly as it does; UpstreamError where that is no list."""
    tools: list[Json] = []
    cursors: set[str] = set()
    cursor: str | None = None
    for _ in range(_MOST_PAGES):
        page = await session.page(cursor)
        items = page.get("tools")
        if not isinstance(items, list) or not all(map(_is_definition, items)):
            raise UpstreamError("broke the protocol: its list of tools is no list of definitions")
        tools += items
        cursor = page.get("nextCursor")
        if cursor is None or not isinstance(cursor, str):
            return tools
        if cursor in cursors or len(tools) > _MOST_TOOLS:
            break
        cursors.add(cursor)
    raise UpstreamError(f"its list of tools does not end; {len(tools):,} were read")


class Digests:
    """The digest of each tool of a session, asked for once and again when the server says so.

    Digests only: definitions are large, and there may be many servers.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._listing: asyncio.Task[dict[str, str]] | None = None
        #: Of the few tools that are not what they were.
        self._definitions: dict[str, Json | None] = {}

    async def digest_of(self, tool: str) -> str | None:
        """The digest of a tool's live definition; None where the server has no such tool."""
        if self._session.has_changed or self._listing is None or _has_failed(self._listing):
            self._session.has_changed = False
            self._definitions = {}
            self._listing = asyncio.get_running_loop().create_task(self._digests())
        # Many callers wait for one list, and one that is cancelled harms nobody.
        return (await asyncio.shield(self._listing)).get(tool)

    async def definition_of(self, tool: str) -> Json | None:
        """The live definition of a tool; None where the server has no such tool."""
        if tool not in self._definitions:
            named = [one for one in await listed(self._session) if one["name"] == tool]
            self._definitions[tool] = named[0] if named else None
        return self._definitions[tool]

    async def _digests(self) -> dict[str, str]:
        return {tool["name"]: digest(tool) for tool in await listed(self._session)}


def _is_definition(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("name"), str)


def _has_failed(listing: "asyncio.Task[dict[str, str]]") -> bool:
    return listing.done() and (listing.cancelled() or listing.exception() is not None)
