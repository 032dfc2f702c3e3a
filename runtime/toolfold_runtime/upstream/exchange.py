"""What passes between a client of the SDK and its transport: answers as they came, and the end.

The SDK validates answers and drops what it does not know. So it gets an empty one in place of that
of a request which is marked, and whoever marked it gets the original.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from toolfold_runtime.contract.codec import Json

#: Streams of messages from and to a server, as the SDK's transports give them.
Streams: TypeAlias = tuple[Any, Any]

#: What the SDK gets instead, valid in every era.
_EMPTY: Final[Json] = {
    "resultType": "complete",
    "content": [],
    "tools": [],
    "ttlMs": 0,
    "cacheScope": "private",
}
#: Requests of a server that may wait for our answers: one that does not read them could send any number.
_MOST_ASKED: Final = 100
_X_HEADER: Final = "x-mcp-header"


class Original:
    """The result of one request, as the server sent it."""

    def __init__(self) -> None:
        self.result: Json = {}
        self.request_id: RequestId | None = None


_MARKED: ContextVar[Original | None] = ContextVar("toolfold_upstream_request", default=None)


class Exchange:
    """The messages of one connection."""

    def __init__(self) -> None:
        #: Set when nothing more will come from the server.
        self.gone = asyncio.Event()
        self._originals: dict[RequestId, Original] = {}
        #: The server's own requests that are not answered yet.
        self._asked: set[RequestId] = set()

    @asynccontextmanager
    async def over(self, transport: AbstractAsyncContextManager[Streams]) -> AsyncIterator[Streams]:
        """The streams of a transport, observed."""
        async with transport as (incoming, outgoing):
            yield _Incoming(incoming, self), _Outgoing(outgoing, self)

    @contextmanager
    def original(self) -> Iterator[Original]:
        """Mark the request that this task sends inside; its result is in there afterwards."""
        original = Original()
        token = _MARKED.set(original)
        try:
            yield original
        finally:
            _MARKED.reset(token)
            if original.request_id is not None:
                self._originals.pop(original.request_id, None)

    def sent(self, item: SessionMessage) -> None:
        """Remember a marked request by its id."""
        original = _MARKED.get()
        if original is not None and isinstance(item.message, JSONRPCRequest):
            original.request_id = coerce_request_id(item.message.id)
            self._originals[original.request_id] = original

    def answered(self, item: SessionMessage) -> None:
        """Note that an answer to one of the server's requests was sent."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._asked.discard(item.message.id or "")

    def received(self, item: SessionMessage | Exception) -> SessionMessage | Exception | None:
        """What the SDK gets of a message; None where it gets nothing."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest):
            if len(self._asked) >= _MOST_ASKED:
                return None
            self._asked.add(message.id)
        if not isinstance(message, JSONRPCResponse | JSONRPCError) or message.id is None:
            return item
        original = self._originals.pop(coerce_request_id(message.id), None)
        if original is None or isinstance(message, JSONRPCError):
            return item
        original.result = message.result
        stand_in = JSONRPCResponse(
            jsonrpc="2.0", id=message.id, result=_EMPTY | {"tools": _with_headers(message.result)}
        )
        return SessionMessage(stand_in)


def _with_headers(result: Json) -> list[Json]:
    """The listed tools whose arguments the SDK must send as headers too; it need not see the others."""
    tools = result.get("tools")
    if not isinstance(tools, list) or _X_HEADER not in str(tools):
        return []
    return [
        {"name": tool["name"], "inputSchema": tool["inputSchema"]}
        for tool in tools
        if _X_HEADER in str(tool) and _has_schema(tool)
    ]


def _has_schema(tool: object) -> bool:
    if not isinstance(tool, dict) or not isinstance(tool.get("name"), str):
        return False
    return isinstance(tool.get("inputSchema"), dict)


class _Stream:
    """A stream of a transport, all but its items."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()

    async def __aenter__(self) -> Self:
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._stream.__aexit__(kind, error, trace)


class _Incoming(_Stream):
    """Messages from a server."""

    @property
    def last_context(self) -> Any:
        """The context of whoever sent the last item, where the transport knows it."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> SessionMessage | Exception:
        """The next message."""
        while True:
            item = self._exchange.received(await self._stream.receive())
            if item is not None:
                return item

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        while True:
            try:
                item = self._exchange.received(await self._stream.__anext__())
            except BaseException:
                self._exchange.gone.set()
                raise
            if item is not None:
                return item


class _Outgoing(_Stream):
    """Messages to a server."""

    async def send(self, item: SessionMessage) -> None:
        """Send a message."""
        self._exchange.sent(item)
        await self._stream.send(item)
        self._exchange.answered(item)
