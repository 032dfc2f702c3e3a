"""The notifications of a call: progress and log messages, in order."""

import contextlib
import math
import threading
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from toolfold_runtime.jsontext import sendable

if TYPE_CHECKING:
    import asyncio

#: Sends progress to the client: so much, of how much, a message.
Report: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
#: Sends a log message to the client: its level as `logging` numbers them, its logger, its data.
SendLog: TypeAlias = Callable[[int, str, object], Awaitable[None]]

#: Characters of a message to a client.
LONGEST_MESSAGE: Final = 1_000
# Messages that wait for a client to read earlier ones.
_MOST_PROGRESS: Final = 100
_MOST_LOGGED: Final = 1_000
_WARNING: Final = 30


class ClientLog(NamedTuple):
    """The way of log messages to a client that asked for them."""

    #: The lowest level that the client wants.
    level: int
    send: SendLog


class Notifications:
    """The messages of one call, from any thread; only its answer waits until they are sent."""

    def __init__(
        self, loop: "asyncio.AbstractEventLoop", report: Report | None, log: ClientLog | None
    ) -> None:
        self._loop = loop
        self._report = report
        self._log = log
        # May be taken again: what is logged while an author's object is deleted, at any moment.
        self._lock = threading.RLock()
        self._is_open = True
        self._waiting: deque[_Message] = deque()
        self._is_sending = False
        self._sender: asyncio.Task[None] | None = None
        self._last = float("-inf")
        self._newest: _Message | None = None
        self._progress_waiting = 0
        self._omitted = 0

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Send a report; a client that does not keep up gets the newest in place of older ones.

        What is no progress, such as NaN, is ignored: it must not end the call.
        """
        if self._report is None or not _is_number(done):
            return
        total = total if _is_number(total) else None
        content = (
            done,
            total,
            None if message is None else sendable(str(message), LONGEST_MESSAGE),
        )
        with self._lock:
            if not self._is_open or done <= self._last:
                return  # the protocol wants it to rise
            self._last = done
            if self._newest is not None and self._progress_waiting >= _MOST_PROGRESS:
                self._newest.content = content
                return
            self._newest = _Message(self._report, content)
            self._progress_waiting += 1
            self._put(self._newest)

    def wants(self, level: int) -> bool:
        """Whether the client asked for log messages of this level."""
        return self._log is not None and level >= self._log.level and self._is_open

    def log(self, level: int, logger: str, data: object) -> None:
        """Send the client a log message; it is told how many of a flood were left out."""
        if self._log is None or not self.wants(level):
            return
        with self._lock:
            if len(self._waiting) - self._progress_waiting >= _MOST_LOGGED:
                self._omitted += 1
            elif self._is_open:
                name = sendable(logger, LONGEST_MESSAGE)  # an author's may be any text
                self._put(_Message(self._log.send, (level, name, data)))

    async def end(self) -> None:
        """Send what waits; nothing that comes later is."""
        with self._lock:
            self._is_open = False
        if self._waiting:
            self._start()
        if self._sender is not None:
            await self._sender

    def discard(self) -> None:
        """Send nothing more: nobody waits for the answer."""
        with self._lock:
            self._is_open = False
            self._waiting.clear()
        if self._sender is not None:
            self._sender.cancel()
            self._sender = None

    def _put(self, message: "_Message") -> None:
        self._waiting.append(message)
        if not self._is_sending:
            self._is_sending = True
            with contextlib.suppress(RuntimeError):  # the loop has ended
                self._loop.call_soon_threadsafe(self._start)

    def _start(self) -> None:
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send())

    async def _send(self) -> None:
        while (message := self._next()) is not None:
            # A client that is gone, or a transport that has no way back, hears nothing.
            with contextlib.suppress(Exception):
                await message.send(*message.content)

    def _next(self) -> "_Message | None":
        with self._lock:
            if self._waiting:
                message = self._waiting.popleft()
                if message.send is self._report:
                    self._progress_waiting -= 1
                    self._newest = None if message is self._newest else self._newest
                return message
            omitted, self._omitted = self._omitted, 0
            if omitted and self._log is not None and self._log.level <= _WARNING:
                text = f"{omitted:,} log messages were left out: they came too fast to be sent"
                return _Message(self._log.send, (_WARNING, "toolfold", text))
            self._is_sending = False
            return None


class _Message:
    """A message that waits; newer progress takes the place of older."""

    __slots__ = ("content", "send")

    def __init__(self, send: Callable[..., Awaitable[None]], content: tuple[object, ...]) -> None:
        self.send = send
        self.content = content


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
