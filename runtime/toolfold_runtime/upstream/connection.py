"""A connection that is made on first use, shared by all calls, closed when idle, and made again."""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple, TypeVar

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.definitions import Digests
from toolfold_runtime.upstream.errors import OutageError, UnsentError, UpstreamError
from toolfold_runtime.upstream.secrets import MissingVariableError, require_variables
from toolfold_runtime.upstream.session import Session
from toolfold_runtime.upstream.starts import Starts
from toolfold_runtime.upstream.state import ServerState
from toolfold_runtime.upstream.transport import Shared

T = TypeVar("T")

# Seconds that a session must last for its end to count as the first one again.
_SETTLED: Final = 30.0
# Seconds before the next start of one that has worked, from its second end in a row: calls wait for it.
_FIRST_RESTART: Final = 0.1
_LONGEST_RESTART: Final = 3.0
# Seconds before the next start of one that has not: calls are told why at once.
_FIRST_RETRY: Final = 1.0
_LONGEST_RETRY: Final = 30.0
_LONGEST_HTTP_RETRY: Final = 5.0
#: Failed starts in a row after which calls no longer wait for the next one.
_HOPELESS: Final = 3
_MOST_COUNTED: Final = 20


class Live(NamedTuple):
    """A session that was usable a moment ago, and what its server publishes."""

    session: Session
    digests: Digests

    async def learn_headers(self) -> None:
        """List the tools once: over HTTP, some of them have arguments that are sent as headers too."""
        if self.session.server.url is not None:
            with contextlib.suppress(UpstreamError):  # the call itself will tell
                await self.digests.digest_of("")


class Connection:
    """The sessions of one server, one after the other; of one caller, where each has its own."""

    def __init__(
        self, server: UpstreamServer, shared: Shared, starts: Starts, state: ServerState
    ) -> None:
        self.server = server
        self.state = state
        #: Calls that use it now, and when the last one ended.
        self.in_use = 0
        self.last_use = 0.0
        self._shared = shared
        self._starts = starts
        self._live: Live | None = None
        self._ending: dict[asyncio.Task[None], Session] = {}
        self._backoff = _Backoff(has_process=bool(server.command))
        self._idle_timer: asyncio.TimerHandle | None = None
        self._is_closed = False
        self._loop = asyncio.get_running_loop()

    async def run(self, work: Callable[[Live], Awaitable[T]]) -> T:
        """The result of work with a live session; OutageError if none can be had."""
        self.in_use += 1
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        since = self.state.failing_since
        try:
            return await self._tried(work)
        except OutageError as error:
            has_lasted = since and since == self.state.failing_since
            raise (error.lasting(since) if has_lasted else error) from None
        finally:
            self.in_use -= 1
            self.last_use = self._loop.time()
            if not self.in_use:
                self._idle_timer = self._loop.call_later(self.server.idle, self._close_idle)

    async def close(self) -> None:
        """End everything, and wait until nothing is left."""
        self._is_closed = True
        if self._idle_timer is not None:
            self._idle_timer.cancel()
        if self._live is not None:
            self._drop(self._live.session)
        for session in self._ending.values():
            session.stop()
        if self._ending:
            await asyncio.wait(self._ending)

    async def _tried(self, work: Callable[[Live], Awaitable[T]]) -> T:
        live = await self._usable()
        try:
            return await self._worked(live, work)
        except UnsentError:
            pass  # nothing was carried out: the server did not know the session, or heard nothing
        return await self._worked(await self._usable(), work)

    async def _worked(self, live: Live, work: Callable[[Live], Awaitable[T]]) -> T:
        try:
            result = await work(live)
        except OutageError as error:
            if not live.session.is_over:  # else it has told why
                self.state.fail(error.full)
            raise
        self.state.change("connected")  # again, where it could not be reached
        return result

    async def _usable(self) -> Live:
        """A connected session; one is started if needed, again after failures while that is promising."""
        while True:
            live = await self._begun()
            try:
                client = await asyncio.shield(live.session.ready)
            except OutageError:
                self._settle()
                if self._backoff.is_hopeful and not self._is_closed:
                    continue
                raise
            if not live.session.is_over:
                self._backoff.connected()
                # One that fails is connected again when a call has worked: an address can stop answering.
                if self.state.status != "failing":
                    self.state.change("connected", protocol=client.protocol_version)
            return live

    async def _begun(self) -> Live:
        """A session that is connected or connecting."""
        self._settle()
        if self._live is None:
            try:
                require_variables(self.server)
            except MissingVariableError as error:
                self.state.fail(str(error))
                raise
            await self._backoff.wait()
        if self._is_closed:
            raise OutageError("is not used any more: the server that calls it ends")
        if self._live is None:  # nobody else was faster
            session = Session(self.server, self._shared, self._starts, ended=self._ended)
            self._live = Live(session, Digests(session))
            self._backoff.begin()
            self.state.connections += 1
            self.state.change("connecting")
        return self._live

    def _settle(self) -> None:
        """Forget a session that is over but has not reported its end yet."""
        session = self._live.session if self._live is not None else None
        if session is None or not session.is_over:
            return
        if session.has_lost_session:
            self._drop(session)
        else:
            self._ended(session)

    def _ended(self, session: Session) -> None:
        """Note that a session is over, which the next call begins again."""
        if self._live is None or self._live.session is not session:
            return
        self._backoff.end(was_connected=session.was_connected)
        failure = session.failure or UpstreamError("ended")
        self._backoff.reason = failure.fact
        self.state.fail(failure.full)
        self._drop(session)

    def _drop(self, session: Session) -> None:
        """End a session, unless that has begun already."""
        if self._live is None or self._live.session is not session:
            return
        self._live = None
        self.state.connections -= 1
        # What was sent in a session that is lost may still be answered, and must not be sent twice.
        task = self._loop.create_task(session.end(is_patient=session.has_lost_session))
        self._ending[task] = session
        task.add_done_callback(self._ending.pop)

    def _close_idle(self) -> None:
        if self._live is not None and not self.in_use:
            self._drop(self._live.session)
            self.state.change("idle")


