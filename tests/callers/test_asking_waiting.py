"""While a user fills in a form: the tool's time stands still, others are answered, nobody waits for ever."""

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable
from typing import Any, Final

import anyio
import pytest
from toolfold_runtime import ToolError, UnansweredError, ask, ask_blocking, is_cancelled
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.errors import InputRequired
from toolfold_runtime.running.call import CallContext, Waiting
from toolfold_runtime.running.question import Question

from tests.callers.questions import People
from tests.callers.test_confirm_waiting import Asking
from tests.running.material import Served, tool
from tests.support.clients import answer_of, connected
from tests.support.projects import Json, Project
from tests.support.servers import listening
from tests.support.waiting import PATIENCE

FORM: Final = {"type": "object", "properties": {"name": {"type": "string"}}}
LIMIT: Final = 1.0


class User:
    """Whoever is asked; thinks until told to answer."""

    def __init__(self) -> None:
        self.thinking = 0
        self.answered = asyncio.Event()

    async def __call__(self, question: Question, waiting: Waiting) -> Json | None:
        self.thinking += 1
        try:
            async with waiting():
                await self.answered.wait()
            return {"name": "Ada"}
        finally:
            self.thinking -= 1

    async def until(self, thinking: int) -> None:
        async with asyncio.timeout(PATIENCE):
            while self.thinking != thinking:
                await asyncio.sleep(0.001)


class Tools:
    """Methods that ask, and others."""

    def __init__(self) -> None:
        self.went_on = threading.Event()
        self.saw_cancelled = False

    async def greet(self, params: Any) -> str:
        said = await ask("Who?", FORM)
        return str(said and said["name"])

    def greet_blocking(self, params: Any) -> str:
        try:
            said = ask_blocking("Who?", FORM)
        finally:
            self.saw_cancelled = is_cancelled()
            self.went_on.set()
        return str(said and said["name"])

    async def slow(self, params: Any) -> str:
        await ask("Who?", FORM)
        await asyncio.Event().wait()
        return "never"

    async def impatient(self, params: Any) -> str:
        try:
            async with asyncio.timeout(0.01):
                await ask("Who?", FORM)
        except TimeoutError:
            return "gave up"
        return "answered"

    async def wrong(self, params: Any) -> Any:
        return ask_blocking("Who?", FORM)

    cached = hurried = greet
    hurried_blocking = greet_blocking

    async def quick(self, params: Any) -> str:
        return "quick"


TOOLS: Final = {
    "greet": tool(),
    "greet_blocking": tool(),
    "hurried": tool(timeout=LIMIT),
    "hurried_blocking": tool(timeout=LIMIT),
    "slow": tool(timeout=LIMIT),
    "impatient": tool(),
    "wrong": tool(),
    "cached": tool(cache={"ttl": 60}),
    "quick": tool(),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("asked"), TOOLS, execution={"concurrency": 2})


async def text(door: Dispatcher, name: str, user: Callable[..., Awaitable[Json | None]]) -> str:
    try:
        return (await door.call(name, {}, CallContext(ask=user))).texts[0]
    except ToolError as error:
        return error.code


@pytest.mark.parametrize("name", ["greet", "greet_blocking"])
def test_calls_that_wait_for_a_user_take_no_places(name: str, served: Served) -> None:
    async def called(door: Dispatcher) -> list[str]:
        user = User()
        calls = [asyncio.ensure_future(text(door, name, user)) for _ in range(40)]
        await user.until(40)
        assert await text(door, "quick", user) == "quick"
        user.answered.set()
        return await asyncio.gather(*calls)

    assert served.run(Tools(), called) == ["Ada"] * 40


@pytest.mark.parametrize("name", ["hurried", "hurried_blocking"])
def test_the_time_stands_still_until_the_answer(name: str, served: Served) -> None:
    async def called(door: Dispatcher) -> str:
        user = User()
        call = asyncio.ensure_future(text(door, name, user))
        await user.until(1)
        await asyncio.sleep(1.2 * LIMIT)  # longer than the call may take
        user.answered.set()
        return await call

    assert served.run(Tools(), called) == "Ada"


def test_the_time_goes_on_after_the_answer(served: Served) -> None:
    async def called(door: Dispatcher) -> str:
        user = User()
        slow = asyncio.ensure_future(text(door, "slow", user))
        await user.until(1)
        user.answered.set()
        return await slow

    assert served.run(Tools(), called) == "timeout"


@pytest.mark.parametrize("name", ["greet", "greet_blocking"])
def test_a_call_that_is_cancelled_waits_no_more(name: str, served: Served) -> None:
    tools = Tools()

    async def called(door: Dispatcher) -> str:
        user = User()
        for _ in range(5):  # more than there are places
            call = asyncio.ensure_future(text(door, name, user))
            await user.until(1)
            call.cancel()
            await user.until(0)
            while door.executor.limits.abandoned:
                await asyncio.sleep(0.001)
        if name == "greet_blocking":
            assert await asyncio.to_thread(tools.went_on.wait, PATIENCE)
            assert tools.saw_cancelled
        user.answered.set()
        return await text(door, "greet", user)

    assert served.run(tools, called) == "Ada"


def test_a_method_may_wait_for_less(served: Served) -> None:
    async def called(door: Dispatcher) -> list[str]:
        user = User()
        return [await text(door, "impatient", user) for _ in range(5)]

    assert served.run(Tools(), called) == ["gave up"] * 5


