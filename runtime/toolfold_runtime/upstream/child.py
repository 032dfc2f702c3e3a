"""A child process with pipes, in a process group of its own that is ended as a whole."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from toolfold_runtime.upstream.guard import Guard

# Seconds for a program to end by itself once its standard input is closed, and after SIGTERM.
_GRACE: Final = 2.0
_TERMINATING: Final = 1.5
_POLL: Final = 0.02
# Of the environment, what programs need; nothing else of ours reaches them unless it is declared.
_INHERITED: Final = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")


class Child:
    """A running program; whatever it started in its process group ends with it."""

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], cwd: Path | None, guard: Guard
    ) -> None:
        """Start it; OSError where that is not possible."""
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        # The command is the manifest's: whoever writes that decides what runs.
        self._process = subprocess.Popen(  # noqa: S603
            [*command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=cwd,
            env={**inherited, **env},
            start_new_session=True,
        )
        self._guard = guard
        self._pidfd: int | None = None
        guard.add(self._process.pid)

    async def connect(
        self,
        output: asyncio.Protocol,
        errors: asyncio.Protocol,
        input_: asyncio.BaseProtocol,
    ) -> asyncio.WriteTransport:
        """Give its output to two protocols; the transport that writes to its input."""
        loop, process = asyncio.get_running_loop(), self._process
        await loop.connect_read_pipe(lambda: output, process.stdout)
        await loop.connect_read_pipe(lambda: errors, process.stderr)
        transport, _ = await loop.connect_write_pipe(lambda: input_, process.stdin)
        return transport

    def watch(self, ended: Callable[[], object]) -> None:
        """Call back when it has ended, where the system can tell; else its output tells."""
        if not hasattr(os, "pidfd_open"):
            return
        with contextlib.suppress(OSError):  # of an older kernel
            self._pidfd = os.pidfd_open(self._process.pid)
            asyncio.get_running_loop().add_reader(self._pidfd, self._exited, ended)

    def how_it_ended(self) -> str:
        """`exit code 1`, `signal SIGKILL`; empty while it runs."""
        code = self._process.poll()
        if code is None:
            return ""
        if code >= 0:
            return f"exit code {code}"
        with contextlib.suppress(ValueError):
            return f"signal {signal.Signals(-code).name}"
        return f"signal {-code}"

    async def end(self, *, is_patient: bool) -> None:
        """End the whole group: its input is closed already; then SIGTERM, then SIGKILL.

        A patient end gives it time to end by itself before the first signal.
        """
        try:
            grace = _GRACE if is_patient else 0.0
            # What it has started may go on without it.
            if not await self._has_ended(grace, self._is_running) or self._is_group_alive():
                self._signal(signal.SIGTERM)
            await self._has_ended(_TERMINATING, self._is_group_alive)
        finally:
            self._signal(signal.SIGKILL)
            self._unwatch()
            await self._has_ended(_TERMINATING, self._is_running)
            self._guard.remove(self._process.pid)

    def _exited(self, ended: Callable[[], object]) -> None:
        self._unwatch()
        self._process.poll()
        ended()

    def _unwatch(self) -> None:
        if self._pidfd is not None:
            asyncio.get_running_loop().remove_reader(self._pidfd)
            os.close(self._pidfd)
            self._pidfd = None

    async def _has_ended(self, seconds: float, is_alive: Callable[[], bool]) -> bool:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while is_alive():
            if loop.time() >= deadline:
                return False
            await asyncio.sleep(_POLL)
        return True

    def _is_running(self) -> bool:
        return self._process.poll() is None

    def _is_group_alive(self) -> bool:
        self._process.poll()
        try:
            os.killpg(self._process.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass  # somebody else's by now, or on its way out: nobody can tell
        return True

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, number)
