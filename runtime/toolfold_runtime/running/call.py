"""What a tool's method can use during a call: progress, cancellation, its caller, the cache."""

import contextlib
import math
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from toolfold_runtime.running.caller import Caller

if TYPE_CHECKING:
    import asyncio

    from toolfold_runtime.running.cache import ResultCache

#: Sends progress to the client: so much, of how much, a message.
Report: TypeAlias = Callable[[float, float | None, str | None], Awaitable[None]]
_Progress: TypeAlias = tuple[float, float | None, str | None]
_MAX_MESSAGE: Final = 1_000


class Consent(NamedTuple):
    """What came of asking the user."""

    #: Why the call may not go on, as a clause; empty where it may.
    refusal: str = ""
    #: Whether the client can ask its user at all.
    can_ask: bool = True


#: Asks the user a question, through the client.
Confirm: TypeAlias = Callable[[str], Awaitable[Consent]]


class CallContext(NamedTuple):
    """Where a call comes from: who makes it, and the ways back to that client and its user."""

    caller: Caller = Caller()
    report: Report | None = None
    confirm: Confirm | None = None
    #: Whether the client has asked to be told of progress, as far as anybody knows.
    asks_for_progress: bool = True


#: A call of which nothing is known.
ANONYMOUS: Final = CallContext()


class Call:
    """One call under way; every method may be used from any thread."""

    def __init__(self, cache: "ResultCache", context: CallContext) -> None:
        from asyncio import get_running_loop  # the package itself is imported without it

        self.cache = cache
        self.caller = context.caller
        #: What the call waits for that is not its tool, as a clause; for whoever waits too long.
        self.obstacle = ""
        self._report = context.report
        self._asks_for_progress = context.asks_for_progress
        self._loop = get_running_loop()
        self._is_cancelled = False
        self._deadline: float | None = None
        self._newest: _Progress | None = None
        self._last = float("-inf")
        self._sender: asyncio.Task[None] | None = None

    def seconds_left(self, seconds: float) -> float:
        """What is left of so many seconds, which begin when this is first asked."""
        now = self._loop.time()
        if self._deadline is None:
            self._deadline = now + seconds
        return max(0.0, self._deadline - now)

    def extend(self, seconds: float) -> None:
        """Add time that was not the tool's."""
        if self._deadline is not None:
            self._deadline += seconds

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._is_cancelled

    @property
    def wants_progress(self) -> bool:
        """Whether anybody would hear of progress, so that it is worth asking others for it."""
        return self._report is not None and self._asks_for_progress

    def cancel(self) -> None:
        """Tell the method that nobody waits any more."""
        self._is_cancelled = True

    def progress(self, done: float, total: float | None, message: str | None) -> None:
        """Tell the client, at once where it keeps up; else only the newest is sent.

        What is no progress, such as NaN, is ignored: it must not end the call.
        """
        if self._report is None or self.is_cancelled or not _is_number(done):
            return
        total = total if _is_number(total) else None
        if message is not None:
            # Half of a surrogate pair is no text that can be sent.
            message = str(message)[:_MAX_MESSAGE].encode("utf-8", "replace").decode()
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._enqueue, (done, total, message))

    async def end(self) -> None:
        """Send what is still to be sent; nothing that comes later is."""
        if self._sender is not None:
            await self._sender
        self._report = None

    def _enqueue(self, progress: _Progress) -> None:
        if self._report is None or progress[0] <= self._last:
            return  # the protocol wants it to rise
        self._last = progress[0]
        self._newest = progress
        if self._sender is None or self._sender.done():
            self._sender = self._loop.create_task(self._send(self._report))

    async def _send(self, report: Report) -> None:
        while self._newest is not None:
            newest, self._newest = self._newest, None
            # A client that is gone, or a transport that has no way back, hears nothing.
            with contextlib.suppress(Exception):
                await report(*newest)


def _is_number(value: object) -> bool:
    return isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))


_CURRENT: ContextVar[Call] = ContextVar("toolfold_call")


def set_current(call: Call) -> None:
    """Make this the call that the functions below are about, in this task and its threads."""
    _CURRENT.set(call)


def progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Tell the client how far the running call is; from async and blocking methods alike."""
    call = _CURRENT.get(None)
    if call is not None:
        call.progress(done, total, message)


def is_cancelled() -> bool:
    """Whether the running call was cancelled or timed out; a long loop should look now and then."""
    call = _CURRENT.get(None)
    return call is not None and call.is_cancelled


def caller() -> Caller:
    """Who makes the running call; nothing is known outside a call, and in threads of your own."""
    call = _CURRENT.get(None)
    return call.caller if call is not None else Caller()


def results_cache() -> "ResultCache | None":
    """The cache of results of the server that runs this call; None outside a call."""
    call = _CURRENT.get(None)
    return call.cache if call is not None else None
