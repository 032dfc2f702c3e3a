"""MCP over the standard input and output of a child.

In place of the SDK's own transport, which stores a line of any length, ends at a byte that is no
UTF-8, leaves what a child has started behind, and needs a thread per child on Python 3.11.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Self, cast

import anyio
from mcp.shared.message import SessionMessage
from mcp_types import (
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    jsonrpc_message_adapter,
)
from pydantic import ValidationError

from toolfold_runtime.lines import Line, LineBuffer, id_at_edges
from toolfold_runtime.upstream.child import Child
from toolfold_runtime.upstream.exchange import Stream
from toolfold_runtime.upstream.output import ChildLog, ErrorOutput

#: The longest line that is read: twice what can be sent on.
MOST_BYTES: Final = 32_000_000
_MOST_QUEUED: Final = 64
#: Seconds after the end of a child to read what it wrote before: no more than its pipe holds.
_LAST_OUTPUT: Final = 0.02
#: Seconds for a child that has closed its output to end, so that how it ended can be told.
_LAST_STEPS: Final = 0.2


@asynccontextmanager
async def stdio_streams(
    child: Child, log: ChildLog
) -> AsyncIterator[tuple["Incoming", "Outgoing"]]:
    """The streams of messages from and to a child, which is ended at the end."""
    incoming, outgoing, errors = Incoming(log), Outgoing(), ErrorOutput(log)
    try:
        outgoing.transport = await child.connect(incoming, errors, outgoing)
        child.watch(incoming.exited)
        yield incoming, outgoing
    finally:
        incoming.end()
        outgoing.end()
        try:
            await child.end(is_patient=incoming.has_spoken)
        finally:
            incoming.close()
            errors.close()
            log.end()


class Incoming(Stream, asyncio.Protocol):
    """Messages from a child; other lines are logged and skipped."""

    def __init__(self, log: ChildLog) -> None:
        self._log = log
        self._lines = LineBuffer(MOST_BYTES)
        self._queue: deque[JSONRPCMessage] = deque()
        self._waiting: asyncio.Future[None] | None = None
        self._transport: asyncio.ReadTransport | None = None
        self._has_ended = False
        #: Whether the output is closed, or the child has ended: the other comes soon.
        self._is_ending = False
        #: Whether any message came.
        self.has_spoken = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Remember what is read from."""
        self._transport = cast("asyncio.ReadTransport", transport)

    def data_received(self, data: bytes) -> None:
        """Queue the messages that are complete; read no more while there are many."""
        for line in self._lines.feed(data):
            message = _message(line)
            if message is not None:
                self._queue.append(message)
            else:
                self._log.write(line.data)
        if self._queue:
            self.has_spoken = True
            self._wake()
            if len(self._queue) > _MOST_QUEUED and self._transport is not None:
                self._transport.pause_reading()

    def connection_lost(self, _: Exception | None) -> None:
        """The child closed its output, and has ended or will at once."""
        self._end_within(_LAST_STEPS)

    def exited(self) -> None:
        """The child has ended; what it has started may hold its output open."""
        self._end_within(_LAST_OUTPUT)

    def end(self) -> None:
        """End the stream after the messages that were already read."""
        self._has_ended = True
        self._wake()

    def close(self) -> None:
        """Read no more."""
        self._queue.clear()
        if self._transport is not None:
            self._transport.close()

    async def receive(self) -> SessionMessage | Exception:
        """The next message; EndOfStream after the last."""
        while not self._queue:
            if self._has_ended:
                raise anyio.EndOfStream
            self._waiting = asyncio.get_running_loop().create_future()
            await self._waiting
        message = self._queue.popleft()
        if not self._queue and self._transport is not None and not self._has_ended:
            self._transport.resume_reading()
        return SessionMessage(message)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except anyio.EndOfStream:
            raise StopAsyncIteration from None

    def _end_within(self, seconds: float) -> None:
        """End when the output is closed and the child has ended, or when time is up."""
        if self._is_ending:
            self.end()
        self._is_ending = True
        asyncio.get_running_loop().call_later(seconds, self.end)

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)


class Outgoing(Stream, asyncio.BaseProtocol):
    """Messages to a child."""

    def __init__(self) -> None:
        self.transport: asyncio.WriteTransport | None = None
        self._has_room = asyncio.Event()
        self._has_room.set()

    async def send(self, item: SessionMessage) -> None:
        """Write a message, when there is room; BrokenResourceError where nobody reads any more."""
        text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
        if not self._has_room.is_set():
            await self._has_room.wait()
        if self.transport is None or self.transport.is_closing():
            raise anyio.BrokenResourceError
        self.transport.write(text.encode() + b"\n")

    def pause_writing(self) -> None:
        """The child does not keep up."""
        self._has_room.clear()

    def resume_writing(self) -> None:
        """The child reads again."""
        self._has_room.set()

    def connection_lost(self, _: Exception | None) -> None:
        """Nobody reads any more."""
        self._has_room.set()

    def end(self) -> None:
        """Close the input of the child, without waiting for it to read what was written."""
        if self.transport is None:
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()


def _message(line: Line) -> JSONRPCMessage | None:
    """The message in a line; an error in place of an answer that cannot be read; else None."""
    if line.is_whole:
        if not line.data.lstrip().startswith(b"{"):
            return None
        try:
            return jsonrpc_message_adapter.validate_json(line.data, by_name=False)
        except ValidationError as error:
            reason = error.errors(include_url=False, include_input=False)[0]["msg"]
    else:
        reason = f"more than {MOST_BYTES:,} bytes"
    request_id = id_at_edges(line.data)
    if request_id is None or b'"method"' in line.data[:200]:
        return None
    failed = ErrorData(code=PARSE_ERROR, message=f"an answer that cannot be read: {reason}")
    return JSONRPCError(jsonrpc="2.0", id=request_id, error=failed)
