"""A process that is forked for a test is like one that was started anew."""

import sys
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import Result, program, python
from tests.support.projects import import_path
from tests.support.servers import Running

FACTS: Final = """\
import os, signal, sys, threading, warnings
print(sys.argv, sys.path, os.getcwd(), os.getpgid(0) == os.getpid(), __name__)
print(sorted(item for item in os.environ.items() if item[0] != "LC_CTYPE"))
print([signal.getsignal(number) for number in sorted(signal.valid_signals())])
print([os.path.exists(f"/dev/fd/{number}") for number in range(32)])
print([(stream.encoding, stream.errors, stream.isatty()) for stream in (sys.stdin, sys.stdout)])
print([type(stream.buffer) for stream in (sys.stdin, sys.stdout, sys.stderr)])
print(sys.stdin.read(), warnings.filters, [thread.name for thread in threading.enumerate()])
"""
ENDS: Final = {
    "": 0,
    "raise SystemExit(3)": 3,
    "import sys; sys.exit('no')": 1,
    "import os; os._exit(4)": 4,
    "import os, signal; os.kill(os.getpid(), signal.SIGTERM)": -15,
    "import os, signal; os.kill(os.getpid(), signal.SIGINT)": -2,
    "import sys; sys.stdout.close(); raise ValueError": 1,
}


def both(folder: Path, code: str, **environment: str) -> tuple[Result, Result]:
    """What a fork and a new interpreter do."""
    more = {**import_path(folder / "modules"), **environment}
    forked = program(folder, code, "an argument", environment=more)
    return forked, python(folder, "-c", code, "an argument", environment=more)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_fork_sees_the_same(unbuffered: str, tmp_path: Path) -> None:
    forked, started = both(tmp_path, FACTS, PYTHONUNBUFFERED=unbuffered, OTHER="new")

    assert started.code == 0, started.err
    assert forked.out.splitlines() == started.out.splitlines()
    assert forked.err == started.err


@pytest.mark.parametrize(("code", "exit_code"), ENDS.items())
def test_a_fork_ends_the_same(code: str, exit_code: int, tmp_path: Path) -> None:
    forked, started = both(tmp_path, code)

    assert (forked.code, started.code) == (exit_code, exit_code)
    assert forked.out == started.out
    assert forked.err.splitlines()[-1:] == started.err.splitlines()[-1:]


def test_a_fork_takes_the_modules_of_its_own_folder_first(tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "server.py").write_text("print(__name__, __file__)", encoding="utf-8")

    with Running([sys.executable, "-m", "own.server"], tmp_path) as process:
        said = process.out.until("__main__")

    assert said == [f"__main__ {tmp_path}/own/server.py"]
