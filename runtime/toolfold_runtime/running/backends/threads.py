"""Threads for methods that block: as many as run at once, reused, never waited for.

The threads are daemons: a method that never returns must not keep the process from ending, which
is why this is not the event loop's own pool.
"""

import asyncio
import contextlib
import contextvars
import queue
import threading
from collections.abc import Callable
from functools import partial
from typing import Final

_IDLE_SECONDS: Final = 30.0


class Work:
    """A function under way in a thread, and the future that is settled when it has ended."""

    def __init__(self, function: Callable[[], object]) -> None:
        self.function = function
        self.loop = asyncio.get_running_loop()
        self.future: asyncio.Future[object] = self.loop.create_future()

    async def ended(self) -> object:
        """Wait for the thread once more, after a wait that was cancelled."""
        self.future = self.loop.create_future()
        return await self.future

    def run(self) -> None:
        """Run the function, in a thread, and tell the loop what came of it."""
        result: object = None
        error: BaseException | None = None
        try:
            result = self.function()
        except StopIteration as stopped:
            # A future cannot carry it: to a coroutine it would mean something else.
            error = RuntimeError(f"{type(stopped).__name__} was raised")
        except BaseException as raised:
            error = raised
        # A loop that has ended has nobody waiting any more.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._settle, result, error)

    def _settle(self, result: object, error: BaseException | None) -> None:
        if self.future.done():
            return
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


class Workers:
    """Runs blocking functions; how many at once is for the caller to limit."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def run(self, function: Callable[..., object], *arguments: object) -> Work:
        """Begin; the caller's context goes with it."""
        work = Work(partial(contextvars.copy_context().run, function, *arguments))
        with self._lock:
            needs_thread = self._idle == 0
            self._idle -= 0 if needs_thread else 1
        self._waiting.put(work)
        if needs_thread:
            threading.Thread(target=self._work, name="toolfold worker", daemon=True).start()
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
