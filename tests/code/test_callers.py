"""Two callers run programs on one server: each with its own rights, and results of its own."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import anyio

from tests.callers.material import cursor_in, token_of
from tests.support.clients import Answer, answer_of, connected, over_http
from tests.support.servers import Listening

ADA: Final = token_of("ada", "payroll:read")
BOB: Final = token_of("bob", client="desk")


def run(server: Listening, token: str, code: str) -> Answer:
    return call(server, token, "run_code", {"code": code})


def call(server: Listening, token: str, tool: str, arguments: Any) -> Answer:
    async def talk() -> Answer:
        async with connected(over_http(server.url, token)) as client:
            return answer_of(await client.call_tool(tool, arguments))

    return anyio.run(talk)


def test_scopes_hold_inside_a_program(guarded: Listening) -> None:
    code = "find_orders(limit=1)\npayroll()"

    assert json.loads(run(guarded, ADA, code).text)["result"] == "a secret"
    assert run(guarded, BOB, code).text == (
        "forbidden: payroll needs the scope payroll:read; the token lacks payroll:read."
        ' Get a token with "payroll:read".\nline 2: payroll()\ncalls made: 2'
    )


def test_the_cache_of_one_caller_is_not_the_others(guarded: Listening) -> None:
    code = "[mine(n=1), mine(n=1)]"
    ada, bob = (json.loads(run(guarded, caller, code).text)["result"] for caller in (ADA, BOB))

    assert ada[0] == ada[1]
    assert bob[0] == bob[1]
    assert [result[0]["subject"] for result in (ada, bob)] == ["ada", "bob"]


def test_programs_of_two_callers_at_once_are_told_apart(guarded: Listening) -> None:
    code = "[mine(n=2)['subject'] for n in range(5)]"
    with ThreadPoolExecutor(6) as beside:
        said = [beside.submit(run, guarded, caller, code) for caller in (ADA, BOB) * 3]

    assert [set(json.loads(future.result().text)["result"]) for future in said] == [
        {"ada"},
        {"bob"},
    ] * 3


def test_nobody_reads_on_what_another_caller_was_answered(guarded: Listening) -> None:
    given = {"tool": "run_code", "cursor": cursor_in(run(guarded, ADA, "many(count=900)").text)}

    assert call(guarded, BOB, "run_read", given).text.startswith(
        "invalid_arguments: no such cursor of run_code"
    )
    assert not call(guarded, ADA, "run_read", given).is_error
