"""`serve --http --workers N`: several processes that answer alike, are replaced, and end together."""

import contextlib
import http.client
import json
import os
import re
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest
from toolfold_runtime.usage.figures import figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store

from tests.serving.messages import LIST, call_of
from tests.support.commands import run
from tests.support.processes import is_running
from tests.support.projects import Json, Project, served_by
from tests.support.servers import HEADERS, Listening, free_port, listening, serve_command
from tests.support.waiting import PATIENCE, wait_until
from tests.usage.material import counted

_TOOL: Final[Json] = {"category": "all", "effect": "read", "summary": "Do it"}
_TOOLS: Final[dict[str, Json]] = {
    "who": _TOOL,
    "gated": _TOOL,
    "many": _TOOL | {"returns": {"type": "array", "items": {"type": "integer"}}},
}
_IMPLEMENTATION: Final = """
import asyncio, os

class Tools:
    def who(self, params):
        return str(os.getpid())

    async def gated(self, params):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(os.environ["GATE"]))
        await reader.read(1)
        writer.close()
        return str(os.getpid())

    def many(self, params):
        return list(range(1000, 2000))
"""
_COUNT: Final = 3


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    limits = {"disclosure": {"exposure": "progressive", "budgets": {"result": 300}}}
    folder = tmp_path_factory.mktemp("workers")
    return served_by(folder, _TOOLS, _IMPLEMENTATION, **limits)


@pytest.fixture
def gate() -> Iterator[socket.socket]:
    """What the tool `gated` waits for."""
    with socket.create_server(("127.0.0.1", 0)) as gate:
        gate.settimeout(PATIENCE)
        yield gate


class Way:
    """A connection to one of the workers, which stays."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.worker = int(self.text("run_read", tool="who"))

    def post(self, message: Json) -> str:
        self._connection.request("POST", "/mcp", json.dumps(message), HEADERS)
        return self._connection.getresponse().read().decode()

    def get(self, path: str) -> tuple[str, str | None]:
        """The body of an answer, and its tag."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        return answer.read().decode(), answer.headers["ETag"]

    def result(self, tool: str, /, **arguments: object) -> Json:
        found: Json = json.loads(self.post(call_of(tool, **arguments)))["result"]
        return found

    def text(self, tool: str, /, **arguments: object) -> str:
        return "\n".join(part["text"] for part in self.result(tool, **arguments)["content"])

    def close(self) -> None:
        self._connection.close()


@contextlib.contextmanager
def ways(server: Listening, count: int) -> Iterator[dict[int, Way]]:
    """A connection to each of so many workers."""
    found: dict[int, Way] = {}

    def is_complete() -> bool:
        way = Way(server.port)
        if found.setdefault(way.worker, way) is not way:
            stack.callback(way.close)  # not before: whoever has one takes the next one less likely
        return len(found) == count

    with contextlib.ExitStack() as stack:
        wait_until(is_complete, f"no {count} workers answer")
        yield found
        for way in found.values():
            way.close()


def workers(
    made: Project, count: int, *options: str, gate: int = 0
) -> contextlib.AbstractContextManager[Listening]:
    return listening(made, "--workers", str(count), *options, GATE=str(gate))


def lines(server: Listening, event: str) -> list[Json]:
    """What the log says of an event."""
    parsed = [json.loads(line) for line in server.err.lines if line.startswith("{")]
    return [line for line in parsed if line["event"].startswith(event)]


def test_every_worker_answers_and_all_say_the_same(made: Project) -> None:
    asked = [
        LIST,
        call_of("capabilities"),
        call_of("capabilities", category="all", detail="full"),
        call_of("tool_schema", tool="many"),
        call_of("search_tools", query="do it"),
    ]
    with workers(made, _COUNT, "--api") as server, ways(server, _COUNT) as found:
        answers = {tuple(way.post(message) for message in asked) for way in found.values()}
        documents = {way.get("/api/v1/tools/category/all") for way in found.values()}
        parent = server.process.pid

    assert (len(answers), len(documents)) == (1, 1)
    assert parent not in found
    (line,) = lines(server, "serving on")
    assert line["workers"] == _COUNT


def test_a_killed_worker_is_replaced_and_the_others_answer_meanwhile(made: Project) -> None:
    with workers(made, 2) as server, ways(server, 2) as found:
        killed, other = found.values()
        os.kill(killed.worker, signal.SIGKILL)
        assert int(other.text("run_read", tool="who")) == other.worker
        with ways(server, 2) as afterwards:
            assert other.worker in afterwards
            assert killed.worker not in afterwards

    (line,) = lines(server, "a worker ended")
    assert line["event"] == "a worker ended by signal 9; another is started"


