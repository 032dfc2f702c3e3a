"""`ask` in a method: the client's user fills in a form, in both eras."""

import json
import runpy
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from mcp.shared.exceptions import MCPError
from toolfold_runtime import UnansweredError, ask, ask_blocking

from tests.callers.questions import WORDS, People, accept
from tests.support.clients import MODERN, Answer, Era, answer_of, connected, over_stdio
from tests.support.commands import toolfold_process
from tests.support.projects import Json, Project
from tests.support.servers import Listening, serve_command

NAME: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}},
    "required": ["name"],
}
DECLINE: Final = types.ElicitResult(action="decline")
DISMISS: Final = types.ElicitResult(action="cancel")
NO_FORMS: Final = "this client cannot ask for it; use one that supports elicitation"
NO_WAY_BACK: Final = (
    "a client of this protocol version cannot be asked over HTTP;"
    " use one of version 2026-07-28 or later, or stdio"
)


async def talk(
    server: Any, era: Era, user: People | None, *calls: tuple[str, Json]
) -> list[Answer]:
    async with connected(server, era, elicitation_callback=user) as client:
        return [answer_of(await client.call_tool(*call)) for call in calls]


def called(server: Any, era: Era, user: People | None, name: str, **arguments: Any) -> Answer:
    given = arguments or {"word": next(WORDS)}
    return anyio.run(talk, server, era, user, (name, given))[0]


@pytest.fixture(scope="module")
def server(asking: Project) -> Any:
    """Served in this process, where both eras have a way back."""
    tools = runpy.run_path(str(asking.folder / "implementation.py"))["Tools"]
    return asking.server(implementation=tools())


# Asked and answered


@pytest.mark.parametrize(
    "name", ["greet", "greet_blocking", "greet_returned", "greet_elsewhere", "swallows"]
)
def test_a_method_gets_what_the_user_fills_in(name: str, era: Era, server: Any) -> None:
    user = People()

    answer = called(server, era, user, name, word="Hello")

    assert (answer.text, answer.is_error) == ("Hello, Ada", False)
    assert (user.questions, user.forms) == (["Who are you?"], [NAME])


@pytest.mark.parametrize("answer", [DECLINE, DISMISS])
@pytest.mark.parametrize("name", ["greet", "greet_blocking"])
def test_a_user_who_declines_answers_nothing(name: str, answer: Any, era: Era, server: Any) -> None:
    assert called(server, era, People(answer), name).text == "nobody"


def test_questions_follow_each_other(era: Era, server: Any) -> None:
    user = People(accept(name="Ada"), accept(name="Eve"))

    assert called(server, era, user, "two").text == "Ada and Eve"
    assert user.questions == ["Who are you?", "Who is with Ada?"]


def test_an_answer_that_was_declined_stays_declined(era: Era, server: Any) -> None:
    user = People(accept(name="Ada"), DECLINE)

    assert called(server, era, user, "two").text == "Ada and nobody"


@pytest.mark.parametrize(("name", "count"), [("at_once", 3), ("groups", 2)])
def test_questions_are_asked_at_once(name: str, count: int, era: Era, server: Any) -> None:
    user = People()

    answer = called(server, era, user, name)

    assert json.loads(answer.text) == ["Ada"] * count
    assert len(user.questions) == count


def test_the_user_confirms_and_is_then_asked(era: Era, server: Any) -> None:
    user, word = People(accept(confirm=True), accept(name="Ada"), accept(name="Eve")), next(WORDS)

    answers = anyio.run(talk, server, era, user, ("both", {"word": word}), ("runs", {"word": word}))

    assert answers[0].text == "Ada and Eve"
    assert user.questions == [
        f'Run both (One) with `word: "{word}"`? It changes data.',
        "Who are you?",
        "Who is with Ada?",
    ]
    # A modern client calls again for each answer, and the method begins anew.
    assert answers[1].text == ("3" if era == MODERN else "1")


def test_a_runner_asks_too(era: Era, server: Any) -> None:
    call = {"tool": "two", "arguments": {"word": next(WORDS)}, "colour": "red"}

    answer = called(server, era, People(), "run_read", **call)

    assert answer.parts == (
        "Ada and Ada",
        "warning: ignored unknown parameters: colour",
    )


def test_whatever_a_method_catches_the_question_is_asked(era: Era, server: Any) -> None:
    assert called(server, era, People(), "swallows_all", word="Hello").text == "Hello, Ada"


@pytest.mark.parametrize("name", ["greet", "greet_blocking", "two", "both", "cached"])
def test_a_client_is_asked_over_stdio(name: str, era: Era, asking: Project) -> None:
    user = People(accept(name="Ada", confirm=True))
    started = over_stdio(serve_command(asking))

    answer = called(started, era, user, name, word="Hello")

    expected = "Hello, Ada" if "two" not in name and name != "both" else "Ada and Ada"
    assert (answer.text, answer.is_error) == (expected, False)


