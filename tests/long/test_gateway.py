"""A gateway before real servers, all at once, and before a hundred local ones."""

import asyncio
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.listing import LiveServer, live_server

from tests.support.real_servers import SERVERS, RealServer, installed
from tests.support.waiting import PATIENCE
from tests.upstream.gateways import Door, Gateway, imported, stub_server
from tests.upstream.stub import TOOLS
from tests.upstream.test_children import wait_for_end

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def servers() -> list[RealServer]:
    return installed()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the servers work on: a git repository with a file."""
    path = tmp_path_factory.mktemp("work")
    (path / "notes.txt").write_text("hello", encoding="utf-8")
    subprocess.run(["git", "init", "--quiet", str(path)], check=True)
    return path


@pytest.fixture(scope="module")
def live(servers: list[RealServer], folder: Path) -> dict[str, LiveServer]:
    """What each of them publishes."""

    async def listed() -> list[LiveServer]:
        declared = (
            UpstreamServer(server.name, tuple(server.command(folder)), env=server.env)
            for server in servers
        )
        return [await live_server(server, PATIENCE) for server in declared]

    return dict(zip((server.name for server in servers), asyncio.run(listed()), strict=True))


@pytest.mark.parametrize("server", SERVERS, ids=lambda server: server.name)
def test_a_real_server_is_listed_exactly(server: RealServer, live: dict[str, LiveServer]) -> None:
    found = live[server.name]

    assert (found.protocol_version, len(found.tools)) == (server.protocol, server.tools)


def test_twelve_real_servers_at_once(
    servers: list[RealServer],
    folder: Path,
    live: dict[str, LiveServer],
    tmp_path: Path,
) -> None:
    declared = {
        server.name: {
            "command": server.command(folder),
            "env": {name: {"plain": value} for name, value in server.env.items()},
            "timeout": 120,
        }
        for server in servers
    }
    tools = {
        name: tool
        for server in servers
        for name, tool in imported(server.name, live[server.name].tools).items()
    }
    gateway = Gateway(tmp_path, declared, tools)

    async def calls(door: Door) -> dict[str, str]:
        called = [
            door.text(f"{server.name}::{server.tool}", server.given(folder)) for server in servers
        ]
        texts = await asyncio.gather(*called)
        states = door.upstreams.states()
        assert [state.status for state in states] == ["connected"] * len(servers)
        return dict(zip(declared, texts, strict=True))

    texts = gateway.run(calls)

    failed = {name: text for name, text in texts.items() if text.startswith("backend_failed")}
    assert failed == {}
    assert texts["calculator"] == "42"
    assert texts["everything"] == "Echo: hello"
    assert "notes.txt" in texts["shell"]
    assert str(folder) in texts["filesystem"]
    assert "No commits yet" in texts["git"] or "Untracked" in texts["git"]


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {f"s{number}": stub_server() for number in range(100)}
    few = [tool for tool in TOOLS if tool["name"] in ("echo", "pid", "crash", "spawn")]
    tools = {name: tool for server in servers for name, tool in imported(server, few).items()}
    return Gateway(tmp_path_factory.mktemp("hundred"), servers, tools)


def every(hundred: Gateway, name: Callable[[int], str]) -> list[str]:
    async def calls(door: Door) -> list[str]:
        given = [door.text(name(number), {"text": str(number)}) for number in range(100)]
        return await asyncio.gather(*given)

    return hundred.run(calls)


def test_a_hundred_servers_called_at_once_answer_each_its_own_call(hundred: Gateway) -> None:
    assert every(hundred, lambda number: f"s{number}_echo") == [str(n) for n in range(100)]


def test_a_hundred_servers_leave_no_process_behind(hundred: Gateway) -> None:
    pids = every(hundred, lambda number: f"s{number}_pid")

    assert len(set(pids)) == 100
    wait_for_end(*pids)


def test_of_a_hundred_servers_those_that_fail_harm_no_other(hundred: Gateway) -> None:
    def name(number: int) -> str:
        return f"s{number}_crash" if number % 3 == 0 else f"s{number}_echo"

    answers = every(hundred, name)

    for number, answer in enumerate(answers):
        if number % 3 == 0:
            assert answer.startswith(f"backend_failed: s{number}: ended during the call")
        else:
            assert answer == str(number)
