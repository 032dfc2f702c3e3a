"""Calls of tools that other servers carry out: started once, shared, limited, cancelled."""

import asyncio
import os
from pathlib import Path
from typing import Any

import anyio
import pytest

from tests.support.clients import ERAS, Era, connected, over_stdio
from tests.support.projects import import_path, served_by
from tests.support.servers import Stdio, package_command
from tests.upstream.gateways import Door, Gateway, imported, stub_server
from tests.upstream.stub import TOOLS


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    return Gateway(tmp_path_factory.mktemp("gateway"), {"stub": stub_server()})


def test_a_tool_can_be_called_by_name_by_id_and_through_a_runner(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        given = {"text": "hello"}
        return [
            await door.text("stub_echo", given),
            await door.text("stub::echo", given),
            await door.text("run_read", {"tool": "stub::echo", "arguments": given}),
        ]

    assert gateway.run(calls) == ["hello"] * 3


def test_arguments_are_validated_before_anything_starts(gateway: Gateway) -> None:
    async def calls(door: Door) -> tuple[str, str]:
        text = await door.text("stub_echo", {"text": 1})
        return text, door.upstreams.states()[0].status

    text, status = gateway.run(calls)

    assert text.startswith("invalid_arguments: ")
    assert status == "unused"


def test_fifty_first_callers_make_one_start_and_a_cancelled_one_harms_nobody(
    tmp_path: Path,
) -> None:
    starts = tmp_path / "starts"
    gateway = Gateway(tmp_path, {"stub": stub_server(env={"STUB_STARTS": str(starts)})})

    async def calls(door: Door) -> list[str]:
        loop = asyncio.get_running_loop()
        first = loop.create_task(door.text("stub_echo", {"text": "first"}))
        others = [loop.create_task(door.text("stub_pid")) for _ in range(49)]
        await asyncio.sleep(0)
        first.cancel()
        return await asyncio.gather(*others)

    answers = gateway.run(calls)

    assert len(set(answers)) == 1
    assert starts.read_text(encoding="utf-8").splitlines() == [
        f"{answers[0]} begins",
        f"{answers[0]} is ready",
    ]


def test_no_more_programs_start_at_once_than_there_are_processors(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    slow = stub_server(env={"STUB_STARTS": str(starts), "STUB_SECONDS": "0.2"})
    gateway = Gateway(tmp_path, {f"slow{number}": slow for number in range(8)})

    async def calls(door: Door) -> list[str]:
        many = (door.text(f"slow{number}_echo", {"text": "up"}) for number in range(8))
        return await asyncio.gather(*many)

    assert gateway.run(calls) == ["up"] * 8
    starting = most = 0
    for line in starts.read_text(encoding="utf-8").splitlines():
        starting += 1 if line.endswith("begins") else -1
        most = max(most, starting)
    assert most <= max(2, len(os.sched_getaffinity(0)))


def test_a_catalog_has_tools_of_its_own_and_of_other_servers(tmp_path: Path) -> None:
    local_tools = {"here": {"category": "all", "effect": "read", "summary": "A method"}}
    tools = local_tools | imported("stub", TOOLS)
    code = "class Tools:\n    def here(self, params):\n        return 'here'\n"
    project = served_by(tmp_path, tools, code, servers={"stub": stub_server()})

    with Stdio.of(project) as server:
        here = server.request(1, "tools/call", name="here", arguments={})
        there = server.request(2, "tools/call", name="stub_echo", arguments={"text": "there"})
        assert server.end() == 0

    assert [here["content"][0]["text"], there["content"][0]["text"]] == ["here", "there"]


@pytest.mark.parametrize("era", ERAS)
def test_progress_is_passed_on_to_those_who_ask_for_it(gateway: Gateway, era: Era) -> None:
    told: list[object] = []
    project = gateway.project
    command = over_stdio(package_command(project.package), **import_path(project.output))

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total))

    async def ask() -> list[Any]:
        async with connected(command, era) as client:
            asked = await client.call_tool(
                "stub_work", {"number": 3}, progress_callback=on_progress
            )
            return [asked, await client.call_tool("stub_work", {"number": 3})]

    asked, unasked = anyio.run(ask)

    assert asked.content[0].text == "with a token"
    assert told[-1] == (3, 3)
    assert unasked.content[0].text == "without a token"


def test_cancelling_a_call_cancels_it_in_the_server(gateway: Gateway) -> None:
    with Stdio.of(gateway.project) as server:
        server.call(1, "stub_echo", text="started")
        server.wait(1)
        server.call(2, "stub_wait", number=600)
        server.call(3, "stub_echo", text="beside it")
        server.wait(3)
        server.send({"method": "notifications/cancelled", "params": {"requestId": 2}})
        server.wait_for_word("stub: cancelled by the gateway")
        assert server.end() == 0


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {
        "slow": stub_server(timeout=0.5),
        "single": stub_server(concurrency=1),
        "other": stub_server(),
        "free": stub_server(),
    }
    tools = {
        **imported("slow", TOOLS),
        **imported("single", TOOLS),
        **imported("free", TOOLS),
        **imported("other", TOOLS, timeout=0.4),
    }
    folder = tmp_path_factory.mktemp("limits")
    return Gateway(folder, servers, tools, execution={"concurrency": 4, "timeout": 60})


def test_the_timeout_of_a_server_and_of_a_tool_hold_and_the_call_is_cancelled_there(
    limited: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> list[str]:
        for server in ("slow", "other"):
            while await door.text(f"{server}_echo", {"text": "up"}) != "up":
                await asyncio.sleep(0.05)
        texts = [
            await door.text("slow_wait", {"number": 600}),
            await door.text("other_wait", {"number": 600}),
        ]
        while "other: cancelled by the gateway" not in caplog.text:
            await asyncio.sleep(0.01)
        return texts

    slow, other = limited.run(calls)

    assert slow.startswith("timeout: slow_wait did not answer within 0.5 s")
    assert other.startswith("timeout: other_wait did not answer within 0.4 s")
    assert "slow: cancelled by the gateway" in caplog.text


def test_as_many_calls_run_at_once_as_a_server_may_have(limited: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        await door.text("single_echo")
        loop = asyncio.get_running_loop()
        held = loop.create_task(door.text("single_wait", {"number": 600}))
        waiting = loop.create_task(door.text("single_echo", {"text": "later"}))
        done, _ = await asyncio.wait([held, waiting], timeout=0.2)
        held.cancel()
        return [str(len(done)), await waiting]

    assert limited.run(calls) == ["0", "later"]


def test_a_server_that_hangs_takes_no_place_of_the_others(limited: Gateway) -> None:
    async def calls(door: Door) -> str:
        loop = asyncio.get_running_loop()
        hanging = [loop.create_task(door.text("single_hang")) for _ in range(16)]
        await asyncio.sleep(0)
        text = await door.text("free_echo", {"text": "not held up"})
        for task in hanging:
            task.cancel()
        return text

    assert limited.run(calls) == "not held up"


def test_a_server_that_asks_the_user_is_told_that_nobody_can(gateway: Gateway) -> None:
    assert gateway.call("stub_ask").texts == ("asked",)


def test_all_pages_of_a_list_are_compared_with_the_pins(tmp_path: Path) -> None:
    gateway = Gateway(tmp_path, {"stub": stub_server(env={"STUB_PAGES": "7"})})

    assert gateway.call("stub_big", {"number": 3}).texts == ("xxx",)
