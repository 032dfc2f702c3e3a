"""Bounds of HTTP connections: how many there are, and how long each may wait for its client.

uvicorn closes a connection that is idle between two requests and no other: not one whose request
never ends, nor one whose client does not read. Every second all connections are looked at, so
that a request costs no timer.
"""

import asyncio
import contextlib
import math
import time
from collections.abc import Iterator
from typing import Final, Literal, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import Server

from toolfold_runtime.serving.http import Bounds

_CHECK_INTERVAL: Final = 1.0  # seconds, at most
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 20\r\n"
    b"retry-after: 5\r\nconnection: close\r\n\r\ntoo many connections"
)
#: What a connection is busy with: nothing, the head or the body of a request, or a call.
Phase: TypeAlias = Literal["idle", "head", "body", "call"]


class WebServer(Server):
    """A server that leaves signals to `lifetime`, as the one over stdio does."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing about them."""
        yield


def protocol_class(bounds: Bounds) -> type[asyncio.Protocol]:
    """The protocol of the connections of one server, which are bounded together."""
    connections = _Connections(bounds)

    class Connection(BoundedConnection):
        group = connections

    return Connection


class BoundedConnection(H11Protocol):
    """A connection that knows since when it waits for its client."""

    group: "_Connections"
    phase: Phase = "head"
    deadline = math.inf
    received = 0
    is_next_deferred = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override] # as uvicorn's own
        """Begin, or refuse where there are too many already."""
        if len(self.group.open) >= self.group.most:
            self.transport = transport  # for `connection_lost`
            transport.write(_FULL)
            transport.close()
            return
        super().connection_made(transport)
        self.deadline = time.monotonic() + self.group.bounds.head
        self.group.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self.group.discard(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what a client sent."""
        super().data_received(data)
        if self.phase == "body":
            self.group.receive(self, len(data))
        self._note_phase()

    def on_response_complete(self) -> None:
        """Go on to the next request, of which there may be a part already.

        Not before the answer is read: a client that reads none could pile them up.
        """
        self.is_next_deferred = self.flow.write_paused
        if not self.is_next_deferred:
            super().on_response_complete()
            self._note_phase()

    def pause_writing(self) -> None:
        """Note since when an answer is not read."""
        super().pause_writing()
        self.group.unread[self] = time.monotonic()

    def resume_writing(self) -> None:
        """Go on: the answer was read."""
        super().resume_writing()
        self.group.unread.pop(self, None)
        if self.is_next_deferred:
            self.on_response_complete()

    def shutdown(self) -> None:
        """End with the server; an answer that nobody reads does not hold it up."""
        if self in self.group.unread:
            self.transport.abort()
        super().shutdown()

    def end(self) -> None:
        """Close it; what its client did not read is dropped."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def _note_phase(self) -> None:
        phase = self._current_phase()
        if phase == self.phase:
            return  # a byte now and then buys no time
        self.phase = phase
        self.group.release(self)
        bounds = self.group.bounds
        seconds = {"head": bounds.head, "body": bounds.body}.get(phase, math.inf)
        self.deadline = time.monotonic() + seconds

    def _current_phase(self) -> Phase:
        state = self.conn.their_state
        if state is h11.IDLE:
            return "head" if self.conn.trailing_data[0] else "idle"
        return "body" if state is h11.SEND_BODY else "call"


class _Connections:
    """All connections of a server."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.most = min(bounds.connections, _most_open_files() // 2)
        self.open: set[BoundedConnection] = set()
        #: Since when an answer is unread, the longest first.
        self.unread: dict[BoundedConnection, float] = {}
        self._period = min(_CHECK_INTERVAL, bounds.head / 4)
        self._received = 0
        self._closing: dict[BoundedConnection, float] = {}
        self._timer: asyncio.TimerHandle | None = None

    def add(self, connection: BoundedConnection) -> None:
        """Bound a new connection."""
        self.open.add(connection)
        if self._timer is None:
            self._timer = connection.loop.call_later(
                self._period, self._close_overdue, connection.loop
            )

    def discard(self, connection: BoundedConnection) -> None:
        """Forget a connection."""
        self.release(connection)
        self.open.discard(connection)
        self.unread.pop(connection, None)
        self._closing.pop(connection, None)

    def receive(self, connection: BoundedConnection, size: int) -> None:
        """Count a part of a request; the connection is closed where all of them are too much."""
        connection.received += size
        self._received += size
        if self._received > self.bounds.pending:
            # Whoever holds most of it, and not whoever sends the next byte.
            largest = max(self.open, key=lambda one: one.received)
            self.release(largest)
            largest.end()

    def release(self, connection: BoundedConnection) -> None:
        """Forget the parts of a request that is whole, or will never be."""
        self._received -= connection.received
        connection.received = 0

    def _close_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what waited too long."""
        now = time.monotonic()
        for connection in [one for one in self.open if one.deadline < now]:
            connection.end()
        # One that is closing waits for its client to read, and would do so for ever.
        for connection in self.open:
            if connection.transport.is_closing():
                self._closing.setdefault(connection, now)
        for connection, since in [*self.unread.items(), *self._closing.items()]:
            if now - since > self.bounds.unread:
                connection.transport.abort()
        pending = sum(one.transport.get_write_buffer_size() for one in self.unread)
        for connection in list(self.unread):
            if pending <= self.bounds.pending:
                break
            pending -= connection.transport.get_write_buffer_size()
            connection.transport.abort()
        self._timer = (
            loop.call_later(self._period, self._close_overdue, loop) if self.open else None
        )


def _most_open_files() -> int:
    """How many files this process may have open, of which a connection is one."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if most != resource.RLIM_INFINITY:
            return most
    return 1_000_000
