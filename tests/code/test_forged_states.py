"""States of programs that wait for their user: altered, of others, for other programs, or used twice."""

import itertools
from collections.abc import Callable
from typing import Any, Final

import pytest

from tests.callers.material import token_of
from tests.callers.test_confirm_attacks import YES, sent, state_of
from tests.support.projects import Json
from tests.support.servers import Listening

IDS: Final = (f"S-{number}" for number in itertools.count())
#: What a client sends beside the answer, of the state that it got and of the program.
FORGERIES: Final[dict[str, Callable[[str, str], Json]]] = {
    "no state": lambda state, code: {},
    "an altered state": lambda state, code: {"requestState": state[:-4] + "AAAA"},
    "another program": lambda state, code: {
        "requestState": state,
        "arguments": {"code": code.replace("cancel_order", "erase_order")},
    },
    "the same program and more": lambda state, code: {
        "requestState": state,
        "arguments": {"code": f"{code}\ncancel_order(id='S-more')"},
    },
    "a parameter more": lambda state, code: {
        "requestState": state,
        "arguments": {"code": code, "note": "x"},
    },
    "the tool that only reads": lambda state, code: {"requestState": state, "name": "run_code"},
    "another tool": lambda state, code: {
        "requestState": state,
        "name": "run_write",
        "arguments": {"tool": "cancel_order", "arguments": {"id": code[-7:-2]}},
    },
    "another user": lambda state, code: {"requestState": state, "token": token_of("eve")},
    "another client of the user": lambda state, code: {
        "requestState": state,
        "token": token_of("ada", client="phone"),
    },
}


def sent_program(server: Listening, code: str, **more: Any) -> Json:
    given = {"name": "run_code_write", "arguments": {"code": code}, **more}
    return sent(server, given.pop("name"), given.pop("arguments"), **given)


def made(server: Listening, what: str) -> int:
    answer = sent(server, "run_read", {"tool": "made", "arguments": {"of": what}})
    return int(answer["content"][0]["text"])


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_state_confirms_nothing(name: str, guarded: Listening) -> None:
    order = next(IDS)
    code = f"cancel_order(id={order!r})"
    state = state_of(sent_program(guarded, code))

    sent_program(guarded, code, inputResponses=YES, **FORGERIES[name](state, code))

    assert made(guarded, f"cancel {order}") == 0
    assert made(guarded, f"erase {order}") == 0


def test_a_state_is_used_once_and_for_one_question(guarded: Listening) -> None:
    order = next(IDS)
    code = f"[cancel_order(id={order!r}), cancel_order(id='{order}-2')]"
    first = state_of(sent_program(guarded, code))
    second = sent_program(guarded, code, inputResponses=YES, requestState=first)

    # The first question again, of which the user has agreed to one call alone.
    again = sent_program(guarded, code, inputResponses=YES, requestState=first)

    for answer, asked_about in ((second, f"{order}-2"), (again, order)):
        message = answer["inputRequests"]["confirm"]["params"]["message"]
        assert f'`id: "{asked_about}"`' in message
    assert (made(guarded, f"cancel {order}"), made(guarded, f"cancel {order}-2")) == (1, 0)