def test_workers_end_with_a_parent_that_is_killed(made: Project) -> None:
    with workers(made, 2) as server:
        with ways(server, 2) as found:
            pass
        os.kill(server.process.pid, signal.SIGKILL)
        assert server.process.wait(PATIENCE) == -signal.SIGKILL
        wait_until(lambda: not any(is_running(one) for one in found), "workers go on")

        assert not server.is_open()
    assert "Traceback" not in server.log


def test_calls_under_way_are_finished_and_every_call_of_every_worker_is_counted(
    made: Project, gate: socket.socket, tmp_path: Path
) -> None:
    store, port = tmp_path / "usage.db", gate.getsockname()[1]
    with (
        workers(made, 2, "--usage", str(store), gate=port) as server,
        ways(server, 2) as found,
        ThreadPoolExecutor(2) as pool,
    ):
        for way in found.values():
            for _ in range(20):
                way.text("run_read", tool="many")
        under_way = [pool.submit(way.text, "run_read", tool="gated") for way in found.values()]
        inside = [gate.accept()[0] for _ in found]
        server.tell_to_stop()
        for one in inside:
            one.sendall(b"!")
            one.close()
        answers = {int(answer.result(PATIENCE)) for answer in under_way}
        assert server.end() == -signal.SIGTERM

    assert answers == set(found)
    by_tool = calls_by_tool(store)
    assert (by_tool["running::many"], by_tool["running::gated"]) == (40, 2)
    assert counted(Location("sqlite", str(store))) == sum(by_tool.values())
    assert not any(is_running(one) for one in found)


def calls_by_tool(store: Path) -> dict[str, int]:
    with contextlib.closing(open_store(Location("sqlite", str(store)), is_reader=True)) as opened:
        return {name: figures.calls for name, figures in figures_by_tool(opened.totals(0)).items()}


def test_a_cursor_of_another_worker_is_answered_with_the_offset_to_go_on_from(
    made: Project,
) -> None:
    with workers(made, 2) as server, ways(server, 2) as found:
        here, there = found.values()
        shown, cursor = part(here.text("run_read", tool="many"))
        refused = there.result("run_read", tool="many", cursor=cursor)
        said = str(refused["content"][0]["text"])
        while cursor:
            # On the other worker always, which never holds what is left.
            offset = re.findall(r"@\d+$", cursor)[0]
            more, cursor = part(there.text("run_read", tool="many", cursor=offset))
            shown += more

    assert refused["isError"]
    assert re.search(r'another process holds it\. .* from offset \d+: \{"tool":"many"', said)
    assert shown == list(range(1000, 2000))


def part(text: str) -> tuple[list[int], str]:
    """The items of an answer, and the cursor for the next."""
    value = json.loads(text.splitlines()[0])
    cursor = re.findall(r'"cursor":\s*"([^"]+)"', text)
    return list(value), cursor[0] if cursor else ""


# What keeps workers from serving


def test_what_keeps_every_worker_from_serving_is_said_once(tmp_path: Path) -> None:
    made = served_by(tmp_path, {"who": _TOOL}, "raise RuntimeError('no configuration')\n")
    command = serve_command(made, "--http", "--port", str(free_port()), "--workers", "3")
    done, alone = run(made.folder, *command), run(made.folder, *command[:-2])

    assert (done.code, alone.code) == (1, 1)
    why = "workers end before they serve; see above for why"
    assert events(done.err) == [*events(alone.err), why]
    assert "RuntimeError: no configuration" in done.err


def events(log: str) -> list[str]:
    return [str(json.loads(line)["event"]) for line in log.splitlines()]


def test_an_address_in_use_is_said_once(made: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        done = run(made.folder, *serve_command(made, "--http", "--port", port, "--workers", "2"))

    assert done.code == 1
    assert done.err.count(f"127.0.0.1:{port}") == 1
    assert "Traceback" not in done.err


@pytest.mark.parametrize("number", ["0", "-1", "two", "100000"])
def test_what_is_no_number_of_workers_is_wrong_use(number: str, made: Project) -> None:
    done = run(made.folder, *serve_command(made, "--http", f"--workers={number}"))

    assert done.code == 2
    assert f"{number} is no number of workers; 1 to " in done.err


def test_while_others_serve_a_worker_that_cannot_start_is_tried_again(tmp_path: Path) -> None:
    made = served_by(tmp_path, {"who": _TOOL}, _IMPLEMENTATION)
    file = made.folder / "implementation.py"
    with workers(made, 2) as server, ways(server, 2) as found:
        killed, other = found.values()
        file.write_text("raise RuntimeError('half-way through an update')\n", encoding="utf-8")
        os.kill(killed.worker, signal.SIGKILL)
        # As many as would end a server that has no worker left.
        server.err.wait_until(
            lambda: server.log.count("a worker ended with exit code 1") >= 5, "it is not tried"
        )
        assert int(other.text("run_read", tool="who")) == other.worker
        file.write_text(_IMPLEMENTATION, encoding="utf-8")
        with ways(server, 2) as afterwards:
            assert other.worker in afterwards
