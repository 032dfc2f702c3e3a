"""A server that is told to stop finishes what runs, says how long it waits, and what it cut off."""

import asyncio
import contextlib
import http.client
import json
import signal
import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from toolfold_runtime.serving.http import Bounds

from tests.serving.in_process import serving
from tests.serving.messages import TOKEN, call_in, call_of, events
from tests.serving.streaming import IMPLEMENTATION, TOOLS
from tests.support.commands import run
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Listening, is_open, listening, post, serve_command
from tests.support.waiting import PATIENCE, wait_until

MODES: list[Json] = [{}, TOKEN]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("shutdown"), TOOLS, IMPLEMENTATION)


@pytest.fixture
def gate() -> Iterator[socket.socket]:
    """What the tool `gated` waits for."""
    with socket.create_server(("127.0.0.1", 0)) as gate:
        gate.settimeout(PATIENCE)
        yield gate


@contextlib.contextmanager
def gated(made: Project, gate: socket.socket, *options: str) -> Iterator[Listening]:
    with listening(made, *options, GATE=str(gate.getsockname()[1])) as server:
        yield server


def lines(server: Listening, event: str) -> list[Json]:
    """What the log says of an event."""
    parsed = [json.loads(line) for line in server.err.lines if line.startswith("{")]
    return [line for line in parsed if line["event"] == event]


def is_ended(code: int) -> bool:
    return code in (0, -signal.SIGTERM)


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
def test_a_call_under_way_is_finished_and_the_log_says_so(
    meta: Json, made: Project, gate: socket.socket
) -> None:
    with (
        gated(made, gate, "--shutdown-seconds", str(PATIENCE)) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        answer = pool.submit(server.post, call_in("legacy", "gated", meta))
        inside, _ = gate.accept()
        with inside:
            server.tell_to_stop()
            server.err.wait_until(lambda: "finished first" in server.log, "nothing is said")
            assert not answer.done()
            inside.sendall(b"!")
            body = answer.result(PATIENCE).body
        assert is_ended(server.end())

    last = events(body)[-1] if meta else json.loads(body)
    assert last["result"]["content"][0]["text"] == "opened"
    (line,) = lines(server, "calls under way are finished first")
    assert (line["level"], line["calls"], line["seconds"]) == ("notice", 1, PATIENCE)
    assert "cut off" not in server.log


def test_while_calls_are_waited_for_a_server_lives_and_is_not_ready(made: Project) -> None:
    methods, stopping = Waiting(), asyncio.Event()
    with (
        ThreadPoolExecutor(1) as pool,
        contextlib.ExitStack() as stack,
        serving(made, methods, Bounds(idle=PATIENCE), stopping) as port,
    ):
        answer = pool.submit(post, port, call_of("hang"))
        asking = [_asking(port, stack) for _ in range(3)]
        assert methods.begun.wait(PATIENCE)
        stopping.set()
        wait_until(lambda: not is_open(port), "it goes on listening")
        paths = ("/readyz", "/livez", "/readyz")
        found = [_status(*each) for each in zip(asking, paths, strict=True)]
        methods.let_go()
        assert answer.result(PATIENCE).status == 200

    assert found == [(503, "stopping"), (200, "ok"), (503, "stopping")]


class Waiting:
    """Ends when it is told to."""

    def __init__(self) -> None:
        self.begun = threading.Event()
        self._is_enough = threading.Event()

    def hang(self, params: Any) -> str:
        self.begun.set()
        self._is_enough.wait(PATIENCE)
        return "let go"

    def let_go(self) -> None:
        self._is_enough.set()


def _asking(port: int, stack: contextlib.ExitStack) -> http.client.HTTPConnection:
    """A connection that is open, and has been answered before."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    stack.callback(connection.close)
    assert _status(connection, "/readyz") == (200, "ok")
    return connection


def _status(connection: http.client.HTTPConnection, path: str) -> tuple[int, str]:
    connection.request("GET", path)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
def test_a_call_that_does_not_end_in_time_is_cut_off(meta: Json, made: Project) -> None:
    with (
        listening(made, "--shutdown-seconds", "0.2") as server,
        ThreadPoolExecutor(2) as pool,
    ):
        calls = [call_in("legacy", tool, meta) for tool in ("hang", "hang_blocked")]
        answers = [pool.submit(_status_or_failure, server, call) for call in calls]
        wait_until(lambda: server.log.count("begins") == 2, "the calls do not begin")
        server.process.terminate()
        found = [answer.result(PATIENCE) for answer in answers]
        assert is_ended(server.end())

    assert found == ([503, 503] if not meta else ["IncompleteRead"] * 2)
    (line,) = lines(server, "calls that did not end in time are cut off")
    assert (line["level"], line["calls"]) == ("warning", 2)
    assert "hang is cancelled" in server.log
    assert "hang_blocked is cancelled" in server.log
    assert "Traceback" not in server.log


def _status_or_failure(server: Listening, call: Json) -> Any:
    try:
        return server.post(call).status
    except http.client.HTTPException as error:
        return type(error).__name__


def test_a_server_with_nothing_to_finish_waits_for_nothing(made: Project) -> None:
    with (
        listening(made, "--shutdown-seconds", str(PATIENCE)) as server,
        contextlib.ExitStack() as stack,
    ):
        _asking(server.port, stack)
        server.process.terminate()
        assert is_ended(server.end())

    assert "finished first" not in server.log


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "soon", "1e9"])
def test_what_is_no_number_of_seconds_is_wrong_use(seconds: str, made: Project) -> None:
    done = run(made.folder, *serve_command(made, "--http", f"--shutdown-seconds={seconds}"))

    assert (done.code, done.out) == (2, "")
    assert f"{seconds} is no number of seconds; 0 to 3600" in done.err
