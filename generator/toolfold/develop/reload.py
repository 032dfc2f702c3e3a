"""`toolfold serve --reload`: a server for development, started again after every save.

Over HTTP the server is simply restarted. Over stdio a client keeps its connection: this process
stands between the two, and introduces the client to each new server as it introduced itself.
"""

import argparse
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, Protocol

from toolfold.cli.report import report
from toolfold.commands.generate import project_at
from toolfold.develop.proxy import Relay
from toolfold.develop.watch import Loop, Refused, Regenerated
from toolfold.errors import ManifestError, OutputError, UsageError

if TYPE_CHECKING:
    from watchfiles import Change

Say = Callable[[str], None]

_DEBOUNCE: Final = 100
_PATIENCE: Final = 5.0  # seconds that a server has to end by itself


class Served(Protocol):
    """A server that can be started again."""

    def restart(self) -> None:
        """End the running one, if any, and start a new one."""

    def stop(self) -> None:
        """End it for good."""


def serve_and_reload(options: argparse.Namespace, say: Say) -> int:
    """Generate and serve; after a save of the manifest or of Python code beside it, do it again."""
    project = project_at(options.manifest, options.output)
    loop = Loop(project)
    _tell(loop.run(), say)
    command = _command(options)
    ended = threading.Event()
    server: Served = Restarted(command) if options.http else Relay(command, ended)
    signal.signal(signal.SIGTERM, _leave)
    try:
        server.restart()
        for saved in _saves(loop, ended):
            if any(loop.reads(path) for path in saved):
                done = loop.run()
                _tell(done, say)
                if not isinstance(done, Regenerated):
                    continue
            server.restart()
            say("restarted")
    finally:
        server.stop()
    return 0


class Restarted:
    """A server that listens by itself."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: subprocess.Popen[bytes] | None = None

    def restart(self) -> None:
        """End the running one, if any, and start a new one."""
        self.stop()
        self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL)  # noqa: S603 - ours

    def stop(self) -> None:
        """End it for good."""
        if self._process is not None:
            end(self._process)


def end(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end, and see to it."""
    process.terminate()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _command(options: argparse.Namespace) -> list[str]:
    """The same command without `--reload`."""
    given = [argument for argument in options.given if argument != "--reload"]
    return [sys.executable, "-m", "toolfold", *given]


def _saves(loop: Loop, ended: threading.Event) -> Iterator[set[Path]]:
    from watchfiles import DefaultFilter, watch

    ordinary = DefaultFilter()
    output = loop.project.output.resolve()

    def matters(change: "Change", name: str) -> bool:
        path = Path(name)
        is_code = path.suffix == ".py" and not path.is_relative_to(output)
        return loop.reads(path) or (is_code and ordinary(change, name))

    root = loop.project.manifest.parent.resolve()
    for changes in watch(
        root, watch_filter=matters, debounce=_DEBOUNCE, step=_DEBOUNCE, stop_event=ended
    ):
        yield {Path(name) for _, name in changes}


def _tell(done: Regenerated | Refused, say: Say) -> None:
    """Everything goes to the log: stdout may belong to the protocol."""
    if isinstance(done, ManifestError):
        say(f"{report(done.problems)}\nstill serving what was generated before")
    elif isinstance(done, OutputError | UsageError):
        say(str(done))
    else:
        say("\n".join([f"{len(done.written.written)} files written", *done.costs]))


def _leave(*_: object) -> NoReturn:
    raise SystemExit(0)
