"""The sandbox: the processes of Monty that programs run in, and that check their types.

Monty's own event loop can abort the interpreter at its end, so its blocking interface is used, each
turn of a process in a thread.
"""

import asyncio
import threading
from typing import TYPE_CHECKING, Final

from toolfold_runtime import server_log
from toolfold_runtime.code.worker import Worker
from toolfold_runtime.contract.server import ProgramLimits
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.threads import Threads

if TYPE_CHECKING:
    from pydantic_monty import Monty, MontySession

#: Programs that run at once, and checks; others wait for their turn.
MOST_PROGRAMS: Final = 6
MOST_CHECKS: Final = 2
#: What a program asks of its host besides calls: names, the clock, files.
_MOST_QUESTIONS: Final = 1_000
#: Seconds that a check may take: it takes milliseconds.
_CHECK_SECONDS: Final = 5.0
_LAST_SECONDS: Final = 2.0
_BUSY: Final = "too many programs run; try again in a moment."


class Sandbox:
    """The processes of one server; the first program starts them."""

    def __init__(self, limits: ProgramLimits) -> None:
        self._limits = limits
        self._threads = Threads()
        self._lock = threading.Lock()
        self._pool: Monty | None = None
        self._has_ended = False
        self._open: set[Worker] = set()
        self._leaving: set[asyncio.Future[None]] = set()

    async def program(self) -> Worker:
        """A process for a program; ToolError where there is none."""
        return await self._worker(is_checker=False)

    async def checker(self) -> Worker:
        """A process that checks types, one program after the other, and runs none."""
        return await self._worker(is_checker=True)

    def close(self, worker: Worker) -> None:
        """Give a process back, or end it where something goes on in it; nobody waits for that."""
        worker.stop()
        worker.unwatch()
        self._open.discard(worker)
        leaving = self._threads.begin(worker.leave)
        self._leaving.add(leaving)
        leaving.add_done_callback(self._leaving.discard)

    async def end(self) -> None:
        """End every process."""
        self._has_ended = True
        for worker in [*self._open]:
            self.close(worker)
        if self._leaving:  # a pool that ends leaves alone what somebody still has
            await asyncio.wait(self._leaving, timeout=_LAST_SECONDS)
        await asyncio.wait([self._threads.begin(self._close_pool)], timeout=_LAST_SECONDS)

    async def _worker(self, *, is_checker: bool) -> Worker:
        worker = Worker(self._threads)
        self._open.add(worker)
        try:
            checkout = self._checker_session if is_checker else self._program_session
            await self._threads.run(worker.enter, checkout)
            worker.watch()
        except BaseException as error:
            self.close(worker)
            if isinstance(error, TimeoutError):
                raise ToolError("backend_failed", _BUSY) from None
            if isinstance(error, Exception):
                server_log.failure("the sandbox of programs cannot be started", error)
                text = "programs cannot be run here; the server's log says why."
                raise ToolError("backend_failed", text) from None
            raise
        return worker

    def _program_session(self) -> "MontySession":
        limits = self._limits
        return self._started().checkout(
            limits={
                "max_feed_duration_secs": limits.seconds,
                "max_memory": limits.megabytes * 1_000_000,
                "max_suspensions": limits.calls + _MOST_QUESTIONS,
            },
            # What is asked of the host, it does not answer.
            os_policy={"sleep": "call_host"}
            if limits.has_clock
            else {"sleep": "call_host", "datetime": "call_host"},
        )

    def _checker_session(self) -> "MontySession":
        limits = self._limits
        return self._started().checkout(
            limits={
                "max_feed_duration_secs": min(limits.seconds, _CHECK_SECONDS),
                "max_memory": max(limits.megabytes, 64) * 1_000_000,
            },
            type_check=True,
            type_check_format="json",
        )

    def _started(self) -> "Monty":
        with self._lock:
            if self._has_ended:
                raise RuntimeError("the server ends")
            if self._pool is None:
                from pydantic_monty import Monty

                pool = Monty(
                    max_processes=MOST_PROGRAMS + MOST_CHECKS,
                    checkout_timeout=self._limits.seconds,
                )
                self._pool = pool.__enter__()
            return self._pool

    def _close_pool(self) -> None:
        with self._lock:
            if self._pool is not None:
                pool, self._pool = self._pool, None
                pool.__exit__(None, None, None)
