"""Servers over HTTP: credentials of the gateway's own, and failures of single requests."""

import asyncio
import base64
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.projects import Json
from tests.upstream.gateways import Door, Gateway
from tests.upstream.http_stub import HttpStub, http_stub


@pytest.fixture
def upstream() -> Iterator[HttpStub]:
    with http_stub() as server:
        yield server


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UP_KEY", "the key")
    monkeypatch.setenv("UP_ID", "ada")
    monkeypatch.setenv("UP_SECRET", "s:1")


def gateway(folder: Path, upstream: HttpStub, path: str = "/mcp", **more: Any) -> Gateway:
    return Gateway(folder, {"up": {"url": upstream.address + path, **more}})


def credentials(upstream: HttpStub) -> Json:
    return {
        "client_credentials": {
            "token_url": f"{upstream.address}/token",
            "client_id": "${UP_ID}",
            "client_secret": "${UP_SECRET}",
            "scopes": ["read", "write"],
        }
    }


BASIC = base64.b64encode(b"ada:the key").decode()


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize(
    ("given", "header", "value"),
    [
        ({"headers": {"X-Key": "${UP_KEY}"}}, "x-key", "the key"),
        ({"headers": {"X-Team": {"plain": "a $${b}"}}}, "x-team", "a $${b}"),
        ({"auth": {"bearer": "${UP_KEY}"}}, "authorization", "Bearer the key"),
        (
            {"auth": {"basic": {"username": "${UP_ID}", "password": "${UP_KEY}"}}},
            "authorization",
            f"Basic {BASIC}",
        ),
        ({"auth": {"api_key": {"name": "X-Api", "value": "${UP_KEY}"}}}, "x-api", "the key"),
    ],
)
def test_requests_carry_what_is_declared(
    tmp_path: Path, upstream: HttpStub, given: Json, header: str, value: str
) -> None:
    assert gateway(tmp_path, upstream, **given).call("up_echo", {"text": "hi"}).texts == ("hi",)
    assert upstream.headers_seen(header) == {value}


@pytest.mark.usefixtures("secrets")
def test_a_key_can_be_sent_in_the_query(tmp_path: Path, upstream: HttpStub) -> None:
    auth = {"api_key": {"name": "key", "value": "${UP_KEY}", "place": "query"}}

    (text,) = gateway(tmp_path, upstream, auth=auth).call("up_env", {"text": "x"}).texts

    assert text == "/mcp?key=the+key"


@pytest.mark.usefixtures("secrets")
def test_a_token_is_fetched_once_and_again_when_it_is_refused(
    tmp_path: Path, upstream: HttpStub, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> list[str]:
        many = (door.text("up_echo", {"text": str(number)}) for number in range(8))
        texts = await asyncio.gather(*many)
        assert upstream.tokens == ["token-0"]
        upstream.tokens.append("another one by now")
        return [*texts, await door.text("up_echo", {"text": "renewed"})]

    up = gateway(tmp_path, upstream, "/guarded", auth=credentials(upstream))

    assert up.run(calls) == [*map(str, range(8)), "renewed"]
    assert upstream.tokens[-1] == "token-2"
    assert "token-" not in caplog.text + str([vars(record) for record in caplog.records])


@pytest.mark.usefixtures("secrets")
def test_a_token_is_fetched_again_before_it_expires(tmp_path: Path, upstream: HttpStub) -> None:
    upstream.lifetime = 0.0

    async def calls(door: Door) -> list[str]:
        return [await door.text("up_echo", {"text": text}) for text in ("a", "b")]

    up = gateway(tmp_path, upstream, "/guarded", auth=credentials(upstream))

    assert up.run(calls) == ["a", "b"]
    assert len(upstream.tokens) > 2


@pytest.mark.usefixtures("secrets")
def test_a_refused_client_is_told_without_its_secret(tmp_path: Path, upstream: HttpStub) -> None:
    upstream.refuses_tokens = True
    up = gateway(tmp_path, upstream, "/guarded", auth=credentials(upstream))

    text = up.run(lambda door: door.text("up_echo"))

    assert "up: no token: HTTP 401, invalid_client at its address" in text


def test_what_is_not_authorized_says_so(tmp_path: Path, upstream: HttpStub) -> None:
    text = gateway(tmp_path, upstream, "/guarded").run(lambda door: door.text("up_echo"))

    assert "up: HTTP 401 Unauthorized: its `auth:` or `headers:` are missing" in text


@pytest.mark.usefixtures("secrets")
def test_a_redirect_to_another_origin_is_not_followed(tmp_path: Path, upstream: HttpStub) -> None:
    up = gateway(tmp_path, upstream, "/elsewhere", auth={"bearer": "${UP_KEY}"})

    text = up.run(lambda door: door.text("up_echo"))

    assert "not followed" in text
    assert {path for path, _, _ in upstream.seen} == {"/elsewhere"}


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/down", "HTTP 502 Bad Gateway"),
        ("/endless", "an answer has more than 32,000,000 bytes"),
        ("/compressed", "an answer has more than 32,000,000 bytes"),
    ],
)
def test_an_answer_that_is_none_is_told(
    tmp_path: Path, upstream: HttpStub, path: str, words: str
) -> None:
    text = gateway(tmp_path, upstream, path).run(lambda door: door.text("up_echo"))

    assert f"backend_failed: up: {words}" in text


