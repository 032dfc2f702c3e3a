"""Callers with identities: a connection each where that is declared, and no token is ever passed on."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import pytest
from toolfold_runtime import Caller
from toolfold_runtime.upstream.servers import MOST_CALLERS

from tests.callers.material import VERIFIER, token_of
from tests.support.clients import answer_of, connected, over_http
from tests.support.servers import listening_with_verifier
from tests.upstream.gateways import Door, Gateway, stub_server
from tests.upstream.http_stub import HttpStub, http_stub

ADA, EVE = Caller(client="desk", subject="ada"), Caller(client="desk", subject="eve")
SHARING = "shared: all callers share one connection"


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Gateway:
    servers = {"each": stub_server(per_caller=True), "shared": stub_server()}
    return Gateway(tmp_path_factory.mktemp("gateway"), servers)


async def remembered(door: Door, server: str, *callers: Caller | None) -> list[str]:
    names = ("a", "b", "c", "d")
    return [
        await door.text(f"{server}_remember", {"text": name}, caller=caller)
        for name, caller in zip(names, callers, strict=False)
    ]


def test_each_caller_has_a_connection_of_its_own(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    answers = gateway.run(lambda door: remembered(door, "each", ADA, EVE, ADA, None))

    assert answers == ["a", "b", "a,c", "d"]
    assert not any("share" in message for message in caplog.messages)


def test_without_that_callers_share_one_which_the_log_warns_of_once(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    answers = gateway.run(lambda door: remembered(door, "shared", ADA, EVE, ADA))

    assert answers == ["a", "a,b", "a,b,c"]
    assert caplog.messages.count(SHARING) == 1


def test_callers_without_an_identity_share_without_a_warning(
    gateway: Gateway, caplog: pytest.LogCaptureFixture
) -> None:
    assert gateway.run(lambda door: remembered(door, "shared", None, None)) == ["a", "a,b"]
    assert SHARING not in caplog.messages


def test_connections_of_callers_are_bounded_and_the_oldest_idle_one_makes_room(
    gateway: Gateway,
) -> None:
    callers = [Caller(client="desk", subject=str(number)) for number in range(MOST_CALLERS + 1)]
    first, second, *_, last = callers

    async def calls(door: Door) -> list[Any]:
        def hold(number: int) -> "asyncio.Task[str]":
            tool = ("each_wait", "each_hang")[number % 2]  # of each, sixteen run at once
            call = door.text(tool, {"number": 600}, caller=callers[number])
            return asyncio.get_running_loop().create_task(call)

        texts = {
            await door.text("each_remember", {"text": "a"}, caller=one) for one in callers[:-1]
        }
        held = [hold(number) for number in range(1, MOST_CALLERS)]
        await asyncio.sleep(0)
        room = await door.text("each_remember", {"text": "b"}, caller=last)
        held.append(hold(MOST_CALLERS))
        await asyncio.sleep(0)
        refused = await door.text("each_echo", caller=first)
        for task in held:
            task.cancel()
        again = await door.text("each_remember", {"text": "c"}, caller=second)
        return [texts, room, refused, again, door.upstreams.states()[0].connections]

    texts, room, refused, again, connections = gateway.run(calls)

    assert (texts, room, again) == ({"a"}, "b", "a,c")
    assert refused.startswith(f"backend_failed: each: {MOST_CALLERS} callers use it now")
    assert connections == MOST_CALLERS


@pytest.fixture(scope="module")
def upstream() -> Iterator[HttpStub]:
    with http_stub() as server:
        yield server


def test_the_token_of_a_caller_is_never_passed_on(tmp_path: Path, upstream: HttpStub) -> None:
    servers = {"up": {"url": f"{upstream.address}/mcp"}, "stub": stub_server()}
    gateway = Gateway(tmp_path, servers)
    (tmp_path / "checks.py").write_text(VERIFIER, encoding="utf-8")
    token = token_of("ada")

    async def asked(url: str) -> list[str]:
        async with connected(over_http(url, token)) as client:
            up = await client.call_tool("up_echo", {"text": "over HTTP"})
            child = await client.call_tool("stub_echo", {"text": "over stdio"})
            return [answer_of(up).text, answer_of(child).text]

    with listening_with_verifier(gateway.project) as server:
        assert anyio.run(asked, server.url) == ["over HTTP", "over stdio"]
        assert "stub: all callers share one connection" in server.log
        assert "up: all callers share one connection" in server.log  # of the older era

    assert upstream.seen
    assert token not in str(upstream.seen)
    assert upstream.headers_seen("authorization") == {None}
