"""The lifetime of a server: the backend is started, calls are served, the backend is closed.

A server ends because its client went away or because a signal said so. Either way `close` of the
implementation is awaited, telemetry is flushed, usage is written, and work that does not end is
left behind.
"""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from types import FrameType
from typing import Final

from toolfold_runtime import server_log
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.export import exporting

_ENDING: Final = tuple(
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
)


async def run_until_end(
    executor: Executor,
    service: str,
    serving: Callable[[asyncio.Event], Coroutine[None, None, None]],
    *,
    has_parent: bool = False,
) -> None:
    """Serve to the end; ends the process after a signal or where work does not end.

    `serving` is given the event that is set when it is time to stop. A parent ends by itself what
    takes too long, so that a second signal, as a supervisor sends to all processes, means nothing.
    """
    caught: list[int] = []
    with exporting(service), _recording(executor):
        await executor.backend.start()
        try:
            with _signals(caught, signal.SIG_IGN if has_parent else signal.SIG_DFL) as stopping:
                await serving(stopping)
        finally:
            await executor.backend.close()
            is_settled = await executor.end()
            counts = {kind: vars(counts) for kind, counts in executor.counters.items()}
            server_log.info("look-ups", **counts)
    if caught or not is_settled:
        _exit_now(caught[0] if caught else None)


@contextlib.contextmanager
def _recording(executor: Executor) -> Iterator[None]:
    """Flush the usage recorder when the server ends, for whatever reason."""
    try:
        yield
    finally:
        if executor.recorder is not None:
            executor.recorder.close()


@contextlib.contextmanager
def _signals(caught: list[int], again: signal.Handlers) -> Iterator[asyncio.Event]:
    """An event that the first signal sets; from then on signals are handled by `again`.

    What whoever started the process has it ignore stays ignored, as `nohup` does with SIGHUP.
    """
    loop, stopping = asyncio.get_running_loop(), asyncio.Event()
    handled: list[int] = []

    def stop(number: int, _: FrameType | None) -> None:
        caught.append(number)
        for each in handled:
            signal.signal(each, again)
        loop.call_soon_threadsafe(stopping.set)

    with contextlib.ExitStack() as restoring:
        for number in _ENDING:
            with contextlib.suppress(ValueError):  # not the main thread
                if signal.getsignal(number) is not signal.SIG_IGN:
                    restoring.callback(signal.signal, number, signal.signal(number, stop))
                    handled.append(number)
        yield stopping
        if caught:
            restoring.pop_all()


def _exit_now(number: int | None) -> None:
    """End the process now, as the signal would have; threads that hang are not waited for."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    if number is None:
        os._exit(0)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
