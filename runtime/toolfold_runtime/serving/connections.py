"""Limits on HTTP connections: their number, and how long each may wait for its client.

uvicorn closes a connection that is idle between two requests and no other: not one whose request
never ends, nor one whose client does not read. Every second all connections are looked at, so
that a request costs no timer.
"""

import asyncio
import contextlib
import math
import sys
import time
from typing import Final, Literal, NamedTuple, TypeAlias

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from toolfold_runtime.serving.http import Bounds

_CHECK_INTERVAL: Final = 1.0  # seconds, at most
_MOST_BEHIND: Final = 65_536  # bytes of requests that come before an answer
_FULL: Final = (
    b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: text/plain\r\ncontent-length: 20\r\n"
    b"retry-after: 5\r\nconnection: close\r\n\r\ntoo many connections"
)
#: The state of a connection: idle, reading the head or body of a request, or in a call.
Phase: TypeAlias = Literal["idle", "head", "body", "call"]


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
    is_ending = False

    @property
    def is_busy(self) -> bool:
        """Whether a request is being answered, or the answer is still being read."""
        is_answered = self.cycle is None or self.cycle.response_complete
        return not is_answered or self.transport.get_write_buffer_size() > 0

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
        if self.is_ending and self.cycle is not None:
            self.cycle.keep_alive = False
        if self.phase == "body":
            self.group.receive(self, len(data))
        self._note_phase()
        # Where reading stops behind a call, the end of the connection would not be seen.
        if self.flow.read_paused and self.phase == "call" and self._waits_for_little():
            self.flow.resume_reading()

    def on_response_complete(self) -> None:
        """Go on to the next request, of which there may be a part already.

        Not before the answer is read: a client that reads none could pile them up.
        """
        self.is_next_deferred = self.flow.write_paused
        if not self.is_next_deferred:
            super().on_response_complete()
            self._note_phase()

    def pause_writing(self) -> None:
        """Note that an answer is not read as fast as it comes."""
        super().pause_writing()
        self.group.note_unread(self)

    def resume_writing(self) -> None:
        """Go on: the answer was read."""
        super().resume_writing()
        self.group.unread.pop(self, None)
        if self.is_next_deferred:
            self.on_response_complete()

    def answer_once_more(self) -> None:
        """Close after the answer under way, or else after the next."""
        self.is_ending = True
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def shutdown(self) -> None:
        """End with the server; an answer that is not read by now is dropped."""
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

    def _waits_for_little(self) -> bool:
        """Whether little was sent behind the request that is being answered."""
        return len(self.conn.trailing_data[0]) < _MOST_BEHIND

    def _current_phase(self) -> Phase:
        state = self.conn.their_state
        if state is h11.IDLE:
            return "head" if self.conn.trailing_data[0] else "idle"
        return "body" if state is h11.SEND_BODY else "call"


class _Unread(NamedTuple):
    """An answer being sent: the bytes the client has not read, and since when it reads none."""

    since: float
    size: int


class _Connections:
    """All connections of a server."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.most = min(bounds.connections, _most_open_files() // 2)
        self.open: set[BoundedConnection] = set()
        #: Answers that are not read as fast as they come.
        self.unread: dict[BoundedConnection, _Unread] = {}
        self._period = min(_CHECK_INTERVAL, bounds.head / 4)
        self._received = 0
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

    def note_unread(self, connection: BoundedConnection) -> None:
        """Bound how long an answer waits for its client."""
        self.unread[connection] = _Unread(time.monotonic(), _untaken(connection.transport))

    def _close_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        """Close what waited too long."""
        now = time.monotonic()
        for connection in [one for one in self.open if one.deadline < now]:
            connection.end()
        # One that is closing waits for its client to read, and would do so for ever.
        for connection in self.open - self.unread.keys():
            if connection.transport.is_closing():
                self.note_unread(connection)
        self._drop_unread(now)
        self._timer = (
            loop.call_later(self._period, self._close_overdue, loop) if self.open else None
        )

    def _drop_unread(self, now: float) -> None:
        """Drop answers of which nothing is read any more, and the oldest where all are too much."""
        for connection, unread in list(self.unread.items()):
            size = _untaken(connection.transport)
            if size < unread.size:  # slow, but there
                self.unread[connection] = _Unread(now, size)
            elif now - unread.since > self.bounds.unread:
                connection.transport.abort()
        pending = sum(one.transport.get_write_buffer_size() for one in self.unread)
        for connection in sorted(self.unread, key=lambda one: self.unread[one].since):
            if pending <= self.bounds.pending:
                break
            pending -= connection.transport.get_write_buffer_size()
            connection.transport.abort()


def _untaken(transport: asyncio.Transport) -> int:
    """The bytes that a client has not read yet, including those in the system's buffer.

    Our own buffer alone would not do: it shrinks only when the system's has drained far enough, so
    a slow client would look like one that reads nothing. Windows does not tell the system's.
    """
    size = transport.get_write_buffer_size()
    with contextlib.suppress(ImportError, OSError, ValueError):  # Windows; no socket any more
        import fcntl
        import termios

        number = transport.get_extra_info("socket").fileno()
        size += int.from_bytes(fcntl.ioctl(number, termios.TIOCOUTQ, bytes(4)), sys.byteorder)
    return size


def _most_open_files() -> int:
    """How many files this process may have open, of which a connection is one."""
    with contextlib.suppress(ImportError):  # Windows
        import resource

        most: int = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        if most != resource.RLIM_INFINITY:
            return most
    return 1_000_000
