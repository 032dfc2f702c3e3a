"""`confirm` on a tool: the client asks its user before the call, in both eras."""

import contextlib
import itertools
import runpy
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError

from tests.callers.material import User, token_of
from tests.support import clients
from tests.support.clients import MODERN, Answer, Era, answer_of, connected, over_stdio
from tests.support.commands import toolfold
from tests.support.projects import Json, Project
from tests.support.servers import Listening, serve_command

IDS: Final = (f"A-{number}" for number in itertools.count())
UNCLEAR: Final = "the client's answer is unclear: `confirm` must be true or false."
DECLINED: Final = "the user declined it; do not call it again unless the user asks for it."
DISMISSED: Final = "the user dismissed the question; ask whether to try again."


async def talk(
    server: Any, era: Era, user: User | None, *calls: tuple[str, Json]
) -> tuple[list[Answer], int]:
    """The answers to calls, and how often the order that they are about was run."""
    async with connected(server, era, elicitation_callback=user) as client:
        answers = [answer_of(await client.call_tool(*call)) for call in calls]
        arguments = calls[-1][1].get("arguments", calls[-1][1])
        runs = await client.call_tool("runs", {"id": arguments["id"]})
        return answers, int(answer_of(runs).text)


@pytest.fixture(scope="module")
def server(orders: Project) -> Any:
    """Served in this process, where both eras have a way back."""
    tools = runpy.run_path(str(orders.folder / "implementation.py"))["Tools"]
    return orders.server(implementation=tools())


# Asked and answered


@pytest.mark.parametrize("name", ["cancel", "erase"])
def test_the_user_is_asked_before_the_call_in_a_sentence(name: str, era: Era, server: Any) -> None:
    user, order = User(), next(IDS)

    answers, runs = anyio.run(talk, server, era, user, (name, {"id": order, "note": "late"}))

    assert (answers[0].text, runs) == (f"ran {order}", 1)
    title = {"cancel": "Cancel an order", "erase": "Erase an order"}[name]
    assert user.questions == [
        f'Run {name} ({title}) with `id: "{order}", note: "late"`? It can destroy data.'
    ]


@pytest.mark.parametrize("name", ["cancel", "erase"])
@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (types.ElicitResult(action="decline"), DECLINED),
        (types.ElicitResult(action="cancel"), DISMISSED),
        (types.ElicitResult(action="accept", content={"confirm": False}), DECLINED),
        (types.ElicitResult(action="accept", content={"confirm": "true"}), UNCLEAR),
        (types.ElicitResult(action="accept", content={"confirm": 1}), UNCLEAR),
        (types.ElicitResult(action="accept", content={"confirm": None}), UNCLEAR),
    ],
)
def test_without_a_yes_nothing_runs(
    name: str, answer: Any, words: str, era: Era, server: Any
) -> None:
    order = next(IDS)

    answers, runs = anyio.run(talk, server, era, User(answer), (name, {"id": order}))

    assert answers[0].text == f"unconfirmed: {name} was not run: {words}"
    assert (answers[0].is_error, runs) == (True, 0)


@pytest.mark.parametrize("content", [None, {}, {"confirm": True}, {"other": False}])
def test_to_accept_is_enough_for_clients_that_show_no_fields(
    content: Any, era: Era, server: Any
) -> None:
    user, order = User(types.ElicitResult(action="accept", content=content)), next(IDS)

    assert anyio.run(talk, server, era, user, ("erase", {"id": order}))[1] == 1


def test_a_runner_asks_too_and_a_cached_answer_is_asked_for_each_time(
    era: Era, server: Any
) -> None:
    user, order = User(), next(IDS)
    calls: list[tuple[str, Json]] = [
        ("peek", {"id": order}),
        ("run_read", {"tool": "peek", "arguments": {"id": order}}),
        ("run_write", {"tool": "erase", "arguments": {"id": order}}),
    ]

    answers, runs = anyio.run(talk, server, era, user, *calls)

    assert [answer.text for answer in answers] == [f"ran {order}"] * 3
    assert (len(user.questions), runs) == (3, 2)


def test_nobody_is_asked_about_arguments_that_are_wrong(era: Era, server: Any) -> None:
    user = User()

    answers, _ = anyio.run(
        talk, server, era, user, ("erase", {"note": "late"}), ("who", {"id": ""})
    )

    assert answers[0].text.startswith("invalid_arguments: ")
    assert user.questions == []