def test_a_request_that_fails_fails_alone(tmp_path: Path, upstream: HttpStub) -> None:
    async def calls(door: Door) -> list[str]:
        await door.text("up_echo")
        waiting = asyncio.get_running_loop().create_task(door.text("up_wait", {"number": 0.5}))
        await asyncio.sleep(0)
        crash = await door.text("up_crash", {"number": 1})
        return [crash, await waiting, await door.text("up_echo", {"text": "and on"})]

    crash, waiting, after = gateway(tmp_path, upstream).run(calls)

    assert crash.startswith("backend_failed: up: unreachable: the connection broke")
    assert (waiting, after) == ("waited 0.5", "and on")


def test_an_address_that_stops_answering_is_failing_until_a_call_has_worked(
    tmp_path: Path, upstream: HttpStub, caplog: pytest.LogCaptureFixture
) -> None:
    async def calls(door: Door) -> list[str]:
        await door.text("up_echo")
        crashes = [await door.text("up_crash", {"number": 1}) for _ in range(3)]
        return [*crashes, await door.text("up_echo", {"text": "back"})]

    first, *others, after = gateway(tmp_path, upstream).run(calls)

    assert "since" not in first
    assert all(re.search(r"; it has failed since \d{4}-.*Z", text) for text in others)
    assert after == "back"
    events = [record.getMessage().partition(" at ")[0] for record in caplog.records]
    assert events == ["up: connected", "up: failing", "up: connected", "up: connected"]


def test_nothing_of_the_environment_decides_where_requests_go(
    tmp_path: Path, upstream: HttpStub, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login a password b", encoding="utf-8")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))

    assert gateway(tmp_path, upstream).call("up_echo", {"text": "direct"}).texts == ("direct",)
    assert upstream.headers_seen("authorization") == {None}


def test_what_agents_send_reaches_the_server_as_it_is(tmp_path: Path, upstream: HttpStub) -> None:
    given = {"text": "ä\u2028{}", "more": {"deep": [1.5, None], "null": None}}

    gateway(tmp_path, upstream).call("up_echo", given)

    assert json.loads(upstream.seen[-1][2])["params"]["arguments"] == given


def test_a_session_that_the_server_has_forgotten_is_begun_anew(
    tmp_path: Path, upstream: HttpStub
) -> None:
    async def calls(door: Door) -> list[str]:
        texts = [await door.text("up_echo", {"text": "first"})]
        upstream.sessions.clear()
        many = (door.text("up_echo", {"text": str(number)}) for number in range(5))
        return [*texts, *await asyncio.gather(*many)]

    assert gateway(tmp_path, upstream, "/session").run(calls) == ["first", *"01234"]
    bodies = [json.loads(body).get("method") for _, _, body in upstream.seen]
    assert bodies.count("initialize") == 2


def test_a_call_under_way_when_the_session_is_forgotten_is_not_made_twice(
    tmp_path: Path, upstream: HttpStub
) -> None:
    async def calls(door: Door) -> tuple[str, str]:
        long = asyncio.get_running_loop().create_task(door.text("up_wait", {"number": 1}))
        while not made():
            await asyncio.sleep(0.005)
        upstream.sessions.clear()
        return await door.text("up_echo", {"text": "meanwhile"}), await long

    def made() -> int:
        return sum(b'"wait"' in body for _, _, body in upstream.seen)

    assert gateway(tmp_path, upstream, "/session").run(calls) == ("meanwhile", "waited 1")
    assert made() == 1
