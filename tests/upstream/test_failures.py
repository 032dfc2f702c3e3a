"""Servers that fail: at their start, in a call, when idle; what is said, and that others go on."""

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest

from tests.upstream.gateways import Door, Gateway, status_of, stub_server, until


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {
        "stub": stub_server(),
        "other": stub_server(),
        "broken": stub_server(env={"STUB_AT_START": "crash"}),
        "mute": stub_server(env={"STUB_AT_START": "hang"}, timeout=0.5),
        "missing": {"command": ["no-such-program"]},
        "homeless": stub_server(cwd="no/such/folder"),
        "secret": stub_server() | {"env": {"KEY": "${NO_SUCH_KEY}", "ID": "${NO_SUCH_ID}"}},
        "away": {"url": "http://127.0.0.1:9/mcp"},
    }
    return Gateway(tmp_path_factory.mktemp("gateway"), servers)


def test_a_server_that_ends_at_its_start_is_told_with_its_exit_code_and_tried_later(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> list[str]:
        return [await door.text("broken_echo"), await door.text("broken_echo")]

    first, second = gateway.run(calls)

    assert first.startswith("backend_failed: broken: ended before it said who it is (exit code 3)")
    assert re.search(r", and is tried again in 1 s at .*; it has failed since \d{4}-.*Z", second)
    # What it wrote may hold anything: it is for those who read the log.
    assert "no configuration" not in first + second
    assert "broken: no configuration" in caplog.text


def test_a_program_or_a_folder_that_is_not_there_is_named(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        return [await door.text("missing_echo"), await door.text("homeless_echo")]

    missing, homeless = gateway.run(calls)

    assert "missing: no-such-program cannot be started: No such file" in missing
    assert "homeless: its working directory no/such/folder does not exist" in homeless


def test_a_server_that_says_nothing_is_named_when_time_is_up(gateway: Gateway) -> None:
    text = gateway.run(lambda door: door.text("mute_echo"))

    assert text.startswith("timeout: mute_echo did not answer within 0.5 s: mute has not started")


def test_variables_that_are_not_set_are_all_named_at_the_first_call(gateway: Gateway) -> None:
    text = gateway.run(lambda door: door.text("secret_echo"))

    assert "secret: the environment variables NO_SUCH_KEY, NO_SUCH_ID are not set" in text


def test_variables_that_are_set_reach_the_program_and_nothing_else_does(
    gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_SUCH_KEY", "the key")
    monkeypatch.setenv("NO_SUCH_ID", "")
    monkeypatch.setenv("ANOTHER_SECRET", "of ours")

    async def calls(door: Door) -> list[str]:
        names = ("KEY", "NO_SUCH_KEY", "ANOTHER_SECRET")
        return [await door.text("secret_env", {"text": name}) for name in names]

    assert gateway.run(calls) == ["the key", "not set", "not set"]


def test_an_address_where_nobody_listens_is_told(gateway: Gateway) -> None:
    text = gateway.run(lambda door: door.text("away_echo"))

    assert text.startswith("backend_failed: away: unreachable: no connection")


def test_a_server_that_ends_in_a_call_fails_those_under_way_and_starts_for_the_next(
    gateway: Gateway,
) -> None:
    async def calls(door: Door) -> list[str]:
        await door.text("stub_echo")
        waiting = asyncio.get_running_loop().create_task(door.text("stub_wait", {"number": 600}))
        await asyncio.sleep(0)
        crash = await door.text("stub_crash", {"number": 7})
        return [crash, await waiting, await door.text("stub_echo", {"text": "again"})]

    crash, waiting, again = gateway.run(calls)

    for text in (crash, waiting):
        assert text.startswith("backend_failed: stub: ended during the call, and what it did")
        assert "(exit code 7)" in text
    assert again == "again"


def test_an_idle_server_that_is_killed_is_noticed_at_once_and_starts_again(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> tuple[str, str]:
        first = await door.text("stub_pid")
        os.kill(int(first), signal.SIGKILL)
        await until(door, "stub", "failing")
        return first, await door.text("stub_pid")

    first, second = gateway.run(calls)

    assert first != second
    facts = [vars(record).get("facts", {}) for record in caplog.records]
    assert any(fact.get("error") == "ended (signal SIGKILL)" for fact in facts)


def test_a_server_that_ends_again_and_again_is_waited_for_not_given_up(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        texts = []
        for _ in range(4):
            await door.text("stub_crash", {"number": 1})
            texts.append(await door.text("stub_echo", {"text": "here"}))
        return texts

    assert gateway.run(calls) == ["here"] * 4


def test_other_servers_do_not_notice(gateway: Gateway) -> None:
    async def calls(door: Door) -> list[str]:
        loop = asyncio.get_running_loop()
        tools = ("broken_echo", "mute_echo", "missing_echo", "stub_hang", "away_echo")
        failing = [loop.create_task(door.text(tool)) for tool in tools]
        text = await door.text("other_echo", {"text": "fine"})
        for task in failing:
            task.cancel()
        return [text, status_of(door, "other")]

    assert gateway.run(calls) == ["fine", "connected"]


def test_a_tool_of_a_server_that_fails_stays_in_the_inventory(gateway: Gateway) -> None:
    async def calls(door: Door) -> bool:
        await door.text("broken_echo")
        return "broken_echo" in door.dispatcher.catalog.names()

    assert gateway.run(calls)


def test_idle_connections_are_closed_and_made_again(tmp_path: Path) -> None:
    gateway = Gateway(tmp_path, {"stub": stub_server(idle=0.05)})

    async def calls(door: Door) -> list[str]:
        first = await door.text("stub_pid")
        await until(door, "stub", "idle")
        return [first, await door.text("stub_pid")]

    first, second = gateway.run(calls)

    assert first != second


def test_a_connection_is_not_idle_while_a_call_runs(tmp_path: Path) -> None:
    gateway = Gateway(tmp_path, {"stub": stub_server(idle=0.05)})

    assert gateway.call("stub_wait", {"number": 0.3}).texts == ("waited 0.3",)


def test_noise_on_standard_output_is_skipped_and_bounded_in_the_log(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    assert gateway.call("stub_noise", {"number": 30_000}).texts == ("quiet again",)
    lines = [line for line in caplog.messages if line.startswith("stub: noise")]
    assert 1 <= len(lines) <= 100


def test_a_flood_on_standard_error_is_labelled_and_bounded_in_the_log(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    assert gateway.call("stub_shout", {"number": 50_000}).texts == ("quiet again",)
    lines = [line for line in caplog.messages if line.startswith("stub: shout")]
    assert 1 <= len(lines) <= 100
    assert any(re.fullmatch(r"stub: … [\d,]+ lines were left out", m) for m in caplog.messages)


def test_garbage_harms_no_call(gateway: Gateway) -> None:
    assert gateway.call("stub_garbage").texts == ("after the garbage",)


def test_a_server_that_pesters_with_requests_of_its_own_harms_no_call(gateway: Gateway) -> None:
    assert gateway.call("stub_pester", {"number": 5_000}).texts == ("enough",)


def test_states_tell_what_is_known_of_each_server(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> dict[str, tuple[str, int, int]]:
        await door.text("stub_echo")
        await door.text("stub_refuse")
        await door.text("broken_echo")
        states = door.upstreams.states()
        return {state.name: (state.status, state.calls, state.failed_calls) for state in states}

    states = gateway.run(calls)

    assert states["stub"] == ("connected", 2, 1)
    assert states["broken"] == ("failing", 1, 1)
    assert states["other"] == ("unused", 0, 0)
    assert "stub: connected" in caplog.messages
    assert "broken: failing" in caplog.messages
    assert "stub: connected at the end" in caplog.messages
    assert not any(message.startswith("other: ") for message in caplog.messages)


def test_a_server_that_has_worked_is_started_again_although_a_start_fails(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    env = {"STUB_STARTS": str(starts), "STUB_FAILS_AT": "2"}
    gateway = Gateway(tmp_path, {"stub": stub_server(env=env)})

    async def calls(door: Door) -> str:
        os.kill(int(await door.text("stub_pid")), signal.SIGKILL)
        await until(door, "stub", "failing")
        return await door.text("stub_pid")

    assert gateway.run(calls).isdigit()
    assert starts.read_text(encoding="utf-8").count("begins") == 3
