"""Observing the messages between a client of the SDK and its transport.

The SDK validates answers and drops what it does not know. So it gets an empty one in place of that
of a request which is marked, and whoever marked it gets the original.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from contextvars import ContextVar
from types import TracebackType
from typing import Any, Final, Self, TypeAlias

from anyio import BrokenResourceError, ClosedResourceError
from mcp.shared.dispatcher import coerce_request_id
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCRequest, JSONRPCResponse, RequestId

from toolfold_runtime.contract.codec import Json

#: Streams of messages from and to a server, as the SDK's transports give them.
Streams: TypeAlias = tuple[Any, Any]

#: The result that the SDK gets instead, valid in every version of the protocol.
_EMPTY: Final[Json] = {
    "resultType": "complete",
    "content": [],
    "tools": [],
    "ttlMs": 0,
    "cacheScope": "private",
}
#: The data of errors that are made here because a request did not reach its server.
OUTAGE: Final = "toolfold/outage"
#: The data of one that is made here because the server does not know the session: it has done nothing.
LOST: Final = "toolfold/lost"
_MOST_UNANSWERED: Final = 100
_X_HEADER: Final = "x-mcp-header"


def is_outage(error: MCPError) -> bool:
    """Whether an error means that no answer came: one made here, or by the SDK."""
    return error.error.data == OUTAGE or error.error.message.startswith("SSE stream")


class Original:
    """The result of one request, as the server sent it."""

    def __init__(self) -> None:
        self.result: Json = {}
        self.request_id: RequestId | None = None
        #: Whether the request may have reached the server.
        self.was_sent = False


_MARKED: ContextVar[Original | None] = ContextVar("toolfold_upstream_request", default=None)


class Exchange:
    """The messages of one connection."""

    def __init__(self) -> None:
        #: Set when nothing more will come from the server.
        self.gone = asyncio.Event()
        self._originals: dict[RequestId, Original] = {}
        #: Unanswered requests of the server; one that sends too many without reading is ignored.
        self._unanswered = 0

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

    def sending(self, item: SessionMessage) -> Original | None:
        """Remember a marked request by its id."""
        original = _MARKED.get()
        if original is None or not isinstance(item.message, JSONRPCRequest):
            return None
        original.request_id = coerce_request_id(item.message.id)
        self._originals[original.request_id] = original
        return original

    def sent(self, item: SessionMessage) -> None:
        """Count an answer: one that waits for a server to read keeps its place until then."""
        if isinstance(item.message, JSONRPCResponse | JSONRPCError):
            self._unanswered -= 1

    def received(self, item: SessionMessage | Exception) -> SessionMessage | Exception | None:
        """The message as the SDK gets it; None to ignore it."""
        message = item.message if isinstance(item, SessionMessage) else None
        if isinstance(message, JSONRPCRequest):
            if self._unanswered >= _MOST_UNANSWERED:
                return None
            self._unanswered += 1
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


class Stream:
    """What the SDK requires of a stream besides its items."""

    async def aclose(self) -> None:
        """Nothing to do, where a stream is closed with what it belongs to."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


class _Observed(Stream):
    """A stream of a transport."""

    def __init__(self, stream: Any, exchange: Exchange) -> None:
        self._stream = stream
        self._exchange = exchange

    async def aclose(self) -> None:
        """Close it."""
        await self._stream.aclose()


class _Incoming(_Observed):
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
        try:
            while True:
                item = self._exchange.received(await self._stream.__anext__())
                if item is not None:
                    return item
        except BaseException:
            self._exchange.gone.set()
            raise


class _Outgoing(_Observed):
    """Messages to a server."""

    async def send(self, item: SessionMessage) -> None:
        """Send a message."""
        original = self._exchange.sending(item)
        try:
            await self._stream.send(item)
        except (BrokenResourceError, ClosedResourceError):
            raise
        except BaseException:
            _note_sent(original)  # perhaps: it was cancelled
            raise
        finally:
            self._exchange.sent(item)
        _note_sent(original)


def _note_sent(original: Original | None) -> None:
    if original is not None:
        original.was_sent = True
