"""Threads for methods that block: as many as run at once, kept for a while, never waited for.

The threads are daemons: a method that never returns must not keep the process from ending, which
is why this is not the event loop's own pool.
"""

import asyncio
import contextvars
import queue
import threading
from collections.abc import Callable
from typing import Any, Final

_IDLE_SECONDS: Final = 30.0

_Work = tuple[asyncio.AbstractEventLoop, "asyncio.Future[Any]", Callable[[], Any]]


class Workers:
    """Runs blocking functions; how many at once is for the caller to limit."""

    def __init__(self) -> None:
        self._waiting: queue.SimpleQueue[_Work] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._idle = 0

    def run(self, function: Callable[..., Any], *arguments: Any) -> "asyncio.Future[Any]":
        """What the function returns or raises; the caller's context goes with it."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        context = contextvars.copy_context()
        with self._lock:
            needs_thread = self._idle == 0
            self._idle -= 0 if needs_thread else 1
        self._waiting.put((loop, future, lambda: context.run(function, *arguments)))
        if needs_thread:
            threading.Thread(target=self._work, name="toolfold worker", daemon=True).start()
        return future

    def _work(self) -> None:
        while True:
            try:
                loop, future, function = self._waiting.get(timeout=_IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    if self._idle == 0:
                        continue  # work was just promised to this thread
                    self._idle -= 1
                return
            _carry_out(loop, future, function)
            del loop, future, function  # nothing of a call outlives it
            with self._lock:
                self._idle += 1


def _carry_out(
    loop: asyncio.AbstractEventLoop, future: "asyncio.Future[Any]", function: Callable[[], Any]
) -> None:
    result: Any = None
    error: BaseException | None = None
    try:
        result = function()
    except StopIteration as stopped:
        # A future cannot carry it: to a coroutine it would mean something else.
        error = RuntimeError(f"{type(stopped).__name__} was raised")
    except BaseException as raised:
        error = raised
    try:
        loop.call_soon_threadsafe(_settle, future, result, error)
    except RuntimeError:
        return  # the loop has ended; nobody waits any more


def _settle(future: "asyncio.Future[Any]", result: Any, error: BaseException | None) -> None:
    if future.cancelled():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
