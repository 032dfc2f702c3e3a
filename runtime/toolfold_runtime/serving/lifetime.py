"""The life of a server: the backend is started, calls are served, the backend is closed.

A server ends because its client went away or because a signal said so. Either way `close` of the
implementation is awaited, telemetry is flushed, and work that does not end is left behind.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from typing import Final

from toolfold_runtime import log
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.export import exporting

_ENDING: Final = (signal.SIGTERM, signal.SIGINT)


async def run_until_end(
    executor: Executor,
    service: str,
    serving: Callable[[], Coroutine[None, None, None]],
    *,
    over_stdio: bool,
) -> None:
    """Serve to the end; ends the process after a signal or where work does not end."""
    caught: list[int] = []
    with exporting(service):
        await executor.backend.start()
        try:
            if over_stdio:
                await _until_signal(serving, caught)
            else:
                with _deferred_signals(caught):  # the server of HTTP raises its own again
                    await serving()
        finally:
            await executor.backend.close()
            is_settled = await executor.limits.settled()
            counts = {kind: vars(counts) for kind, counts in executor.counters.items()}
            log.info("look-ups", **counts)
    if caught or not is_settled:
        _exit_now(caught[0] if caught else None)


async def _until_signal(
    serving: Callable[[], Coroutine[None, None, None]], caught: list[int]
) -> None:
    """Serve until the client leaves or a signal comes; reading standard input cannot be cancelled."""
    loop, signalled = asyncio.get_running_loop(), asyncio.Event()

    def stop(number: int) -> None:
        caught.append(number)
        signalled.set()

    for number in _ENDING:
        with contextlib.suppress(NotImplementedError, RuntimeError):  # Windows; not the main thread
            loop.add_signal_handler(number, stop, number)
    serve, wait = loop.create_task(serving()), loop.create_task(signalled.wait())
    await asyncio.wait([serve, wait], return_when=asyncio.FIRST_COMPLETED)
    wait.cancel()
    if serve.done():
        serve.result()


@contextlib.contextmanager
def _deferred_signals(caught: list[int]) -> Iterator[None]:
    """Record signals instead of ending by them."""
    before = {}
    for number in _ENDING:
        with contextlib.suppress(ValueError):  # not the main thread
            before[number] = signal.signal(number, lambda number, _: caught.append(number))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _exit_now(number: int | None) -> None:
    """End the process now, as the signal would have; threads that hang are not waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if number is None:
        os._exit(0)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