def test_asking_in_the_wrong_way_is_a_mistake_and_stops_nothing(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    async def called(door: Dispatcher) -> str:
        return await text(door, "wrong", User())

    assert served.run(Tools(), called) == "backend_failed"
    assert "write `await ask(…)` here" in vars(caplog.records[0])["trace"]


# The cache


def test_a_call_that_asks_shares_neither_its_question_nor_its_answer(served: Served) -> None:
    async def called(door: Dispatcher) -> list[str]:
        async def eve(question: Question, waiting: Waiting) -> Json | None:
            return {"name": "Eve"}

        user = User()
        ada = asyncio.ensure_future(text(door, "cached", user))
        second = asyncio.ensure_future(text(door, "cached", user))
        await user.until(2)
        answers = [await text(door, "cached", eve), await text(door, "cached", eve)]
        user.answered.set()
        return [await ada, await second, *answers, str(len(door.executor.cache))]

    assert served.run(Tools(), called) == ["Ada", "Ada", "Eve", "Eve", "0"]


def test_a_call_that_is_answered_with_a_question_leaves_the_others_their_own(
    served: Served,
) -> None:
    async def called(door: Dispatcher) -> list[object]:
        asked: list[str] = []

        def modern(name: str) -> Any:
            async def user(question: Question, waiting: Waiting) -> Json | None:
                asked.append(name)
                raise InputRequired(lambda: name)

            return user

        async def answer(name: str) -> object:
            try:
                return await text(door, "cached", modern(name))
            except InputRequired as required:
                return required.make_answer()

        names = [f"user {number}" for number in range(5)]
        answers = await asyncio.gather(*(answer(name) for name in names))
        assert sorted(asked) == names
        return [*answers, door.executor.cache.counts.hits]

    assert served.run(Tools(), called) == [*(f"user {number}" for number in range(5)), 0]


def test_those_that_share_a_call_go_on_when_the_first_leaves(served: Served) -> None:
    async def called(door: Dispatcher) -> str:
        async def nobody(question: Question, waiting: Waiting) -> Json | None:
            raise UnansweredError("nobody is there")

        async def eve(question: Question, waiting: Waiting) -> Json | None:
            return {"name": "Eve"}

        first = asyncio.ensure_future(text(door, "cached", nobody))
        second = asyncio.ensure_future(text(door, "cached", eve))
        await asyncio.sleep(0)
        first.cancel()
        return await second

    assert served.run(Tools(), called) == "Eve"


# Over stdio, with an older client


def test_the_users_time_is_not_the_tools_over_stdio(asking: Project) -> None:
    with Asking.of(asking, "--log-level", "info", "--log", "json") as server:
        server.call("async", "hurried", word="one")
        server.call("blocking", "hurried_blocking", word="two")
        questions = server.questions(2)
        server.call("other", "quick")
        server.wait("other")
        threading.Event().wait(1.2)  # longer than the tools may take
        for question in questions:
            result = {"action": "accept", "content": {"name": "Ada"}}
            server.send({"id": question, "result": result})
        answers = server.wait("async", "blocking")
        assert server.end() == 0

    texts = [answer["result"]["content"][0]["text"] for answer in answers]
    assert texts == ["one, Ada", "two, Ada"]
    records = [json.loads(line) for line in server.err.lines]
    calls = [r for r in records if r["event"] == "call" and r["tool"].startswith("hurried")]
    assert [r["outcome"] for r in calls] == ["ok", "ok"]
    assert all(r["ms"] < 1_000 for r in calls)


@pytest.mark.parametrize("name", ["greet", "greet_blocking"])
def test_a_hundred_users_wait_and_no_more(asking: Project, name: str) -> None:
    with Asking.of(asking) as server:
        for number in range(101):
            server.call(number, name, word="Hello")
        questions = server.questions(100)
        server.out.wait_until(
            lambda: any(server.answers[number] for number in range(101)), "all of them wait"
        )
        for question in questions:
            server.reply(question, "decline")
        answers = server.wait(*range(101))
        assert server.end() == 0

    texts = sorted(answer["result"]["content"][0]["text"] for answer in answers)
    too_many = "too many questions wait for an answer; try again later."
    assert texts == ["nobody"] * 100 + [f"unconfirmed: the user must be asked, and {too_many}"]


@pytest.mark.parametrize("name", ["greet", "greet_blocking"])
def test_a_client_that_cancels_or_goes_away_leaves_nothing_behind(
    asking: Project, name: str
) -> None:
    with Asking.of(asking) as server:
        server.call("first", name, word="one")
        server.questions(1)
        server.send({"method": "notifications/cancelled", "params": {"requestId": "first"}})
        server.call("second", name, word="two")
        server.questions(2)
        assert server.end() == 0

    assert "Traceback" not in server.log


def test_a_user_who_never_answers_is_not_waited_for(
    asking: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolfold_runtime.serving.asking._SECONDS", 0.05)

    async def never(*_: Any) -> Any:
        await anyio.sleep_forever()

    class Greets:
        async def greet(self, params: Any) -> Any:
            return await ask("Who?", FORM)

    async def attempt() -> str:
        server = asking.server(implementation=Greets())
        async with connected(server, "legacy", elicitation_callback=never) as client:
            return answer_of(await client.call_tool("greet", {"word": "x"})).text

    assert anyio.run(attempt) == (
        "unconfirmed: the user must be asked, and the user did not answer within 10 minutes;"
        " call again when the user is there."
    )


def test_each_round_of_a_modern_client_is_a_call_that_was_asked_or_answered(
    asking: Project,
) -> None:
    async def talk(url: str) -> None:
        async with connected(url, elicitation_callback=People()) as client:
            await client.call_tool("two", {"word": "x"})

    with listening(asking, "--log-level", "info") as server:
        anyio.run(talk, server.url)
        server.tell_to_stop()
        server.process.wait(PATIENCE)
        server.err.close()

    records = [json.loads(line) for line in server.err.lines]
    outcomes = [record["outcome"] for record in records if record["event"] == "call"]
    assert outcomes == ["asked", "asked", "ok"]
