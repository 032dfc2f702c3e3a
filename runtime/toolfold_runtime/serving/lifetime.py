"""A server's life: the backend started, calls served, the backend closed, whatever ends it.

A server ends because its client went away or because a signal said so. Either way `close` of the
implementation is awaited, telemetry is flushed, and work that does not end is left behind.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator
from typing import Any, Final

from toolfold_runtime import log
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.export import exporting

_ENDING: Final = (signal.SIGTERM, signal.SIGINT)


async def live(
    executor: Executor,
    service: str,
    serving: Callable[[], Coroutine[Any, Any, None]],
    *,
    over_stdio: bool,
) -> None:
    """Serve to the end; does not return where a signal, or work that never ends, says otherwise."""
    caught: list[int] = []
    with exporting(service):
        await executor.backend.start()
        try:
            await (_until_told if over_stdio else _finished)(serving, caught)
        finally:
            await executor.backend.close()
            is_settled = await executor.limits.settled()
            counts = {kind: vars(counts) for kind, counts in executor.counters.items()}
            log.info("look-ups", **counts)
    if caught or not is_settled:
        _leave(caught[0] if caught else None)


async def _until_told(serving: Callable[[], Coroutine[Any, Any, None]], caught: list[int]) -> None:
    """Serve until the client leaves or a signal comes; reading standard input cannot be cancelled."""
    loop, told = asyncio.get_running_loop(), asyncio.Event()

    def tell(number: int) -> None:
        caught.append(number)
        told.set()

    for number in _ENDING:
        with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows; not the main thread
            loop.add_signal_handler(number, tell, number)
    serve, wait = loop.create_task(serving()), loop.create_task(told.wait())
    await asyncio.wait([serve, wait], return_when=asyncio.FIRST_COMPLETED)
    wait.cancel()
    if serve.done():
        serve.result()


async def _finished(serving: Callable[[], Awaitable[None]], caught: list[int]) -> None:
    """Serve until the server of HTTP has ended gracefully; it raises its signal again after that."""
    with _held_back(caught):
        await serving()


@contextlib.contextmanager
def _held_back(caught: list[int]) -> Iterator[None]:
    """Keep a signal for later instead of dying of it."""
    before = {}
    for number in _ENDING:
        with contextlib.suppress(ValueError):  # not the main thread
            before[number] = signal.signal(number, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _leave(number: int | None) -> None:
    """End the process now, as the signal would have; threads that hang are not waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if number is None:
        os._exit(0)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
