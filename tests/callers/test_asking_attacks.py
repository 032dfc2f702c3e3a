"""Answers as they are sent: those of another question, round, call or user, and those that are none."""

from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest

from tests.callers.material import VERIFIER, token_of
from tests.callers.questions import WORDS
from tests.callers.test_confirm_attacks import ASKING, YES, sent, state_of
from tests.support.clients import MODERN
from tests.support.projects import Json, Project
from tests.support.servers import Listening, listening, listening_with_verifier


@pytest.fixture(scope="module")
def guarded_asking(asking: Project) -> Iterator[Listening]:
    """With a verifier."""
    (asking.folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    with listening_with_verifier(asking) as server:
        yield server


def accepted(**content: Any) -> Json:
    return {"action": "accept", "content": content}


WHO: Final = {"who": accepted(name="Ada")}


def text_of(answer: Json) -> str:
    assert answer.get("resultType") == "complete", answer
    return str(answer["content"][0]["text"])


def asked_for(answer: Json) -> list[str]:
    """The names of the questions in an answer."""
    assert answer["resultType"] == "input_required", answer
    return list(answer["inputRequests"])


def test_the_question_and_its_answer_as_they_are_sent(asked_over_http: Listening) -> None:
    question = sent(asked_over_http, "greet", {"word": "Hello"})

    form = question["inputRequests"]["who"]
    assert form["method"] == "elicitation/create"
    assert form["params"]["message"] == "Who are you?"
    assert form["params"]["requestedSchema"]["required"] == ["name"]
    answer = sent(
        asked_over_http,
        "greet",
        {"word": "Hello"},
        inputResponses=WHO,
        requestState=state_of(question),
    )
    assert text_of(answer) == "Hello, Ada"


def test_an_answer_may_come_before_its_question(asked_over_http: Listening) -> None:
    given = WHO | {"other": accepted(foo="bar"), "one more": accepted(baz=123)}

    answer = sent(asked_over_http, "greet", {"word": "Hello"}, inputResponses=given)

    assert text_of(answer) == "Hello, Ada"


def test_answers_of_earlier_rounds_travel_in_a_state_that_changes(
    asked_over_http: Listening,
) -> None:
    call: Json = {"word": next(WORDS)}
    first = sent(asked_over_http, "two", call)
    second = sent(asked_over_http, "two", call, inputResponses=WHO, requestState=state_of(first))
    eve = {"with": accepted(name="Eve")}
    third = sent(asked_over_http, "two", call, inputResponses=eve, requestState=state_of(second))
    forgotten = sent(asked_over_http, "two", call, inputResponses=eve, requestState=state_of(first))

    assert (asked_for(first), asked_for(second)) == (["who"], ["with"])
    assert state_of(first) != state_of(second)
    assert "Ada" not in state_of(second)
    assert text_of(third) == "Ada and Eve"
    assert asked_for(forgotten) == ["who"]


def test_a_newer_answer_counts(asked_over_http: Listening) -> None:
    call: Json = {"word": next(WORDS)}
    first = sent(asked_over_http, "two", call)
    second = sent(asked_over_http, "two", call, inputResponses=WHO, requestState=state_of(first))

    both = {"who": accepted(name="Eve"), "with": accepted(name="Ada")}
    third = sent(asked_over_http, "two", call, inputResponses=both, requestState=state_of(second))

    assert text_of(third) == "Eve and Ada"


def test_questions_at_once_are_sent_at_once(asked_over_http: Listening) -> None:
    question = sent(asked_over_http, "at_once", {"word": "x"})

    assert asked_for(question) == ["a", "b", "c"]
    some = {"a": accepted(name="Ada"), "c": accepted(name="Cleo")}
    rest = sent(
        asked_over_http,
        "at_once",
        {"word": "x"},
        inputResponses=some,
        requestState=state_of(question),
    )
    assert asked_for(rest) == ["b"]
    answer = sent(
        asked_over_http,
        "at_once",
        {"word": "x"},
        inputResponses={"b": accepted(name="Bob")},
        requestState=state_of(rest),
    )
    assert text_of(answer) == '["Ada","Bob","Cleo"]'


@pytest.mark.parametrize(
    "responses",
    [
        {"who": 12345},
        {"who": None},
        {"who": []},
        {"who": "Ada"},
        {"who": {}},
        {"who": {"action": "shout"}},
        {"who": {"roots": []}},
        {"who": {"action": "accept"}},
        {"who": {"action": "accept", "content": None}},
        {"who": {"action": "accept", "content": 5}},
        {"who": accepted(name=5)},
        {"who": accepted(name={"deep": []})},
        {"who": accepted(name="half \ud800")},
        None,
        5,
        [],
        {},
    ],
)
def test_what_is_no_answer_is_refused_or_asked_for_again(
    responses: Any, asked_over_http: Listening
) -> None:
    state = state_of(sent(asked_over_http, "greet", {"word": "Hello"}))

    rounds: tuple[Json, ...] = ({}, {"requestState": state})
    for more in rounds:
        answer = sent(asked_over_http, "greet", {"word": "Hello"}, inputResponses=responses, **more)
        is_question = answer.get("resultType") == "input_required"
        assert is_question or answer.get("code") == -32602, answer
    assert sent(asked_over_http, "quick", {})["content"][0]["text"] == "quick"


def test_answers_that_are_too_long_for_a_state_are_refused(asked_over_http: Listening) -> None:
    long = {"who": accepted(name="x" * 200_000)}

    answer = sent(asked_over_http, "two", {"word": "x"}, inputResponses=long)

    text = "the answers have more than 100,000 characters; give shorter ones."
    assert answer["content"][0]["text"] == f"unconfirmed: the user must be asked, and {text}"


def test_a_client_that_cannot_ask_is_answered_with_400(asked_over_http: Listening) -> None:
    params = {
        "name": "greet",
        "arguments": {"word": "Hello"},
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {},
        },
        "inputResponses": WHO,
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": "greet"}

    answer = asked_over_http.post(message, **headers)

    assert (answer.status, answer.json["error"]["code"]) == (400, -32021)
    assert answer.json["error"]["data"] == {"requiredCapabilities": {"elicitation": {}}}


# States of others


Forgery = Callable[[str], Json]
FORGERIES: Final[dict[str, Forgery]] = {
    "a made-up state": lambda state: {"requestState": "asked"},
    "an altered state": lambda state: {"requestState": f"{state}-ALTERED"},
    "no text": lambda state: {"requestState": 5},
    "another user": lambda state: {"requestState": state, "token": token_of("eve")},
    "other arguments": lambda state: {"requestState": state, "arguments": {"word": "Other"}},
    "another tool": lambda state: {"requestState": state, "name": "greet_blocking"},
    "another way to the tool": lambda state: {
        "requestState": state,
        "name": "run_read",
        "arguments": {"tool": "greet", "arguments": {"word": "Hello"}},
    },
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_state_that_is_forged_is_refused(forgery: str, guarded_asking: Listening) -> None:
    state = state_of(sent(guarded_asking, "greet", {"word": "Hello"}))
    changes: Json = {"name": "greet", "arguments": {"word": "Hello"}} | FORGERIES[forgery](state)

    answer = sent(guarded_asking, inputResponses=WHO, **changes)

    assert answer["code"] == -32602


def test_a_state_without_answers_asks_again(guarded_asking: Listening) -> None:
    state = state_of(sent(guarded_asking, "greet", {"word": "Hello"}))

    again = sent(guarded_asking, "greet", {"word": "Hello"}, requestState=state)

    assert asked_for(again) == ["who"]
    assert state_of(again) != state


def test_processes_with_common_keys_take_each_others_questions(asking: Project) -> None:
    key = "k" * 32
    with (
        listening(asking, TOOLFOLD_STATE_KEYS=key) as first,
        listening(asking, TOOLFOLD_STATE_KEYS=key) as second,
    ):
        question = sent(first, "greet", {"word": "Hello"})
        answer = sent(
            second,
            "greet",
            {"word": "Hello"},
            inputResponses=WHO,
            requestState=state_of(question),
        )

    assert text_of(answer) == "Hello, Ada"


# Consent and answers in one call


def runs(server: Listening, word: str) -> int:
    return int(text_of(sent(server, "runs", {"word": word})))


def test_consent_holds_for_the_rounds_that_follow_and_for_one_of_each(
    guarded_asking: Listening,
) -> None:
    call: Json = {"word": next(WORDS)}

    def round_of(answers: Json, before: Json) -> Json:
        state = state_of(before)
        return sent(guarded_asking, "both", call, inputResponses=answers, requestState=state)

    first = sent(guarded_asking, "both", call)
    second = round_of(YES, first)
    third = round_of(WHO, second)
    assert [asked_for(answer) for answer in (first, second, third)] == [
        ["confirm"],
        ["who"],
        ["with"],
    ]
    eve = {"with": accepted(name="Eve")}
    assert text_of(round_of(eve, third)) == "Ada and Eve"
    before = runs(guarded_asking, call["word"])
    for replayed, answers in ((first, YES), (second, WHO), (third, eve)):
        assert asked_for(round_of(answers, replayed)) == ["confirm"]
    assert runs(guarded_asking, call["word"]) == before


@pytest.mark.parametrize(
    "more",
    [
        {"inputResponses": YES | WHO | {"with": accepted(name="Eve")}},
        {"inputResponses": WHO},
        {},
    ],
)
def test_answers_are_no_consent(more: Json, guarded_asking: Listening) -> None:
    call: Json = {"word": next(WORDS)}

    answer = sent(guarded_asking, "both", call, **more)

    assert asked_for(answer) == ["confirm"]
    assert runs(guarded_asking, call["word"]) == 0


def test_a_state_of_questions_is_no_consent(guarded_asking: Listening) -> None:
    call: Json = {"word": next(WORDS)}
    state = state_of(sent(guarded_asking, "two", call))

    answer = sent(guarded_asking, "both", call, inputResponses=YES, requestState=state)

    assert answer["code"] == -32602
    assert runs(guarded_asking, call["word"]) == 1


def test_who_declines_is_asked_nothing_more(guarded_asking: Listening) -> None:
    call: Json = {"word": next(WORDS)}
    state = state_of(sent(guarded_asking, "both", call, capabilities=ASKING))

    no = {"confirm": {"action": "decline"}}
    answer = sent(guarded_asking, "both", call, inputResponses=no | WHO, requestState=state)

    assert answer["content"][0]["text"].startswith("unconfirmed: both was not run: the user decl")
    assert runs(guarded_asking, call["word"]) == 0
