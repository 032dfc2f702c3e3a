"""Many calls at once, of methods that are slow, fail, hang and flood: each gets its own answer."""

import json
from typing import Final

import pytest

from tests.running.material import tool
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Stdio, text_of

NUMBER: Final = {"n": {"type": "integer", "required": True}}
TOOLS: Final = {
    "echo": tool(parameters=NUMBER, returns={"type": "integer"}),
    "blocking": tool(parameters=NUMBER, returns={"type": "integer"}),
    "kept": tool(parameters=NUMBER, returns={"type": "integer"}, cache={"ttl": 60}),
    "fails": tool(parameters=NUMBER),
    "wrong": tool(parameters=NUMBER, returns={"type": "string"}),
    "hangs": tool(parameters=NUMBER, timeout=0.2),
    "hangs_blocked": tool(parameters=NUMBER, timeout=0.2),
    "floods": tool(parameters=NUMBER, returns={"type": "array"}, budget=500),
    "too_much": tool(parameters=NUMBER),
}
IMPLEMENTATION: Final = """
import asyncio, threading, time
from toolfold_runtime import is_cancelled, progress

class Tools:
    async def echo(self, params):
        return params.n

    def blocking(self, params):
        time.sleep(0.002)
        return params.n

    def kept(self, params):
        return params.n % 10

    async def fails(self, params):
        raise ValueError(f"secret {params.n}")

    def wrong(self, params):
        return params.n

    async def hangs(self, params):
        await asyncio.Event().wait()

    def hangs_blocked(self, params):
        while not is_cancelled():
            time.sleep(0.01)

    def floods(self, params):
        for n in range(1000):
            progress(n)
        return [{"number": n, "of": params.n, "text": "x" * 100} for n in range(5000)]

    def too_much(self, params):
        return "x" * 17_000_000
"""
EXPECTED: Final = {
    "fails": "backend_failed: fails failed with ValueError; the server's log says why.",
    "wrong": "invalid_result: wrong returned a result that breaks its own schema;",
    "hangs": "timeout: hangs did not answer within 0.2 s",
    "hangs_blocked": "timeout: hangs_blocked ",
    "too_much": "budget_exceeded: the result of too_much has more than 16,000,000 bytes",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("load"), TOOLS, IMPLEMENTATION)


def name_of(number: int) -> str:
    """One in ten fails, one in fifty hangs, a few flood."""
    if number % 200 == 7:
        return "too_much"
    if number % 50 in (1, 26):
        return "hangs" if number % 50 == 1 else "hangs_blocked"
    if number % 10 == 3:
        return "fails" if number % 20 == 3 else "wrong"
    if number % 40 == 5:
        return "floods"
    return ("echo", "blocking", "kept")[number % 3]


def assert_right(number: int, answers: list[Json]) -> None:
    """One answer, and the right one."""
    name = name_of(number)
    assert len(answers) == 1, (name, answers)
    text = text_of(answers[0])
    if name in EXPECTED:
        assert answers[0]["result"]["isError"] is True
        assert text.startswith(EXPECTED[name]), text
        assert "secret" not in text
    elif name == "floods":
        assert json.loads(text)[0]["of"] == number
    else:
        assert json.loads(text) == (number % 10 if name == "kept" else number)


def test_no_call_is_lost_mixed_up_or_left_hanging(made: Project) -> None:
    with Stdio.of(made) as server:
        server.call("warm", "echo", n=1)
        server.wait("warm")
        for first in range(0, 1000, 100):
            for number in range(first, first + 100):
                server.call(number, name_of(number), n=number)
            server.wait(*range(first, first + 100))
        server.call("after", "echo", n=5)
        assert text_of(server.wait("after")[0]) == "5"
        for number in range(1000):
            assert_right(number, server.answers[number])
        assert server.end() == 0


@pytest.mark.long
def test_memory_stays_bounded_while_results_flood(made: Project) -> None:
    with Stdio.of(made) as server:

        def flood(first: int) -> int:
            for number in range(first, first + 60):
                server.call(number, "floods", n=number)
            server.wait(*range(first, first + 60))
            return server.resident()

        flood(0)
        before = flood(100)
        after = max(flood(first) for first in range(200, 500, 100))
        # What is kept to be read on has a bound of its own, which is reached by then.
        assert after < before + 60_000
