"""Cached results, shared executions and cursors belong to a caller, unless a tool shares its cache."""

import asyncio
import contextlib
import http.client
import itertools
import json
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final

import anyio
import pytest
from mcp import Client
from toolfold_runtime import Caller, caller
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.call import CallContext

from tests.callers.material import TOOLS, cursor_in, token_of
from tests.running.material import Served, value_of
from tests.serving.messages import call_of
from tests.support.clients import answer_of, connected, over_http
from tests.support.projects import Json
from tests.support.servers import HEADERS, Listening
from tests.support.waiting import PATIENCE

UNKNOWN: Final = (
    "invalid_arguments: no such cursor of list_mine: it has expired, or another process holds it."
)
NUMBERS: Final = itertools.count(100)


async def text_of(client: Client, name: str, **arguments: Any) -> str:
    return answer_of(await client.call_tool(name, arguments)).text


# Over HTTP


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (token_of("ada", org="acme", exp=2, nbf=2, iat=2, jti="second"), True),
        (token_of("eve", org="acme"), False),
        (token_of("ada", org="acme", client="phone"), False),
        (token_of("ada", "orders:read", org="acme"), False),
        (token_of("ada", org="other"), False),
        (token_of("ada", org="acme", iss="https://other.example"), False),
        (token_of(None, org="acme"), False),
    ],
)
def test_a_cached_result_is_given_again_to_the_same_caller_only(
    other: str, is_same: bool, guarded: Listening
) -> None:
    number = next(NUMBERS)

    async def asked(token: str) -> Json:
        async with connected(over_http(guarded.url, token)) as client:
            result: Json = json.loads(await text_of(client, "mine", n=number))
            return result

    first = anyio.run(asked, token_of("ada", org="acme", exp=1))
    second = anyio.run(asked, other)

    assert (second == first) is is_same
    assert anyio.run(asked, token_of("ada", org="acme")) == first


def test_what_is_shared_is_the_answer_to_whoever_asked_first(guarded: Listening) -> None:
    async def asked(*subjects: str) -> list[str]:
        answers = []
        for subject in subjects:
            async with connected(over_http(guarded.url, token_of(subject))) as client:
                answers.append(json.loads(await text_of(client, "same", n=1))["subject"])
        return answers

    assert anyio.run(asked, "ada", "eve") == ["ada", "ada"]


@pytest.mark.parametrize("name", ["list_mine", "list_same"])
def test_the_cursor_of_another_caller_is_an_unknown_one(name: str, guarded: Listening) -> None:
    async def read() -> list[str]:
        async with (
            connected(over_http(guarded.url, token_of("ada"))) as ada,
            connected(over_http(guarded.url, token_of("eve"))) as eve,
        ):
            cursor = cursor_in(await text_of(ada, name, n=1))
            shown = cursor.partition("@")[2]
            return [
                await text_of(client, "run_read", tool=name, cursor=given)
                for client, given in ((eve, cursor), (eve, f"made-up@{shown}"), (ada, cursor))
            ]

    stolen, made_up, ada_text = anyio.run(read)

    assert stolen == made_up
    assert stolen.startswith(UNKNOWN.replace("list_mine", name))
    assert '"ada 1 ' in ada_text


# Executions, in this process