class _Backoff:
    """The delay before a server may be started again, by the number of failures in a row."""

    def __init__(self, *, has_process: bool) -> None:
        self._longest_retry = _LONGEST_RETRY if has_process else _LONGEST_HTTP_RETRY
        #: Why the last start failed.
        self.reason = ""
        self._has_worked = False
        #: Starts in a row that failed; and ends in a row, of sessions that worked, too soon.
        self._failed_starts = 0
        self._ends = 0
        self._began = 0.0
        self._next = 0.0
        self._loop = asyncio.get_running_loop()

    @property
    def is_hopeful(self) -> bool:
        """Whether waiting for the next start is worthwhile: it worked once, and rarely failed since."""
        return self._has_worked and self._failed_starts < _HOPELESS

    async def wait(self) -> None:
        """Wait until a server may start again; OutageError at once where there is little hope."""
        seconds = self._next - self._loop.time()
        if seconds <= 0:
            return
        if self.is_hopeful:
            await asyncio.sleep(seconds)
            return
        raise OutageError(
            f"{self.reason}, and is tried again in {math.ceil(seconds)} s at the earliest"
        )

    def begin(self) -> None:
        """Note a start."""
        self._began = self._loop.time()

    def connected(self) -> None:
        """Note that it works."""
        self._has_worked = True
        self._failed_starts = 0

    def end(self, *, was_connected: bool) -> None:
        """Note an unexpected end."""
        now = self._loop.time()
        if was_connected:
            self.connected()
            self._ends = 1 if now - self._began >= _SETTLED else min(self._ends + 1, _MOST_COUNTED)
        else:
            self._failed_starts = min(self._failed_starts + 1, _MOST_COUNTED)
        self._next = now + self._delay()

    def _delay(self) -> float:
        if not self.is_hopeful:
            failures = self._failed_starts - (_HOPELESS if self._has_worked else 0)
            return min(_FIRST_RETRY * 2.0 ** max(failures - 1, 0), self._longest_retry)
        count = self._ends + self._failed_starts
        return 0.0 if count <= 1 else min(_FIRST_RESTART * 2.0 ** (count - 2), _LONGEST_RESTART)
