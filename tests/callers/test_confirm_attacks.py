"""Answers that were never given, were given to another question, or by another user, confirm nothing."""

import itertools
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.callers.material import token_of
from tests.support.clients import MODERN
from tests.support.projects import Json, Project
from tests.support.servers import Listening, Running, listening, serve_command

IDS: Final = (f"B-{number}" for number in itertools.count())
YES: Final = {"confirm": {"action": "accept", "content": {"confirm": True}}}
ASKING: Final[Json] = {"elicitation": {}}


def sent(
    server: Listening,
    name: str,
    arguments: Json,
    token: str = token_of("ada"),
    capabilities: Json = ASKING,
    **more: Any,
) -> Json:
    """The result of one modern request as it is sent, or its error."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    }
    params = {"name": name, "arguments": arguments, "_meta": meta, **more}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    headers = {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": name}
    answer = server.post(message, Authorization=f"Bearer {token}", **headers).json
    result: Json = answer.get("result") or answer["error"]
    return result


def state_of(answer: Json) -> str:
    """The sealed state of a question."""
    assert answer["resultType"] == "input_required", answer
    return str(answer["requestState"])


def runs(server: Listening, order: str) -> int:
    answer = sent(server, "runs", {"id": order})
    return int(answer["content"][0]["text"])


def asked(server: Listening, order: str, **more: Any) -> str:
    return state_of(sent(server, "erase", {"id": order}, **more))


def test_the_question_and_its_answer_as_they_are_sent(guarded: Listening) -> None:
    order = next(IDS)
    question = sent(guarded, "erase", {"id": order})

    assert question["inputRequests"]["confirm"]["method"] == "elicitation/create"
    form = question["inputRequests"]["confirm"]["params"]
    assert (
        form["message"] == f'Run erase (Erase an order) with `id: "{order}"`? It can destroy data.'
    )
    assert order not in question["requestState"]
    answer = sent(
        guarded, "erase", {"id": order}, inputResponses=YES, requestState=state_of(question)
    )
    assert answer["content"][0]["text"] == f"ran {order}"
    assert runs(guarded, order) == 1


Forgery = Callable[[str, str], Json]
FORGERIES: Final[dict[str, Forgery]] = {
    "an answer without a question": lambda state, order: {"inputResponses": YES},
    "a state without an answer": lambda state, order: {"requestState": state},
    "an answer to nothing": lambda state, order: {"requestState": state, "inputResponses": {}},
    "an answer to something else": lambda state, order: {
        "requestState": state,
        "inputResponses": {"other": YES["confirm"]},
    },
    "an answer of another kind": lambda state, order: {
        "requestState": state,
        "inputResponses": {"confirm": {"roots": []}},
    },
    "a null state": lambda state, order: {"requestState": None, "inputResponses": YES},
    "a made-up state": lambda state, order: {"requestState": "asked", "inputResponses": YES},
    "an altered state": lambda state, order: {
        "requestState": state[:-1] + ("A" if state[-1] != "A" else "B"),
        "inputResponses": YES,
    },
    "other arguments": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "arguments": {"id": order, "note": "more"},
    },
    "another tool": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "name": "guarded_erase",
    },
    "another way to the tool": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "name": "run_write",
        "arguments": {"tool": "erase", "arguments": {"id": order}},
    },
    "another user": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "token": token_of("eve"),
    },
    "another client of the user": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "token": token_of("ada", client="phone"),
    },
    "the user in another organisation": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "token": token_of("ada", org="other"),
    },
    "a client that cannot ask": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "capabilities": {},
    },
    "a client that only opens addresses": lambda state, order: {
        "requestState": state,
        "inputResponses": YES,
        "capabilities": {"elicitation": {"url": {}}},
    },
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_what_is_forged_runs_nothing(forgery: str, guarded: Listening) -> None:
    order = next(IDS)
    changes = FORGERIES[forgery](asked(guarded, order), order)
    name = changes.pop("name", "erase")
    arguments = changes.pop("arguments", {"id": order})

    answer = sent(guarded, name, arguments, **changes)

    is_question = answer.get("resultType") == "input_required"
    is_refused = answer.get("isError") is True or answer.get("code") == -32602
    assert is_question or is_refused, answer
    assert runs(guarded, order) == 0


def test_an_answer_is_good_for_one_call(guarded: Listening) -> None:
    order = next(IDS)
    state = asked(guarded, order)

    first, second = (
        sent(guarded, "erase", {"id": order}, inputResponses=YES, requestState=state)
        for _ in range(2)
    )

    assert first["content"][0]["text"] == f"ran {order}"
    assert state_of(second) != state
    assert runs(guarded, order) == 1


def test_a_refreshed_token_of_the_same_user_may_answer(guarded: Listening) -> None:
    order = next(IDS)
    state = asked(guarded, order, token=token_of("ada", exp=9_999_999_998, jti="one"))

    token = token_of("ada", exp=9_999_999_999, jti="two")
    sent(guarded, "erase", {"id": order}, token, inputResponses=YES, requestState=state)

    assert runs(guarded, order) == 1


def test_an_older_client_cannot_bring_its_own_answer(unguarded: Listening) -> None:
    params = {"name": "erase", "arguments": {"id": "old"}, "inputResponses": YES}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}

    answer = unguarded.post(message).json["result"]

    assert answer["content"][0]["text"].startswith("unconfirmed: ")


# Several processes


def test_processes_with_common_keys_take_each_others_questions(
    orders: Project, unguarded: Listening
) -> None:
    old, new = "k" * 32, "n" * 32
    with (
        listening(orders, TOOLFOLD_STATE_KEYS=old) as first,
        listening(orders, TOOLFOLD_STATE_KEYS=f"{new},{old}") as second,
    ):
        state = asked(first, "K")
        refused = sent(unguarded, "erase", {"id": "K"}, inputResponses=YES, requestState=state)
        taken = sent(second, "erase", {"id": "K"}, inputResponses=YES, requestState=state)

    assert refused["code"] == -32602
    assert taken["content"][0]["text"] == "ran K"


def test_a_key_that_is_too_short_keeps_the_server_from_starting(orders: Project) -> None:
    with Running(serve_command(orders, "--log", "text"), TOOLFOLD_STATE_KEYS="secret") as server:
        assert server.process.wait(60) == 1
        server.err.close()

    assert "TOOLFOLD_STATE_KEYS: each key needs 32 characters or more" in server.log
    assert "secret" not in server.log
