"""Commands that end by themselves: the command line in this process, programs in their own."""

import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from toolfold.cli.main import main

from tests.support.waiting import PATIENCE

_NOTHING: Final[Mapping[str, str]] = MappingProxyType({})
#: Environments that tests make get the pinned versions, and are too short-lived for bytecode.
_PIP: Final = {
    "PIP_CONSTRAINT": str(Path(__file__).parents[2] / "constraints.txt"),
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_COMPILE": "1",
}
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
    folder: Path, *arguments: str, stdin: str = "", environment: Mapping[str, str] = _NOTHING
) -> Result:
    """Carry out a command in `folder`, in a process of its own.

    For what this process cannot show: what is imported, the standard streams, other environments.
    """
    return python(folder, "-m", "toolfold", *arguments, stdin=stdin, environment=environment)


def python(
    folder: Path,
    *arguments: str,
    stdin: str = "",
    environment: Mapping[str, str] = _NOTHING,
    patience: float = PATIENCE,
) -> Result:
    """Run this interpreter in `folder`, in a process of its own."""
    command = (sys.executable, *arguments)
    return run(folder, *command, stdin=stdin, environment=environment, patience=patience)


def run(
    folder: Path,
    *command: str,
    stdin: str = "",
    environment: Mapping[str, str] = _NOTHING,
    patience: float = PATIENCE,
) -> Result:
    """Run a program in `folder` to its end; one that does not end is killed and fails the test."""
    done = subprocess.run(
        command,
        cwd=folder,
        env=process_environment(environment),
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=patience,
    )
    return Result(done.returncode, done.stdout, done.stderr)


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
    own = {"PATH": programs, **_GIT_IDENTITY, **_PIP}
    return {**os.environ, **own, **more}
