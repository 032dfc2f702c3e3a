"""What a tool's method can use during a call: progress, cancellation, its caller, the cache."""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import InputRequired, UnansweredError
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.deadline import Deadline
from toolfold_runtime.running.notifications import ClientLog, Notifications, Report

if TYPE_CHECKING:
    import asyncio

    from toolfold_runtime.running.cache import ResultCache, Sharing
    from toolfold_runtime.running.question import Question


class Consent(NamedTuple):
    """The outcome of asking the user."""

    #: Why the call may not go on, as a clause; empty where it may.
    refusal: str = ""
    #: Whether the client can ask its user at all.
    can_ask: bool = True


#: Asks the user whether a tool may run, through the client.
Confirm: TypeAlias = Callable[[str], Awaitable[Consent]]
#: A context manager around the time that a user takes to answer.
Waiting: TypeAlias = Callable[[], contextlib.AbstractAsyncContextManager[None]]
#: Asks the user a question of a method's; None where the user declined.
Ask: TypeAlias = Callable[["Question", Waiting], Awaitable[Json | None]]


class Paused(Protocol):
    """The state of a program that waits for its user, between the question and the next call."""

    def restored(self) -> str:
        """The state in which the program waited; empty where this is its first call."""

    def pause(self, state: str) -> None:
        """Have the client bring the state back with its user's answer."""

    def end_call(self) -> None:
        """Forget what the user said: it was about one call of the program's, which is over."""


class CallContext(NamedTuple):
    """The origin of a call: its caller, and functions to reach that client and its user."""

    caller: Caller = Caller()
    report: Report | None = None
    confirm: Confirm | None = None
    ask: Ask | None = None
    log: ClientLog | None = None
    #: Whether the client has asked to be told of progress, as far as anybody knows.
    asks_for_progress: bool = True
    #: Where a program may wait for its user; None where its user is asked while it runs.
    paused: Paused | None = None


#: The context of a call about which nothing is known.
ANONYMOUS: Final = CallContext()


class Slots(Protocol):
    """The places that a call takes among those that run at once."""

    async def acquire(self) -> None:
        """Wait for them; not where the call is over."""

    def release(self) -> None:
        """Give them back."""


class Call:
    """One call under way; `progress`, `log` and `ask_blocking` may be used from any thread."""

    def __init__(self, cache: "ResultCache", context: CallContext) -> None:
        from asyncio import get_running_loop  # the package itself is imported without it

        self._loop = get_running_loop()
        self.cache = cache
        self.caller = context.caller
        #: What the call waits for besides its tool, as a clause for the message of a timeout.
        self.obstacle = ""
        #: Whether other servers should be asked for progress.
        self.wants_progress = context.report is not None and context.asks_for_progress
        self.deadline = Deadline(self._loop)
        self.notifications = Notifications(self._loop, context.report, context.log)
        #: Set by the caller of the call: the slots that it takes, and who else gets its result.
        self.slots: Slots | None = None
        self.sharing: Sharing | None = None
        self._ask = context.ask
        self._is_cancelled = False
        self._has_ended = False
        self._waiting = 0
        self._asked: dict[str, asyncio.Task[Json | None]] = {}
        self._required: InputRequired | None = None

    @property
    def is_cancelled(self) -> bool:
        """Whether nobody waits for the answer any more."""
        return self._is_cancelled

    def cancel(self) -> None:
        """Tell the method that nobody waits any more."""
        self._is_cancelled = True
        self._end_questions()

    async def end(self) -> None:
        """Send what is still to be sent; nothing that comes later is."""
        self._end_questions()
        await self.notifications.end()

    @contextlib.asynccontextmanager
    async def waiting(self) -> AsyncIterator[None]:
        """Count the time inside as the user's: it is not the tool's, and takes no place of others."""
        self._waiting += 1
        if self._waiting == 1:
            self.deadline.pause()
            if self.slots is not None:
                self.slots.release()
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self.deadline.resume()
                if self.slots is not None:
                    await self.slots.acquire()

    async def ask(self, question: "Question") -> Json | None:
        """The user's answer; UnansweredError if there is none, InputRequired if it comes with a later call."""
        from asyncio import get_running_loop, run_coroutine_threadsafe, wrap_future

        if get_running_loop() is not self._loop:  # of a method that runs one of its own
            return await wrap_future(run_coroutine_threadsafe(self.ask(question), self._loop))
        if self.sharing is not None:
            self.sharing.end()
        if self._ask is None or self._has_ended:
            raise UnansweredError("there is nobody to ask", can_ask=False)
        if question.name in self._asked:
            # The answer of the first would be taken for that of the second.
            raise ValueError(f"ask: two questions are named {question.name}; name each differently")
        task = self._loop.create_task(self._answer(self._ask, question))
        task.add_done_callback(_retrieve_exception)
        self._asked[question.name] = task
        return await task

    def ask_blocking(self, question: "Question") -> Json | None:
        """The same for a thread, which waits."""
        import asyncio
        from concurrent.futures import CancelledError

        with contextlib.suppress(RuntimeError):  # no loop runs in this thread
            if asyncio.get_running_loop() is self._loop:
                raise TypeError("ask_blocking would hold up the server; write `await ask(…)` here")
        try:
            return asyncio.run_coroutine_threadsafe(self.ask(question), self._loop).result()
        except CancelledError:
            raise asyncio.CancelledError from None

    def require_input(self) -> None:
        """Raise InputRequired if the method raised it, even if the method then caught it."""
        if self._required is not None and not self._is_cancelled:
            raise self._required

    async def _answer(self, ask: Ask, question: "Question") -> Json | None:
        try:
            return await ask(question, self.waiting)
        except InputRequired as required:
            self._required = required
            raise

    def _end_questions(self) -> None:
        self._has_ended = True
        for task in self._asked.values():
            task.cancel()


def _retrieve_exception(task: "asyncio.Task[Json | None]") -> None:
    """Retrieve an exception that the method may not wait for any more."""
    if not task.cancelled():
        task.exception()


_CURRENT: ContextVar[Call] = ContextVar("toolfold_call")


def set_current(call: Call) -> None:
    """Set the call that the functions below refer to, in this task and its threads."""
    _CURRENT.set(call)


def current() -> Call | None:
    """The call that runs here; None outside a call, and in threads of the author's own."""
    return _CURRENT.get(None)


def progress(done: float, total: float | None = None, message: str | None = None) -> None:
    """Tell the client how far the running call is; from async and blocking methods alike."""
    call = _CURRENT.get(None)
    if call is not None:
        call.notifications.progress(done, total, message)


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
