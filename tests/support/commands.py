"""Commands that end by themselves: the command line in this process, programs in their own."""

import contextlib
import io
import os
import signal
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import IO, Final

from toolfold.cli.main import main

from tests.support.processes import Stream, start
from tests.support.waiting import PATIENCE

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
#: Environments that tests make get the pinned versions, and are too short-lived for bytecode.
_PIP: Final = {
    "PIP_CONSTRAINT": str(Path(__file__).parents[2] / "constraints.txt"),
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_COMPILE": "1",
}
#: The beginning of a program that fails where it would warn.
WARNINGS_ARE_ERRORS: Final = "import warnings; warnings.simplefilter('error')\n"
_GIT_IDENTITY: Final = {
    "GIT_AUTHOR_NAME": "x",
    "GIT_AUTHOR_EMAIL": "x@example.com",
    "GIT_COMMITTER_NAME": "x",
    "GIT_COMMITTER_EMAIL": "x@example.com",
}


@dataclass(frozen=True)
class Result:
    """A command's exit code and what it printed."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams, for a message."""
        return self.out + self.err


def toolfold(folder: Path, *arguments: str) -> Result:
    """Carry out a command in `folder`, in this process."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder), redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    return Result(code, out.getvalue(), err.getvalue())


def toolfold_process(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] = _NOTHING,
    stdout: Stream | None = None,
    stderr: Stream | None = None,
) -> Result:
    """Carry out a command in `folder`, in a process of its own.

    For what this process cannot show: the standard streams, other environments, code that is run.
    What goes to another stream is not in the result.
    """
    command = (sys.executable, "-m", "toolfold", *arguments)
    return _finished(folder, command, environment, streams=(stdout, stderr))


def program(
    folder: Path, code: str, *arguments: str, environment: Mapping[str, str] = _NOTHING
) -> Result:
    """Run a Python program in `folder`, in a process that may have more imported than it asks for."""
    return run(folder, sys.executable, "-c", code, *arguments, environment=environment)


def python(
    folder: Path,
    *arguments: str,
    environment: Mapping[str, str] = _NOTHING,
    patience: float = PATIENCE,
) -> Result:
    """Run a new interpreter in `folder`: for what is imported, and for options of Python."""
    command = (sys.executable, *arguments)
    return _finished(folder, command, environment, patience=patience, may_fork=False)


def run(
    folder: Path, *command: str, stdin: str = "", environment: Mapping[str, str] = _NOTHING
) -> Result:
    """Run a program in `folder` to its end; one that does not end is killed and fails the test."""
    return _finished(folder, command, environment, stdin)


def _finished(
    folder: Path,
    command: Sequence[str],
    environment: Mapping[str, str],
    stdin: str = "",
    streams: tuple[Stream | None, Stream | None] = (None, None),
    *,
    patience: float = PATIENCE,
    may_fork: bool = True,
) -> Result:
    # Files, not pipes: nobody has to read while another writes.
    with _text_file() as given, _text_file() as out, _text_file() as err:
        given.write(stdin)
        given.seek(0)
        stdout, stderr = streams
        process = start(
            command,
            folder,
            process_environment(environment),
            (given, out if stdout is None else stdout, err if stderr is None else stderr),
            may_fork=may_fork,
        )
        try:
            code = process.wait(patience)
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        out.seek(0)
        err.seek(0)
        return Result(code, out.read(), err.read())


def _text_file() -> IO[str]:
    return TemporaryFile("w+", encoding="utf-8")


def must(folder: Path, *command: str, environment: Mapping[str, str] = _NOTHING) -> str:
    """Run a program that must succeed; what it printed."""
    done = run(folder, *command, environment=environment)
    assert done.code == 0, done.text
    return done.out


def process_environment(more: Mapping[str, str] = _NOTHING) -> dict[str, str]:
    """The environment of a process that a test starts.

    It finds the programs of this interpreter's environment, keeps bytecode apart from output that
    is looked at, and commits under a name of its own.
    """
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    settings = {"PATH": programs, **_GIT_IDENTITY, **_PIP}
    return {**os.environ, **settings, **more}
