"""Threads for blocking functions: reused, and never waited for at the end.

The threads are daemons: a method that never returns must not keep the process from ending, which
is why this is not the event loop's own pool.
"""

import asyncio
import contextlib
import contextvars
import os
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Any, Final, Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_IDLE_SECONDS: Final = 30.0


class Threads:
    """Runs blocking functions; how many at once is for the caller to limit."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[_Work[Any]] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    async def run(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The result of the function.

        A thread cannot be cancelled: whoever is cancelled here waits until it has ended, so that
        it counts as running for that long. Cancelled once more, it is left behind. What the function
        raises is raised here, also after a cancellation.
        """
        work = self._begin(function, *args, **kwargs)
        try:
            return await work.future
        except asyncio.CancelledError:
            if not work.has_ended:
                await work.ended()
            raise

    def begin(
        self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs
    ) -> "asyncio.Future[T]":
        """Start the function in a thread and return its future."""
        return self._begin(function, *args, **kwargs).future

    def _begin(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> "_Work[T]":
        # The caller's context goes with it.
        work = _Work(partial(contextvars.copy_context().run, function, *args, **kwargs))
        with self._lock:
            needs_thread = self._idle == 0
            self._idle -= 0 if needs_thread else 1
        if needs_thread:  # before the work is queued: where no thread can be had, it must not run
            threading.Thread(target=self._work, name="toolfold worker", daemon=True).start()
        self._waiting.put(work)
        return work

    def _work(self) -> None:
        while True:
            try:
                work = self._waiting.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle == 0:
                        continue  # work was just promised to this thread
                    self._idle -= 1
                return
            work.run()
            del work  # nothing of a call outlives it
            with self._lock:
                self._idle += 1


class _Work(Generic[T]):
    """A function under way in a thread, and the future that is settled when it has ended."""

    def __init__(self, function: Callable[[], T]) -> None:
        self._loop = asyncio.get_running_loop()
        self._function = function
        self._process = os.getpid()
        self.future: asyncio.Future[T] = self._loop.create_future()
        self.has_ended = False

    async def ended(self) -> None:
        """Wait for the thread once more, after a wait that was cancelled."""
        self.future = self._loop.create_future()
        await self.future

    def run(self) -> None:
        """Run the function, in a thread, and tell the loop what came of it."""
        try:
            settle = partial(self._succeed, self._function())
        except StopIteration as stopped:
            # A future cannot carry it: to a coroutine it would mean something else.
            settle = partial(self._fail, RuntimeError(f"{type(stopped).__name__} was raised"))
        except BaseException as error:
            settle = partial(self._fail, error)
        end_forked_copy(self._process)
        # A loop that has ended has nobody waiting any more.
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(settle)

    def _succeed(self, result: T) -> None:
        self.has_ended = True
        if not self.future.done():
            self.future.set_result(result)

    def _fail(self, error: BaseException) -> None:
        self.has_ended = True
        if not self.future.done():
            self.future.set_exception(error)


def end_forked_copy(process: int) -> None:
    """End this process if it was forked from the server: a copy must not answer its calls."""
    if os.getpid() != process:
        os._exit(0)
