"""How tests start processes: Python as a fork of an interpreter that has made its imports already.

Such a process costs milliseconds, where a new interpreter that imports the SDK costs more than a
second. Everything else about it is its own: streams, folder, environment, group, signals, exit.
`pytest --cold` starts new interpreters only, and so does this module wherever a process differs in
what an interpreter reads when it starts.
"""

import atexit
import functools
import json
import os
import select
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final, Protocol

from tests.support.waiting import PATIENCE

#: Set by `pytest --cold`.
COLD: Final = "TOOLFOLD_TESTS_COLD"
_PROGRAM: Final = Path(__file__).with_name("forking.py")
#: Variables that an interpreter reads when it starts, and those of them that a fork heeds too.
_READ_AT_START: Final = ("PYTHON", "LC_", "LANG", "TZ")
_HEEDED: Final = frozenset({"PYTHONPATH", "PYTHONUNBUFFERED"})

Stream = int | IO[str]


class Process(Protocol):
    """A process that was started, as `subprocess` has it."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...
    def send_signal(self, sig: int) -> None: ...
    def terminate(self) -> None: ...


def start(
    command: Sequence[str],
    folder: Path | None,
    environment: Mapping[str, str],
    streams: tuple[Stream, Stream, Stream],
    *,
    may_fork: bool = True,
) -> Process:
    """Start a program in a process group of its own; forked where it is one of ours."""
    if may_fork and _is_ours(command) and not _starts_otherwise(environment):
        return _forking().start(command[1:], folder, environment, streams)
    stdin, stdout, stderr = streams
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        process_group=0,  # so that what it starts ends with it
    )


def is_running(pid: int) -> bool:
    """Whether a process is there, and has not ended."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return status.rpartition(")")[2].split()[0] != "Z"


def _is_ours(command: Sequence[str]) -> bool:
    """Whether this is the command line, a generated server, or code of a test."""
    program, kind, *rest = [*command, "", "", ""][:3]
    return program == sys.executable and (
        kind == "-c" or (kind == "-m" and (rest[0] == "toolfold" or rest[0].endswith(".server")))
    )


def _starts_otherwise(environment: Mapping[str, str]) -> bool:
    return (
        bool(os.environ.get(COLD))
        or not hasattr(os, "fork")
        or _read_at_start(environment) != _read_at_start(os.environ)
    )


def _read_at_start(environment: Mapping[str, str]) -> dict[str, str]:
    return {
        name: value
        for name, value in environment.items()
        if name.startswith(_READ_AT_START) and name not in _HEEDED
    }


class Forked:
    """A process that the forking interpreter started; what it says of it comes by a pipe."""

    def __init__(self, said: IO[bytes]) -> None:
        self._said = said
        self.pid = int(said.readline())
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """The exit code, or nothing while it runs."""
        return self._ended_within(0)

    def wait(self, timeout: float | None = None) -> int:
        """The exit code, once it has ended."""
        code = self._ended_within(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(f"process {self.pid}", timeout or 0)
        return code

    def send_signal(self, sig: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, sig)

    def terminate(self) -> None:
        self.send_signal(15)

    def _ended_within(self, timeout: float | None) -> int | None:
        if self.returncode is None and select.select([self._said], [], [], timeout)[0]:
            self.returncode = int(self._said.readline())
            self._said.close()
        return self.returncode


class _Forking:
    """The interpreter that forks, and the socket that it listens on."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        # What it prints is buffered, as that of any process; what a fork prints, as it is told.
        environment = {**os.environ, "PYTHONUNBUFFERED": ""}
        self._process = subprocess.Popen(
            [sys.executable, str(_PROGRAM), str(theirs.fileno())],
            env=environment,
            pass_fds=[theirs.fileno()],
            stdin=subprocess.DEVNULL,
            process_group=0,  # so that it outlives an interrupt of the tests, which end it
        )
        theirs.close()
        self._lock = threading.Lock()
        atexit.register(self._end)

    def start(
        self,
        arguments: Sequence[str],
        folder: Path | None,
        environment: Mapping[str, str],
        streams: tuple[Stream, Stream, Stream],
    ) -> Forked:
        request = {
            "arguments": arguments,
            "folder": str(folder or Path.cwd()),
            "environment": dict(environment),
        }
        data = json.dumps(request).encode()
        size = len(data).to_bytes(4, "big")
        reading, writing = os.pipe()
        descriptors = [one if isinstance(one, int) else one.fileno() for one in streams]
        with self._lock:
            socket.send_fds(self._socket, [size], [*descriptors, writing])
            self._socket.sendall(data)
        os.close(writing)
        return Forked(os.fdopen(reading, "rb", 0))

    def _end(self) -> None:
        self._socket.close()
        self._process.wait(PATIENCE)


@functools.cache
def _forking() -> _Forking:
    return _Forking()
