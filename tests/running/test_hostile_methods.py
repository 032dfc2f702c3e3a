"""Methods that hang, fork, fail in odd ways or report nonsense: the others are answered."""

import asyncio
import os
import time
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import TypeAdapter
from toolfold_runtime import ToolError, progress
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Served, outcome, tool

LONG: Final = 60.0


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    tools = {"any": tool(timeout=30), "quick": tool(), "slow": tool(timeout=0.3)}
    return Served(tmp_path_factory.mktemp("hostile"), tools)


def test_an_exception_with_very_many_errors_is_logged_in_short(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    class Fails:
        async def any(self, params: Any) -> None:
            TypeAdapter(list[int]).validate_python(["x"] * 50_000)

    with pytest.raises(ToolError, match="failed with ValidationError"):
        served.call(Fails(), "any")

    (record,) = caplog.records
    assert vars(record)["trace"].endswith("ValidationError: 50,000 errors")


def test_words_of_an_error_that_take_long_stop_only_its_own_call(served: Served) -> None:
    class SlowText(str):
        def __str__(self) -> str:
            time.sleep(LONG)
            return "never"

        def __format__(self, spec: str) -> str:
            return str(self)

    class SlowError(Exception):
        def __str__(self) -> str:
            time.sleep(LONG)
            return "never"

    class Fails:
        async def any(self, params: Any) -> None:
            raise ToolError("busy", SlowText("the author's words"))

        async def slow(self, params: Any) -> None:
            raise SlowError

        async def quick(self, params: Any) -> str:
            return "quick"

    async def called(door: Dispatcher) -> list[str]:
        slow = asyncio.ensure_future(outcome(door, "slow", {}))
        quick = []
        while not slow.done():
            quick.append(await outcome(door, "quick", {}))
        return [slow.result(), *set(quick)]

    assert served.run(Fails(), called) == ["timeout", "ok"]
    with pytest.raises(ToolError) as caught:
        served.call(Fails(), "any")
    assert type(caught.value.text) is str
    assert caught.value.text == "the author's words"


@pytest.mark.parametrize("kind", ["blocking", "async", "both"])
@pytest.mark.parametrize("fails", [False, True])
def test_a_copy_of_the_server_that_a_method_forks_answers_nothing(
    served: Served, kind: str, fails: bool
) -> None:
    forked: list[int] = []

    def work() -> str:
        child = os.fork()
        if child:
            forked.append(child)
            return "parent"
        if fails:
            raise ValueError("child")
        return "child"

    class Forks:
        def any(self, params: Any) -> str:
            return work()

    class ForksOnTheLoop:
        async def any(self, params: Any) -> str:
            return work()

    class ReturnsWhatForks:
        def any(self, params: Any) -> Any:
            return ForksOnTheLoop().any(params)

    kinds = {"blocking": Forks, "async": ForksOnTheLoop, "both": ReturnsWhatForks}
    reply = served.call(kinds[kind](), "any")

    assert reply.texts == ("parent",)
    assert os.waitpid(forked[0], 0)[1] == 0


def test_one_tool_cannot_take_every_place(tmp_path: Path) -> None:
    tools = {"greedy": tool(concurrency=64, timeout=30), "other": tool(timeout=0.5)}
    served = Served(tmp_path, tools)
    begun: list[str] = []

    class Greedy:
        async def greedy(self, params: Any) -> None:
            begun.append("greedy")
            await asyncio.Event().wait()

        async def other(self, params: Any) -> str:
            return "other"

    async def called(door: Dispatcher) -> str:
        hanging = [asyncio.ensure_future(outcome(door, "greedy", {})) for _ in range(200)]
        while len(begun) < 48:
            await asyncio.sleep(0)
        other = await outcome(door, "other", {})
        for call in hanging:
            call.cancel()
        return other

    assert served.run(Greedy(), called) == "ok"
    assert len(begun) == 48


def test_tools_that_hang_in_their_hundreds_hold_up_no_other(tmp_path: Path) -> None:
    hanging = [f"hangs{n}" for n in range(20)]
    tools = {name: tool(timeout=0.05) for name in hanging} | {"other": tool()}
    served = Served(tmp_path, tools)
    release = asyncio.Event()

    class Stubborn:
        def __getattr__(self, name: str) -> Any:
            async def method(params: Any) -> str:
                while name != "other" and not release.is_set():
                    try:
                        await release.wait()
                    except asyncio.CancelledError:
                        continue
                return name

            return method

    async def called(door: Dispatcher) -> tuple[int, set[str], str]:
        for name in hanging:
            await asyncio.gather(*(outcome(door, name, {}) for _ in range(16)))
        abandoned = door.executor.limits.abandoned
        refused = {await outcome(door, name, {}) for name in hanging}
        other = await outcome(door, "other", {})
        release.set()
        while door.executor.limits.abandoned:
            await asyncio.sleep(0)
        return abandoned, refused, other

    assert served.run(Stubborn(), called) == (320, {"timeout"}, "ok")


def test_progress_that_is_none_is_not_sent(served: Served) -> None:
    heard: list[tuple[float, float | None, str | None]] = []

    async def report(done: float, total: float | None, message: str | None) -> None:
        heard.append((done, total, message))

    class Reports:
        async def any(self, params: Any) -> str:
            for done in (float("nan"), float("inf"), "much", None):
                progress(done)  # type: ignore[arg-type]
            progress(1, float("nan"), "x" * 1_000_000)
            await asyncio.sleep(0)
            progress(2, 10**400, "half \ud800")
            await asyncio.sleep(0)
            return "done"

    async def called(door: Dispatcher) -> str:
        return await outcome(door, "any", {}, report)

    assert served.run(Reports(), called) == "ok"
    assert heard == [(1, None, "x" * 1_000), (2, 10**400, "half ?")]


def test_a_client_that_does_not_keep_up_is_told_the_newest(served: Served) -> None:
    heard: list[float] = []
    reported = asyncio.Event()

    async def report(done: float, total: float | None, message: str | None) -> None:
        heard.append(done)
        await reported.wait()

    class Reports:
        async def any(self, params: Any) -> str:
            for done in range(500):
                progress(done)
                await asyncio.sleep(0)
            reported.set()
            return "done"

    async def called(door: Dispatcher) -> str:
        return await outcome(door, "any", {}, report)

    assert served.run(Reports(), called) == "ok"
    assert heard == [*range(100), 499]


def test_an_endless_exception_text_is_not_logged_whole(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    class Fails:
        async def any(self, params: Any) -> None:
            raise ValueError("secret " * 1_000_000)

    with pytest.raises(
        ToolError, match=r"^.*failed with ValueError; the server's log says why"
    ) as caught:
        served.call(Fails(), "any")

    assert "secret" not in caught.value.text
    (record,) = caplog.records
    assert len(vars(record)["trace"]) < 21_000


def test_a_wrong_call_of_a_busy_tool_is_answered_at_once(tmp_path: Path) -> None:
    tools = {"busy": tool(concurrency=1, timeout=30, parameters={"n": {"type": "integer"}})}
    served = Served(tmp_path, tools)
    begun = asyncio.Event()

    class Busy:
        async def busy(self, params: Any) -> None:
            begun.set()
            await asyncio.Event().wait()

    async def called(door: Dispatcher) -> str:
        running = asyncio.ensure_future(door.call("busy", {}))
        await begun.wait()
        wrong = await outcome(door, "busy", {"n": "five"})
        running.cancel()
        return wrong

    assert served.run(Busy(), called) == "invalid_arguments"