@pytest.mark.parametrize("name", ["greet", "greet_blocking", "two", "both", "cached"])
def test_a_modern_client_is_asked_over_http(name: str, asked_over_http: Listening) -> None:
    user = People(accept(name="Ada", confirm=True))

    answer = called(asked_over_http.url, MODERN, user, name, word="Hello")

    assert answer.text in ("Hello, Ada", "Ada and Ada")


# Answers that do not fit


def test_a_wrong_answer_is_asked_for_again_or_is_none(era: Era, server: Any) -> None:
    user = People(accept(name=5), accept(), accept(name="Ada"))

    answer = called(server, era, user, "greet", word="Hello")

    if era == MODERN:
        assert (answer.text, len(user.questions)) == ("Hello, Ada", 3)
    else:
        assert answer.text == (
            "unconfirmed: the user must be asked, and the client's answer does not fit the"
            ' question: /name: 5 is not of type "string".'
        )


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"count": 3, "when": "2026-07-28"}, {"count": 3, "when": "2026-07-28"}),
        ({"count": 3.0}, {"count": 3}),
        ({"count": None, "other": "x"}, {}),
        ({}, {}),
    ],
)
def test_content_is_of_the_fields_of_the_form(
    content: Json, expected: Json, era: Era, server: Any
) -> None:
    answer = called(server, era, People(accept(**content)), "numbers")

    assert json.loads(answer.text) == expected


@pytest.mark.parametrize("content", [{"count": 3.5}, {"when": "soon"}, {"count": True}])
def test_content_is_held_to_types_and_formats(content: Json, server: Any) -> None:
    answer = called(server, "legacy", People(accept(**content)), "numbers")

    assert answer.text.startswith("unconfirmed: the user must be asked, and the client's answer")


# Clients that cannot ask


def test_a_method_may_do_without_an_answer(era: Era, server: Any) -> None:
    assert called(server, era, None, "catches").text == f"did without: {NO_FORMS}"


def test_an_older_client_that_cannot_ask_is_told(server: Any) -> None:
    for name in ("greet", "greet_blocking"):
        answer = called(server, "legacy", None, name)
        assert answer.text == f"unconfirmed: the user must be asked, and {NO_FORMS}."


@pytest.mark.parametrize("name", ["greet", "greet_blocking", "run_read"])
def test_a_modern_client_that_cannot_ask_lacks_a_capability(name: str, server: Any) -> None:
    arguments: Json = {"word": "Hello"}
    given = {"tool": "greet", "arguments": arguments} if name == "run_read" else arguments

    async def refused() -> types.ErrorData:
        async with connected(server, MODERN) as client:
            with pytest.raises(MCPError) as raised:
                await client.call_tool(name, given)
            return raised.value.error

    error = anyio.run(refused)

    assert (error.code, error.data) == (-32021, {"requiredCapabilities": {"elicitation": {}}})
    assert error.message == f"the user must be asked, and {NO_FORMS}."


def test_an_older_client_over_http_cannot_be_asked(asked_over_http: Listening) -> None:
    user = People()

    answer = called(asked_over_http.url, "legacy", user, "greet")
    caught = called(asked_over_http.url, "legacy", user, "catches")

    assert answer.text == f"unconfirmed: the user must be asked, and {NO_WAY_BACK}."
    assert caught.text == f"did without: {NO_WAY_BACK}"
    assert user.questions == []


def test_whoever_types_a_call_is_not_asked(asking: Project) -> None:
    tried = toolfold_process(asking.folder, "try", "catches", '{"word": "Hello"}')

    assert tried.out == "did without: there is nobody to ask\n"


def test_outside_a_call_there_is_nobody_to_ask() -> None:
    async def asked() -> None:
        await ask("Who?", NAME)

    with pytest.raises(UnansweredError, match="there is no call whose user could be asked"):
        anyio.run(asked)
    with pytest.raises(UnansweredError):
        ask_blocking("Who?", NAME)


# Mistakes of authors


def test_a_client_that_fails_to_ask_has_no_answer(server: Any) -> None:
    user = People(types.ErrorData(code=-32603, message="no window"))

    answer = called(server, "legacy", user, "greet")

    assert answer.text == (
        "unconfirmed: the user must be asked, and the client failed to ask its user;"
        " ask yourself, then call again."
    )


def test_two_questions_of_one_name_are_a_mistake(
    era: Era, server: Any, caplog: pytest.LogCaptureFixture
) -> None:
    answer = called(server, era, People(), "twice")

    assert answer.text == "backend_failed: twice failed with ValueError; the server's log says why."
    assert "two questions are named answer; name each differently" in caplog.records[-1].trace  # type: ignore[attr-defined] # of our log


def test_a_question_that_nobody_waits_for_ends_with_its_call(era: Era, server: Any) -> None:
    user = People()

    answer = called(server, era, user, "later")

    # A modern client is asked first, whatever the method makes of it.
    assert answer.text == "not waited for"
