"""Nothing is left of the programs that a gateway starts, however it ends."""

import os
import signal
from pathlib import Path

import pytest

from tests.support.servers import Stdio
from tests.support.waiting import wait_until
from tests.upstream.gateways import Door, Gateway, stub_server, until


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {
        "stub": stub_server(),
        "deaf": stub_server(env={"STUB_DEAF": "1"}),
        "idle": stub_server(idle=0.05),
    }
    return Gateway(tmp_path_factory.mktemp("gateway"), servers)


def is_running(pid: str) -> bool:
    """Whether a process runs; one that has ended and was not yet looked at does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def wait_for_end(*pids: str) -> None:
    wait_until(lambda: not any(map(is_running, pids)), f"of {pids} some run on")


async def started(door: Door) -> list[str]:
    """Two servers, each with a program of its own that does not listen to SIGTERM."""
    names = ("stub_pid", "stub_spawn", "deaf_pid", "deaf_spawn")
    return [await door.text(name) for name in names]


def test_closing_ends_servers_and_what_they_have_started(gateway: Gateway) -> None:
    pids = gateway.run(started)

    assert [is_running(pid) for pid in pids] == [False] * 4


def test_what_a_server_has_started_ends_when_it_dies(gateway: Gateway) -> None:
    async def calls(door: Door) -> None:
        server, child = await door.text("stub_pid"), await door.text("stub_spawn")
        os.kill(int(server), signal.SIGKILL)
        await until(door, "stub", "failing")
        assert await door.text("stub_echo", {"text": "started again"}) == "started again"
        while is_running(child):
            await door.text("stub_echo")

    gateway.run(calls)


def test_an_idle_server_ends_with_what_it_has_started(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        return [await door.text("idle_pid"), await door.text("idle_spawn")]

    wait_for_end(*gateway.run(calls))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_of_a_gateway_that_is_killed(gateway: Gateway, number: int) -> None:
    with Stdio.of(gateway.project) as server:
        names = ("stub_pid", "stub_spawn", "deaf_pid", "deaf_spawn")
        for name in names:
            server.call(name, name)
        pids = [answer["result"]["content"][0]["text"] for answer in server.wait(*names)]
        assert all(map(is_running, pids))
        server.process.send_signal(number)
        wait_for_end(*pids)


def test_nothing_is_left_when_the_client_goes_away(gateway: Gateway) -> None:
    with Stdio.of(gateway.project) as server:
        server.call(1, "deaf_spawn")
        server.call(2, "stub_pid")
        pids = [answer["result"]["content"][0]["text"] for answer in server.wait(1, 2)]
        assert server.end() == 0

    assert [is_running(pid) for pid in pids] == [False, False]
