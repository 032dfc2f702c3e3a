"""Users are asked in the middle of a program, in both eras; nothing before the question is done again."""

import json
from collections.abc import Callable
from typing import Any, Final

import anyio
import mcp_types as types
import pytest

from tests.callers.material import YES, User
from tests.support.clients import MODERN, Answer, Era, answer_of, connected, over_stdio
from tests.support.projects import Project
from tests.support.servers import Listening, serve_command

NO: Final = types.ElicitResult(action="decline")
Ask = Callable[..., tuple[Answer, dict[str, int]]]


@pytest.fixture
def ask(orders: Project, server: Listening, era: Era) -> Ask:
    """Runs a program whose client asks a user; its answer, and how often some things were done.

    A modern client is asked by an answer over HTTP; an older one while it waits, over stdio.
    """
    target = server.url if era == MODERN else over_stdio(serve_command(orders))

    async def talk(code: str, user: Any, done: tuple[str, ...]) -> tuple[Answer, dict[str, int]]:
        async with connected(target, era, elicitation_callback=user) as client:

            async def counts() -> list[int]:
                called = [await client.call_tool("made", {"of": name}) for name in done]
                return [int(answer_of(result).text) for result in called]

            before = await counts()
            answer = answer_of(await client.call_tool("run_code_write", {"code": code}))
            after = await counts()
            return answer, {
                name: last - first for name, first, last in zip(done, before, after, strict=True)
            }

    def asked(code: str, user: Any, *done: str) -> tuple[Answer, dict[str, int]]:
        return anyio.run(talk, code, user, done)

    return asked


def test_what_was_done_before_the_question_is_done_once(ask: Ask) -> None:
    code = """
print("adding")
order = add_order(lines=[{"sku": "x"}])
said = cancel_order(id=order["id"])
[said, order["id"]]
"""
    user = User()
    answer, done = ask(code, user, "add_order", "cancel A-40")

    assert json.loads(answer.text) == {
        "result": ["cancelled A-40", "A-40"],
        "printed": "adding",
        "calls": 2,
    }
    assert user.questions == [
        'Run cancel_order (Cancel an order) with `id: "A-40"`? It can destroy data.'
    ]
    assert done == {"add_order": 1, "cancel A-40": 1}


def test_each_call_that_wants_it_is_asked_about(ask: Ask) -> None:
    user = User()
    answer, done = ask(
        '[cancel_order(id=f"B-{n}") for n in range(3)]', user, "cancel B-0", "cancel B-2"
    )

    assert json.loads(answer.text)["calls"] == 3
    assert [question.count(f"B-{n}") for n, question in enumerate(user.questions)] == [1, 1, 1]
    assert done == {"cancel B-0": 1, "cancel B-2": 1}


def test_equal_calls_are_asked_about_one_by_one(ask: Ask) -> None:
    user = User()
    _, done = ask('cancel_order(id="E")\ncancel_order(id="E")', user, "cancel E")

    assert (len(user.questions), done) == (2, {"cancel E": 2})


def test_a_program_may_go_on_when_the_user_declines(ask: Ask) -> None:
    code = """
try:
    cancel_order(id="C")
except RuntimeError as error:
    said = str(error)
[said, add_order(lines=[])["id"]]
"""
    answer, done = ask(code, User(NO), "add_order", "cancel C")

    said, added = json.loads(answer.text)["result"]
    assert said.startswith("unconfirmed: cancel_order was not run: the user declined it")
    assert (added, done) == ("A-40", {"add_order": 1, "cancel C": 0})


def test_without_anybody_to_ask_what_requires_it_is_refused(ask: Ask) -> None:
    answer, done = ask('erase_order(id="D")\ncancel_order(id="D")', None, "erase D", "cancel D")

    assert answer.is_error
    assert answer.text.startswith("unconfirmed: cancel_order was not run: ")
    assert 'line 2: cancel_order(id="D")\ncalls made: 2' in answer.text
    assert done == {"erase D": 1, "cancel D": 0}


def test_a_method_asks_for_each_of_its_calls(ask: Ask) -> None:
    names = iter(["Ada", "Bob"])

    async def user(_: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"name": next(names)})

    answer, _ = ask('[name_order(id="1"), name_order(id="2")]', user)

    assert json.loads(answer.text)["result"] == ["1 is Ada", "2 is Bob"]


def test_what_was_printed_before_the_question_is_counted_on(ask: Ask) -> None:
    code = 'print("x" * 2_000)\ncancel_order(id="G")\nprint("y" * 100)'
    answer, _ = ask(code, User())

    assert json.loads(answer.text)["printed"].endswith("xxx… (902 more characters)")


@pytest.mark.parametrize(
    "held", ["[random.random() for n in range(40_000)]", "'x' * 50_000_000"], ids=["much", "most"]
)
def test_a_program_that_holds_too_much_is_told_so(held: str, server: Listening) -> None:
    code = f"import random\nheld = {held}\ncancel_order(id='F')"

    async def talk() -> Answer:
        async with connected(server.url, MODERN, elicitation_callback=User(YES)) as client:
            return answer_of(await client.call_tool("run_code_write", {"code": code}))

    answer = anyio.run(talk)

    assert answer.is_error
    assert answer.text.startswith("unconfirmed: the program holds too much to wait for its user")