def test_a_client_that_fails_to_ask_has_no_yes(era: Era, server: Any) -> None:
    order = next(IDS)
    user = User(types.ErrorData(code=-32603, message="no window"))

    async def attempt() -> int:
        async with connected(server, era, elicitation_callback=user) as client:
            # In the modern era the client keeps its failure to itself, and makes no second call.
            keeps_quiet = pytest.raises(MCPError) if era == MODERN else contextlib.nullcontext()
            with keeps_quiet:
                answer = answer_of(await client.call_tool("cancel", {"id": order}))
                assert answer.text.endswith(
                    "the client failed to ask its user; ask yourself, then call again."
                )
            return int(answer_of(await client.call_tool("runs", {"id": order})).text)

    assert anyio.run(attempt) == 0


# Clients that cannot ask


def test_where_the_client_cannot_ask_one_goes_on_and_the_other_is_refused(
    era: Era, server: Any
) -> None:
    order = next(IDS)

    answers, runs = anyio.run(
        talk, server, era, None, ("cancel", {"id": order}), ("erase", {"id": order})
    )

    assert answers[0].text == f"ran {order}"
    assert answers[1].text == (
        "unconfirmed: erase was not run: it needs the user's confirmation, and this client cannot"
        " ask for it; use one that supports elicitation."
    )
    assert runs == 1


def test_an_older_client_over_http_cannot_be_asked(unguarded: Listening) -> None:
    user, order = User(), next(IDS)

    answers, runs = anyio.run(
        talk, unguarded.url, "legacy", user, ("cancel", {"id": order}), ("erase", {"id": order})
    )

    assert answers[0].text == f"ran {order}"
    assert answers[1].text == (
        "unconfirmed: erase was not run: it needs the user's confirmation, and a client of this"
        " protocol version cannot be asked over HTTP; use one of version 2026-07-28 or later, or"
        " stdio."
    )
    assert (user.questions, runs) == ([], 1)


def test_a_modern_client_is_asked_over_http(unguarded: Listening) -> None:
    user, order = User(), next(IDS)

    _, runs = anyio.run(talk, unguarded.url, MODERN, user, ("erase", {"id": order}))

    assert (len(user.questions), runs) == (1, 1)


def test_a_client_is_asked_over_stdio(era: Era, orders: Project) -> None:
    user, order = User(), next(IDS)
    started = over_stdio(serve_command(orders))

    answers, runs = anyio.run(talk, started, era, user, ("erase", {"id": order}))

    assert (answers[0].text, len(user.questions), runs) == (f"ran {order}", 1, 1)


def test_whoever_lacks_a_scope_is_not_asked(guarded: Listening) -> None:
    user = User()
    server = clients.over_http(guarded.url, token_of("ada"))

    answers, runs = anyio.run(talk, server, MODERN, user, ("guarded_erase", {"id": "S"}))

    assert answers[0].text.startswith("forbidden: ")
    assert (user.questions, runs) == ([], 0)


@pytest.mark.parametrize("name", ["cancel", "erase"])
def test_whoever_types_a_call_has_confirmed_it(name: str, orders: Project) -> None:
    tried = toolfold(orders.folder, "try", name, '{"id": "A"}')

    assert (tried.code, tried.out) == (0, "ran A\n")


# The sentence


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ({}, "without arguments"),
        ({"n": 1, "path": "/a"}, 'with `path: "/a", n: 1`'),
        ({"path": "a\nb\x7f\u202e\u200b"}, r'with `path: "a\nb\u007f\u202e\u200b"`'),
        ({"path": "\U000e0041\ufe0f\u3164"}, r'with `path: "\u{e0041}\ufe0f\u3164"`'),
        ({"path": "` [x](http://e) `"}, r'with `path: "\u0060 [x](http://e) \u0060"`'),
        ({'n: 1, "safe"': True}, r'with `"n: 1, \"safe\"": true`'),
        ({"path": "x" * 5000}, f'with `path: "{"x" * 99}… (5,000 characters)`'),
        ({"o": {"p": list(range(500))}}, "with `o: " + '{"p":[' + "0,1,2,3,4,5"),
        ({f"k{n}": n for n in range(500)} | {"path": "/a"}, 'with `path: "/a", k0: 0, k1: 1'),
    ],
)
def test_what_is_asked_shows_all_that_runs_on_one_line(
    arguments: Json, shown: str, server: Any
) -> None:
    user = User()

    anyio.run(talk, server, MODERN, user, ("anything", arguments), ("who", {"id": ""}))

    (question,) = user.questions
    assert question.startswith(f"Run anything (One) {shown}")
    assert question.endswith("? It changes data.")
    assert question.isprintable()
    assert len(question) < 4000


def test_arguments_beyond_the_tenth_are_counted(server: Any) -> None:
    user = User()

    anyio.run(
        talk,
        server,
        MODERN,
        user,
        ("anything", {f"k{n}": n for n in range(25)}),
        ("who", {"id": ""}),
    )

    assert "k9: 9, and 15 more`" in user.questions[0]