class Gated:
    """Answers with its caller's subject once it is let go."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.begun = 0

    async def mine(self, params: Any) -> Any:
        self.begun += 1
        await self.gate.wait()
        return {"subject": caller().subject}

    same = mine


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    tools = {name: TOOLS[name] for name in ("mine", "same")}
    return Served(tmp_path_factory.mktemp("owned"), tools)


def _by(subject: str) -> CallContext:
    return CallContext(Caller("https://login.example", subject, "desk", (), {}))


async def _begun(made: Gated, calls: Sequence["asyncio.Task[Any]"], count: int) -> None:
    while made.begun < count and not all(call.done() for call in calls):
        await asyncio.sleep(0)
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("name", "runs"), [("mine", 2), ("same", 1)])
def test_equal_calls_at_once_are_carried_out_once_for_each_caller(
    name: str, runs: int, served: Served
) -> None:
    made = Gated()

    async def asked(door: Dispatcher) -> list[str]:
        subjects = ["ada", "eve"] * 20
        calls = [asyncio.ensure_future(door.call(name, {"n": 1}, _by(who))) for who in subjects]
        await _begun(made, calls, runs)
        made.gate.set()
        replies = await asyncio.gather(*calls)
        assert [value_of(reply)["subject"] for reply in replies[::2]] == ["ada"] * 20
        return [value_of(reply)["subject"] for reply in replies[1::2]]

    assert set(served.run(made, asked)) == {"eve" if name == "mine" else "ada"}
    assert made.begun == runs


@pytest.mark.parametrize("name", ["mine", "same"])
def test_whoever_leaves_takes_nothing_from_another_caller(name: str, served: Served) -> None:
    made = Gated()

    async def asked(door: Dispatcher) -> str:
        first = asyncio.ensure_future(door.call(name, {"n": 1}, _by("ada")))
        second = asyncio.ensure_future(door.call(name, {"n": 1}, _by("eve")))
        await _begun(made, [first, second], 2 if name == "mine" else 1)
        first.cancel()
        await asyncio.wait([first])
        made.gate.set()
        return str(value_of(await second)["subject"])

    assert served.run(made, asked) == ("eve" if name == "mine" else "ada")


# What makes callers the same


def test_callers_whose_claims_are_no_json_share_nothing(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    made = Gated()
    made.gate.set()

    async def asked(door: Dispatcher) -> None:
        for _ in range(3):
            claims = {"groups": {"a", "b"}}
            await door.call("mine", {"n": 1}, CallContext(Caller("i", "ada", "desk", (), claims)))

    served.run(made, asked)

    assert made.begun == 3
    assert "claims of a token are not JSON" in caplog.text


@pytest.mark.parametrize(
    "twin",
    [
        Caller("https://login.example", "ada", "desk", ("a", "b"), {"x": {"p": 1, "q": 2}}),
        Caller("https://login.example", "ada", "desk", ("b", "a"), {"x": {"q": 2, "p": 1}}),
        Caller(
            "https://login.example",
            "ada",
            "desk",
            ("a", "b"),
            {"x": {"p": 1, "q": 2}},
            "other",
            "9",
            4,
        ),
    ],
)
def test_order_and_what_the_client_says_make_no_other_caller(twin: Caller) -> None:
    one = Caller("https://login.example", "ada", "desk", ("a", "b"), {"x": {"p": 1, "q": 2}})

    assert twin.key == one.key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Caller("i", "ada", "desk", ("a b",)), Caller("i", "ada", "desk", ("a", "b"))),
        (Caller("i", None, "desk", ()), Caller("i", "None", "desk", ())),
        (Caller("i", "x", "desk", (), {"n": 1}), Caller("i", "x", "desk", (), {"n": True})),
        (Caller("i", "x", "desk", (), {"n": 1}), Caller("i", "x", "desk", (), {"n": "1"})),
        (Caller("i", "x", "desk", (), {"n": None}), Caller("i", "x", "desk", (), {})),
        (Caller("i", "\ud800", "desk", ()), Caller("i", "?", "desk", ())),
    ],
)
def test_near_callers_are_not_the_same(one: Caller, other: Caller) -> None:
    assert one.key != other.key


def test_without_an_identity_there_is_one_caller() -> None:
    assert Caller(client_name="a").key is Caller(request_id=2, is_local=True).key is None


# Two callers at once


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_no_answer_crosses_between_two_callers_at_once(count: int, guarded: Listening) -> None:
    """Cached results, shared executions and cursors, at once and of equal arguments."""
    subjects = ["ada", "eve"] * 4
    with ThreadPoolExecutor(len(subjects)) as lanes:
        texts = list(lanes.map(partial(_lane, guarded, count // len(subjects)), subjects))

    assert sum(map(len, texts)) >= count - len(subjects)
    for subject, answers in zip(subjects, texts, strict=True):
        other = {"ada": "eve", "eve": "ada"}[subject]
        # A cursor may hold the letters of a name by chance.
        results = [re.sub(r'"cursor":"[^"]*"', "", text) for text in answers]
        assert [text for text in results if other in text or subject not in text] == []


def _lane(server: Listening, count: int, subject: str) -> list[str]:
    """What one connection of a caller is answered, call after call."""
    headers = HEADERS | {"Authorization": f"Bearer {token_of(subject, run=count)}"}
    texts: list[str] = []
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    with contextlib.closing(connection):

        def ask(name: str, **arguments: Any) -> str:
            connection.request("POST", "/mcp", json.dumps(call_of(name, **arguments)), headers)
            content = json.loads(connection.getresponse().read())["result"]["content"]
            texts.append(" ".join(part["text"] for part in content))
            return texts[-1]

        while len(texts) < count:
            turn = len(texts)
            ask(("mine", "slow")[turn % 2], n=turn // 3)
            cursor = cursor_in(ask("list_mine", n=turn % 7))
            ask("run_read", tool="list_mine", cursor=cursor)
    return texts[:count]
