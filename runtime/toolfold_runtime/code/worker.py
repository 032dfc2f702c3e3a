"""One process of the sandbox: it does one thing at a time, each in a thread of ours."""

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, TypeVar

from toolfold_runtime.running.threads import Threads

if TYPE_CHECKING:
    from pydantic_monty import MontySession

T = TypeVar("T")


class WorkerEndedError(Exception):
    """A process that was to go on has ended: it crashed, was killed, or was stopped by us."""


class Worker:
    """A process of Monty's pool, from its checkout until it is given back."""

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        #: Held while the process works for us.
        self._turn = threading.Lock()
        self._session: MontySession | None = None
        self._process: _Process | None = None
        self._is_stopped = False
        #: What is read of the process when it ends, and the task that it waits for meanwhile.
        self._watched: int | None = None
        self._waiting: asyncio.Task[object] | None = None
        self._has_died = False

    def enter(self, checkout: Callable[[], "MontySession"]) -> None:
        """Take a process, in a thread: blocks until one is free."""
        with self._turn:
            session = checkout()
            session.__enter__()
            self._session = session
            self._process = _Process(session.worker_pid)

    def leave(self) -> None:
        """Give the process back, in a thread: blocks until its turn has ended."""
        with self._turn:
            session, self._session = self._session, None
            if session is not None:
                with contextlib.suppress(Exception):  # of a process that was ended
                    session.__exit__(None, None, None)
            if self._process is not None:
                self._process.let_go()

    def stop(self) -> None:
        """Let nothing more begin, and end the process where something goes on in it."""
        self._is_stopped = True
        if self._process is not None and self._turn.locked():
            self._process.kill()

    def discard(self) -> None:
        """End the process, which has taken memory that it would keep for the next program."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    async def do(self, work: Callable[["MontySession"], T]) -> T:
        """What blocking work with the process returns; where nobody waits any more, the process ends."""

        def alone() -> T:
            with self._turn:
                if self._is_stopped or self._session is None:
                    raise WorkerEndedError
                return work(self._session)

        try:
            return await self._threads.begin(alone)
        except asyncio.CancelledError:
            self.stop()
            raise

    def watch(self) -> None:
        """Notice from now on when the process ends; for the event loop's thread."""
        descriptor = self._process.descriptor if self._process is not None else None
        if descriptor is not None:
            asyncio.get_running_loop().add_reader(descriptor, self._end_waiting)
            self._watched = descriptor

    def unwatch(self) -> None:
        """Notice it no more."""
        if self._watched is not None:
            asyncio.get_running_loop().remove_reader(self._watched)
            self._watched = None

    async def during(self, work: Coroutine[None, None, T]) -> T:
        """What work comes to that the process waits for; WorkerEndedError where that dies meanwhile."""
        self._waiting = task = asyncio.current_task()
        try:
            return await work
        except asyncio.CancelledError:
            if self._has_died and task is not None and not task.uncancel():
                raise WorkerEndedError from None
            raise
        finally:
            self._waiting = None

    def _end_waiting(self) -> None:
        self.unwatch()
        self._has_died = True
        if self._waiting is not None:
            self._waiting.cancel()


class _Process:
    """A process by what names it for as long as we hold it, whatever becomes of its number."""

    def __init__(self, number: int | None) -> None:
        self._number = number
        #: Becomes readable when the process ends; None where systems have no such thing.
        self.descriptor: int | None = None
        if number is not None and hasattr(os, "pidfd_open"):
            with contextlib.suppress(OSError):
                self.descriptor = os.pidfd_open(number)

    def kill(self) -> None:
        """End it at once."""
        with contextlib.suppress(OSError):
            if self.descriptor is not None:
                signal.pidfd_send_signal(self.descriptor, signal.SIGKILL)
            elif self._number is not None:  # which is its own: a turn is running in it
                os.kill(self._number, getattr(signal, "SIGKILL", signal.SIGTERM))

    def let_go(self) -> None:
        """Never touch it again."""
        self._number = None
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
