"""However a server or a command ends: no traceback, no process and no folder is left behind."""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.support.commands import process_environment, run
from tests.support.processes import is_running
from tests.support.projects import Project, import_path, served_by
from tests.support.servers import (
    Running,
    Stdio,
    free_port,
    is_open,
    listening,
    package_command,
    serve_command,
    text_of,
)
from tests.support.waiting import PATIENCE, wait_until

TOOL: Final = {"category": "all", "effect": "read", "summary": "Do it"}
TOOLS: Final = {"hang": TOOL, "large": TOOL, "log": TOOL}
IMPLEMENTATION: Final = """
import asyncio, os, sys

class Tools:
    async def close(self):
        print("closed", file=sys.stderr, flush=True)
        if os.environ.get("STAYS"):
            await asyncio.sleep(1000)

    async def hang(self, params):
        print("begun", file=sys.stderr, flush=True)
        await asyncio.sleep(1000)

    async def large(self, params):
        return "x" * 3_000_000

    async def log(self, params):
        raise ValueError("for the log")
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("endings"), TOOLS, IMPLEMENTATION)


# The client goes away


def closing(server: Stdio, *streams: str) -> None:
    for name in streams:
        # The reader in this process holds the stream: the descriptor itself is closed.
        os.dup2(_NOWHERE, server.descriptors[name])


_NOWHERE: Final = os.open(os.devnull, os.O_RDWR)


@pytest.mark.parametrize("streams", [("stdout",), ("stdout", "stdin")])
def test_a_client_that_dies_in_the_middle_of_a_call_ends_the_server(
    streams: tuple[str, ...], made: Project
) -> None:
    with Stdio.of(made) as server:
        server.call(1, "hang")
        server.wait_for_word("begun")
        closing(server, *streams)
        if "stdin" not in streams:
            server.call(2, "log")
            server.wait(2)  # which the reader waited for already
            server.call(3, "log")  # the answer to this one finds nobody
        assert server.process.wait(PATIENCE) == 0

    assert "closed" in server.log
    assert "BrokenPipe" not in server.log
    assert "hang" not in server.log


def test_an_answer_that_nobody_reads_does_not_keep_a_server_from_ending(made: Project) -> None:
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"large"}}'
    with subprocess.Popen(
        package_command(made.package),
        env=process_environment(import_path(made.output)),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdin.write(f"{hello}\n{call}\n")
        process.stdin.flush()
        process.stdout.readline()
        process.stdin.close()
        assert process.stderr.readline() == "closed\n"
        assert process.wait(PATIENCE) == 0
        assert process.stderr.read() == ""


def test_requests_that_come_through_a_pipe_are_answered_before_the_end(made: Project) -> None:
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}'
    calls = (
        f'{{"jsonrpc":"2.0","id":{n},"method":"tools/call","params":{{"name":"log"}}}}'
        for n in range(2, 6)
    )
    lines = "\n".join([hello, *calls])
    command = package_command(made.package)
    done = run(made.folder, *command, stdin=lines, environment=import_path(made.output))

    assert done.code == 0
    assert sorted(json.loads(line)["id"] for line in done.out.splitlines()) == [1, 2, 3, 4, 5]


def test_a_log_that_nobody_reads_harms_nothing(made: Project) -> None:
    with Stdio.of(made) as server:
        closing(server, "stderr")
        for number in range(3):
            server.call(number, "log")
        texts = [text_of(answer) for answer in server.wait(0, 1, 2)]
        assert server.end() == 0

    assert all(text.startswith("backend_failed: log failed with ValueError") for text in texts)


@pytest.mark.parametrize(
    ("is_package", "closed", "code", "words"),
    [
        (True, "<&-", 1, "standard input is closed; a client speaks over it, or use --http"),
        (False, ">&-", 1, "standard output is closed; a client speaks over it, or use --http"),
        (True, "2>&-", 0, ""),
        (False, "<&- >&- 2>&-", 1, ""),
    ],
)
def test_a_server_that_is_started_with_a_closed_stream_says_so(
    is_package: bool, closed: str, code: int, words: str, made: Project
) -> None:
    command = package_command(made.package) if is_package else serve_command(made)
    line = f"{shlex.join(command)} {closed}"
    done = run(made.folder, "bash", "-c", line, environment=import_path(made.output))

    assert (done.code, done.out) == (code, "")
    assert words in done.err
    assert "Traceback" not in done.err


# Signals


def test_a_second_signal_ends_a_server_at_once(made: Project) -> None:
    with Stdio.of(made, STAYS="1") as server:
        server.process.send_signal(signal.SIGHUP)
        server.wait_for_word("closed")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == -signal.SIGINT

    assert "Traceback" not in server.log


def test_a_second_signal_ends_a_server_over_http_at_once(made: Project) -> None:
    with listening(made, STAYS="1") as server:
        server.process.send_signal(signal.SIGTERM)
        server.err.wait_until(lambda: "closed" in server.log, "it is not closed")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == -signal.SIGTERM

    assert "Traceback" not in server.log


def test_a_signal_that_is_ignored_stays_ignored(made: Project) -> None:
    command = [sys.executable, "-c", _IGNORING, made.package]
    with Stdio(command, **import_path(made.output)) as server:
        server.process.send_signal(signal.SIGHUP)
        server.request("after", "ping")
        assert server.end() == 0


_IGNORING: Final = """
import runpy, signal, sys
signal.signal(signal.SIGHUP, signal.SIG_IGN)
runpy.run_module(f"{sys.argv.pop(1)}.server", run_name="__main__", alter_sys=True)
"""


@contextlib.contextmanager
def command(project: Project, temporary: Path, *arguments: str) -> Iterator[Running]:
    """A `toolfold` command that goes on until it is ended."""
    given = [sys.executable, "-m", "toolfold", *arguments, "-m", str(project.manifest)]
    with Running(given, PYTHONUNBUFFERED="1", TMPDIR=str(temporary)) as process:
        yield process


def descendants(pid: int) -> list[int]:
    """The processes that one has started, and those that they have."""
    found = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text(encoding="utf-8").split():
            found += [int(child), *descendants(int(child))]
    return found


ENDED: Final[dict[str, tuple[Sequence[str], str]]] = {
    "generate --watch": (("generate", "--watch"), "exposure: "),
    "docs serve": (("docs", "serve"), "Serving "),
    "serve --reload": (("serve", "--reload"), ""),
    "serve --reload --http": (("serve", "--reload", "--http"), ""),
}


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("generate --watch", signal.SIGTERM),
        ("docs serve", signal.SIGHUP),
        ("serve --reload", signal.SIGINT),
        ("serve --reload --http", signal.SIGHUP),
    ],
)
def test_a_command_that_is_ended_leaves_nothing_behind(
    name: str, number: signal.Signals, made: Project, tmp_path: Path
) -> None:
    arguments, begun = ENDED[name]
    port = free_port()
    listens = "--http" in arguments or "docs" in arguments
    more = ("--port", str(port)) if listens else ()
    with command(made, tmp_path, *arguments, *more) as process:
        if begun:
            process.out.until(begun)
        elif listens:
            wait_until(lambda: is_open(port), "nothing listens")
        else:
            process.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}\n')
            process.out.until('{"jsonrpc"')
        children = descendants(process.process.pid)
        process.process.send_signal(number)
        code = process.process.wait(PATIENCE)
        wait_until(lambda: not any(map(is_running, children)), "a process is left")

    assert code == (128 + number if number == signal.SIGINT else -number)
    assert list(tmp_path.iterdir()) == []
    assert "Traceback" not in process.log
    assert "Fatal" not in process.log
    assert "bug in toolfold" not in process.log


# Pipes


@pytest.mark.parametrize("arguments", ["generate", "schema"])
def test_what_nobody_reads_is_no_bug(arguments: str, made: Project) -> None:
    given = [sys.executable, "-m", "toolfold", *arguments.split()]
    with subprocess.Popen(
        given,
        cwd=made.folder,
        env=process_environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.close()
        _, errors = process.communicate(timeout=PATIENCE)

    assert process.returncode == 1
    assert errors == ""


def test_a_command_runs_without_streams_that_are_closed(made: Project) -> None:
    line = f"{shlex.quote(sys.executable)} -m toolfold budget >&- 2>&-"

    assert run(made.folder, "bash", "-c", line).code == 0
