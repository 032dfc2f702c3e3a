"""While a user thinks, the tool's time does not run, others are answered, and nobody waits for ever."""

import asyncio
import json
import time
from typing import Any

import anyio
import pytest
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.call import CallContext, Consent

from tests.callers.material import ID, tool
from tests.running.material import Served
from tests.support.clients import answer_of, connected
from tests.support.projects import Json, Project
from tests.support.servers import Stdio

THOUGHT = 0.3


class Asking(Stdio):
    """An older client over stdio that can ask its user; questions are collected."""

    def greet(self, **capabilities: Json) -> Json:
        return super().greet(elicitation={}, **capabilities)

    def take(self, line: str) -> None:
        message = json.loads(line)
        if message.get("method") == "elicitation/create":
            message["id"] = ("question", message["id"])
        self.answers[message.get("id")].append(message)

    def questions(self, count: int) -> list[int]:
        """The ids of the questions, once there are so many."""

        def ids() -> list[int]:
            return [key[1] for key in [*self.answers] if isinstance(key, tuple)]

        self.out.wait_until(lambda: len(ids()) == count, "nobody was asked")
        return ids()

    def reply(self, question: int, action: str) -> None:
        self.send({"id": question, "result": {"action": action}})


def test_the_users_time_is_not_the_tools_and_others_are_answered_meanwhile(
    orders: Project,
) -> None:
    with Asking.of(orders, "--log-level", "info", "--log", "json") as server:
        server.call("first", "erase", id="one")
        server.call("second", "erase", id="two")
        first, second = server.questions(2)
        server.call("other", "who")
        server.wait("other")
        time.sleep(THOUGHT)
        server.reply(first, "accept")
        server.reply(second, "decline")
        answers = server.wait("first", "second")
        assert server.end() == 0

    assert [answer["result"].get("isError", False) for answer in answers] == [False, True]
    records = [json.loads(line) for line in server.err.lines]
    calls = [r for r in records if r["event"] == "call" and r["tool"] == "erase"]
    assert sorted(r["outcome"] for r in calls) == ["ok", "unconfirmed"]
    assert all(r["ms"] < THOUGHT * 1000 for r in calls)


def test_whoever_waits_for_an_answer_takes_no_slot_and_has_its_whole_time(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    tools = {"erase": tool("write", confirm="require", parameters=ID), "look": tool()}
    limits = {"timeout": 0.2, "concurrency": 1}
    served = Served(tmp_path_factory.mktemp("waiting"), tools, execution=limits)
    answered = asyncio.Event()

    class Tools:
        async def erase(self, params: Any) -> str:
            return "erased"

        look = erase

    async def think(_: str) -> Consent:
        await answered.wait()
        return Consent()

    async def asked(door: Dispatcher) -> str:
        context = CallContext(confirm=think)
        erase = asyncio.ensure_future(door.call("erase", {"id": "x"}, context))
        await asyncio.sleep(0.25)
        await door.call("look", {})
        answered.set()
        return (await erase).texts[0]

    assert served.run(Tools(), asked) == "erased"


def test_a_user_who_never_answers_is_not_waited_for(
    orders: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolfold_runtime.serving.asking._SECONDS", 0.05)

    async def never(*_: Any) -> Any:
        await anyio.sleep_forever()

    async def attempt() -> str:
        server = orders.server(implementation=None)
        async with connected(server, "legacy", elicitation_callback=never) as client:
            return answer_of(await client.call_tool("cancel", {"id": "x"})).text

    assert anyio.run(attempt) == (
        "unconfirmed: cancel was not run: the user did not answer within 10 minutes; call again when the user is there."
    )


def test_questions_that_wait_are_bounded(orders: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolfold_runtime.serving.asking._MOST_WAITING", 3)

    with_answer = anyio.Event()

    async def later(*_: Any) -> Any:
        await with_answer.wait()

    async def attempt() -> list[str]:
        texts: list[str] = []
        server = orders.server(implementation=None)
        async with (
            connected(server, "legacy", elicitation_callback=later) as client,
            anyio.create_task_group() as group,
        ):

            async def call(number: int) -> None:
                answer = await client.call_tool("cancel", {"id": str(number)})
                texts.append(answer_of(answer).text)

            for number in range(5):
                group.start_soon(call, number)
            with anyio.fail_after(30):
                while len(texts) < 2:
                    await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        return texts

    assert (
        anyio.run(attempt)
        == [
            "unconfirmed: cancel was not run: too many questions wait for an answer; try again later."
        ]
        * 2
    )
