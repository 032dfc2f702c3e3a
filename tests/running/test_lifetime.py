"""How a server begins and ends: started once, closed once, whatever it is doing."""

import json
import signal
from pathlib import Path
from typing import Final

import pytest

from tests.running.material import tool
from tests.support.projects import Project, served_by
from tests.support.servers import Stdio, listening, text_of

TOOLS: Final = {
    "state": tool(),
    "hang": tool(),
    "block": tool(),
    "stubborn": tool(timeout=0.05),
}
IMPLEMENTATION: Final = """
import asyncio, sys, threading

class Tools:
    def __init__(self):
        self.state_ = ["made"]

    async def start(self):
        await asyncio.sleep(0)
        self.loop = asyncio.get_running_loop()
        self.state_.append("started")

    async def close(self):
        print("closed after", self.state_, asyncio.get_running_loop() is self.loop,
              file=sys.stderr, flush=True)

    async def state(self, params):
        assert asyncio.get_running_loop() is self.loop
        return self.state_

    async def hang(self, params):
        print("hang begun", file=sys.stderr, flush=True)
        await asyncio.Event().wait()

    def block(self, params):
        print("block begun", file=sys.stderr, flush=True)
        threading.Event().wait()

    async def stubborn(self, params):
        print("stubborn begun", file=sys.stderr, flush=True)
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass
"""
CLOSED: Final = "closed after ['made', 'started'] True"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("lifetime"), TOOLS, IMPLEMENTATION)


def test_start_comes_before_the_first_call_and_close_after_the_last(made: Project) -> None:
    with Stdio.of(made) as server:
        server.call(1, "state")
        assert json.loads(text_of(server.wait(1)[0])) == ["made", "started"]
        assert "closed" not in server.log
        assert server.end() == 0

    assert server.log.count(CLOSED) == 1


@pytest.mark.parametrize("kind", ["hang", "block", "stubborn"])
def test_a_server_ends_with_its_client_whatever_its_methods_do(made: Project, kind: str) -> None:
    with Stdio.of(made) as server:
        for number in range(8):
            server.call(number, kind)
        server.wait_for_word(f"{kind} begun")
        if kind == "stubborn":
            server.wait(0)  # answered in time although the method goes on
        assert server.end() == 0

    said = server.log
    assert said.count(CLOSED) == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("kind", ["state", "hang", "block", "stubborn"])
def test_a_signal_ends_a_server_after_close(
    made: Project, kind: str, number: signal.Signals
) -> None:
    with Stdio.of(made) as server:
        server.call(1, kind)
        if kind == "state":
            server.wait(1)
        else:
            server.wait_for_word(f"{kind} begun")
        server.process.send_signal(number)
        assert server.end() == -number

    said = server.log
    assert said.count(CLOSED) == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_over_http_a_signal_ends_a_server_after_close(
    made: Project, number: signal.Signals
) -> None:
    with listening(made) as server:
        answer = server.post(
            {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "state"}}
        )
        assert json.loads(text_of(answer.json)) == ["made", "started"]
        server.process.send_signal(number)
        assert server.end() == -number

    said = server.log
    assert said.count(CLOSED) == 1
    assert "Traceback" not in said


@pytest.mark.parametrize("method", ["start", "close"])
@pytest.mark.parametrize("is_async", [True, False])
def test_a_start_that_fails_is_told_and_a_close_that_fails_is_logged(
    method: str, is_async: bool, tmp_path: Path
) -> None:
    word = "async " if is_async else ""
    code = f"class Tools:\n    {word}def {method}(self): raise RuntimeError('no database')\n"
    code += "    def state(self, params): return 1\n"
    broken = served_by(tmp_path, {"state": tool()}, code)
    server = Stdio.of(broken)

    if method == "start":
        assert server.end() == 1
        assert "start failed with RuntimeError: no database" in server.log
    else:
        with server:
            assert server.end() == 0
        assert "close failed with RuntimeError: no database" in server.log


def test_a_module_that_exits_when_it_is_imported_is_told(tmp_path: Path) -> None:
    server = Stdio.of(served_by(tmp_path, {"state": tool()}, "import sys\nsys.exit(3)\n"))

    assert server.end() == 1
    assert "implementation:Tools: failed with SystemExit: 3" in server.log


def test_tools_named_start_and_close_are_tools(tmp_path: Path) -> None:
    code = "class Tools:\n"
    code += "    def start(self, params): return 'begun'\n"
    code += "    def close(self, params): return 'ended'\n"
    odd = served_by(tmp_path, {"start": tool(), "close": tool()}, code)

    with Stdio.of(odd) as server:
        server.call(1, "start")
        server.call(2, "close")
        assert [text_of(answer) for answer in server.wait(1, 2)] == ["begun", "ended"]
        assert server.end() == 0

    assert server.log == ""
