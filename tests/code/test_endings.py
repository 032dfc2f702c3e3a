"""However a program ends, no call and no process of it is left, and the server goes on."""

import contextlib
import json
import os
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest

from tests.code.material import IMPLEMENTATION, MANIFEST, TOOLS
from tests.code.workers import workers_of
from tests.support.processes import is_running
from tests.support.projects import Project, served_by
from tests.support.servers import HEADERS, Listening, Stdio, listening, text_of
from tests.support.waiting import PATIENCE, wait_until

#: Programs that go on until somebody ends them: in a call, and in the sandbox.
WAITS: Final = "wait(seconds=500)"
LOOPS: Final = "while True: pass"


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Programs may take very long."""
    bounds = {"execution": {"code": {"seconds": 600}}}
    return served_by(tmp_path_factory.mktemp("patient"), TOOLS, IMPLEMENTATION, **MANIFEST | bounds)


@pytest.fixture(scope="module")
def waiting(patient: Project) -> Iterator[Listening]:
    with listening(patient) as server:
        yield server


def message(code: str, tool: str = "run_code") -> dict[str, Any]:
    params = {"name": tool, "arguments": {"code": code}}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def answered(server: Listening, code: str) -> Any:
    return json.loads(text_of(server.post(message(code)).json))["result"]


@contextlib.contextmanager
def begun(server: Listening, code: str) -> Iterator[socket.socket]:
    """A connection on which a program runs that has made its first call."""
    started = answered(server, "made(of='wait')")
    body = json.dumps(message(f"wait(seconds=0)\n{code}")).encode()
    head = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    start = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}Content-Length: {len(body)}\r\n\r\n"
    calls = 2 if code == WAITS else 1
    with socket.create_connection(("127.0.0.1", server.port)) as connection:
        connection.sendall(start.encode() + body)
        wait_until(lambda: answered(server, "made(of='wait')") == started + calls, "it never began")
        yield connection


def read_answer(connection: socket.socket) -> str:
    """What is answered on a connection, up to the last character of its JSON."""
    connection.settimeout(PATIENCE)
    said = b""
    while not said.endswith(b"}"):
        said += connection.recv(65_536)
    return said.decode()


@pytest.mark.parametrize("code", [WAITS, LOOPS])
def test_a_client_that_goes_away_ends_its_program(code: str, waiting: Listening) -> None:
    cut = answered(waiting, "cut_short()")
    with begun(waiting, code):
        workers = workers_of(waiting.process.pid)

    if code == WAITS:
        wait_until(lambda: answered(waiting, "cut_short()") == cut + 1, "the call goes on")
    else:
        wait_until(lambda: not all(map(is_running, workers)), "the program goes on")
    assert answered(waiting, "list_()") == 7


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGABRT])
@pytest.mark.parametrize("code", [WAITS, LOOPS])
def test_a_worker_that_dies_ends_its_program_alone(
    code: str, number: signal.Signals, waiting: Listening
) -> None:
    cut = answered(waiting, "cut_short()")
    with begun(waiting, code) as connection:
        for worker in workers_of(waiting.process.pid):
            with contextlib.suppress(ProcessLookupError):  # that has just ended by itself
                os.kill(worker, number)
        said = read_answer(connection)

    assert "backend_failed: the sandbox of the program ended unexpectedly;" in said
    done = {
        WAITS: r"\nline 2: wait(seconds=500)\ncalls made: 2",
        LOOPS: r"\nafter line 1: wait(seconds=0)\ncalls made: 1",
    }
    assert done[code] in said
    assert answered(waiting, "list_()") == 7
    wait_until(lambda: answered(waiting, "cut_short()") == cut + (code == WAITS), "a call goes on")


def test_what_takes_too_long_is_cut_off_with_its_call(server: Listening) -> None:
    cut = answered(server, "cut_short()")
    text = text_of(server.post(message("made(of='x')\nwait(seconds=500)")).json)

    assert text == (
        "timeout: the program did not end within 5 s; do less at once\n"
        "line 2: wait(seconds=500)\ncalls made: 2"
    )
    wait_until(lambda: answered(server, "cut_short()") == cut + 1, "the call goes on")


def test_more_programs_than_run_at_once_take_turns(server: Listening) -> None:
    with ThreadPoolExecutor(15) as beside:
        texts = [beside.submit(answered, server, f"{n} + list_()") for n in range(15)]

    assert [future.result() for future in texts] == [n + 7 for n in range(15)]


@pytest.mark.parametrize("code", [WAITS, LOOPS])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_server_that_ends_leaves_no_worker(
    code: str, number: signal.Signals, patient: Project
) -> None:
    with contextlib.ExitStack() as ending:
        server = ending.enter_context(listening(patient, "--shutdown-seconds", "0"))
        ending.enter_context(begun(server, code))
        workers = workers_of(server.process.pid)
        server.process.send_signal(number)
        server.process.wait(100)

    wait_until(lambda: not any(map(is_running, workers)), "a worker is left")


def test_a_server_over_stdio_ends_cleanly_after_programs(patient: Project) -> None:
    with Stdio.of(patient) as server:
        _ends_cleanly(server)


@pytest.mark.long
@pytest.mark.parametrize("number", range(25))
def test_the_interpreter_ends_cleanly_every_time(number: int, patient: Project) -> None:
    with Stdio.of(patient) as server:
        _ends_cleanly(server)


def _ends_cleanly(server: Stdio) -> None:
    server.call(1, "run_code", code="[list_() for n in range(5)]")
    server.call(2, "run_code", code="1 / 0")
    server.call(3, "run_code", code="find_ordrs()")
    server.wait(1, 2, 3)
    workers = workers_of(server.process.pid)

    assert workers
    assert server.end() == 0
    assert "Traceback" not in server.log
    assert not any(map(is_running, workers))
