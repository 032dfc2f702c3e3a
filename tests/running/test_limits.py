"""Limits on calls: how long, how many; what is cancelled, and what cannot be."""

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from toolfold_runtime import ToolError, is_cancelled, progress, results_cache
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Served, outcome, tool, value_of
from tests.support.clients import connected
from tests.support.waiting import PATIENCE

TOOLS: Final = {
    "quick": tool(),
    "blocking": tool(timeout=0.05),
    "hanging": tool(timeout=0.05),
    "stubborn": tool(timeout=0.05),
    "patient": tool(timeout=60),
    "patient_blocked": tool(timeout=PATIENCE),
    "watchful": tool(timeout=0.05),
    "one_by_one": tool(concurrency=2),
    "counting": tool(),
    "counting_blocked": tool(),
    "leaving": tool(),
    "closing": tool(),
    "closing_async": tool(),
    "cancelling": tool(),
    "endless": tool(),
    "flooding": tool(),
    "outside": tool(),
    "stopping": tool(),
}


class Methods:
    """Methods that do what methods should not."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.begun = asyncio.Event()
        self.seen: list[str] = []
        self.running = 0
        self.most = 0

    async def quick(self, params: Any) -> Any:
        return "quick"

    def blocking(self, params: Any) -> Any:
        self.release.wait(PATIENCE)
        self.seen.append("ended")

    async def hanging(self, params: Any) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            self.seen.append("cancelled")
            raise

    async def patient(self, params: Any) -> Any:
        self.begun.set()
        await self.hanging(params)

    def patient_blocked(self, params: Any) -> Any:
        self.seen.append("begun")
        self.release.wait(PATIENCE)

    async def stubborn(self, params: Any) -> Any:
        while not self.release.is_set():
            try:
                await asyncio.sleep(0.01)
            except asyncio.CancelledError:
                self.seen.append("ignored")

    def watchful(self, params: Any) -> Any:
        while not is_cancelled():
            if self.release.wait(0.005):
                return
        self.seen.append("noticed")

    async def one_by_one(self, params: Any) -> Any:
        self.running += 1
        self.most = max(self.most, self.running)
        await asyncio.sleep(0.001)
        self.running -= 1
        return "done"

    async def counting(self, params: Any) -> Any:
        for number in range(1, 4):
            progress(number, 3, f"step {number}")
            await asyncio.sleep(0)
        progress(2, 3, "backwards")
        return "counted"

    def counting_blocked(self, params: Any) -> Any:
        progress(1, 2)
        progress(2, 2, "done")
        return "counted"

    def leaving(self, params: Any) -> Any:
        raise SystemExit("secret")

    def closing(self, params: Any) -> Any:
        raise GeneratorExit("secret")

    async def closing_async(self, params: Any) -> Any:
        raise GeneratorExit("secret")

    async def cancelling(self, params: Any) -> Any:
        raise asyncio.CancelledError("secret")

    def endless(self, params: Any) -> Any:
        def numbers() -> Iterator[int]:
            while True:
                yield 1

        return numbers()

    def flooding(self, params: Any) -> Any:
        return "x" * 20_000_000

    def stopping(self, params: Any) -> Any:
        raise StopIteration

    async def outside(self, params: Any) -> Any:
        cache = results_cache()
        return cache is not None


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("limits"), TOOLS)


@pytest.fixture
def methods() -> Iterator[Methods]:
    made = Methods()
    yield made
    made.release.set()


def refused(served: Served, methods: Methods, name: str) -> ToolError:
    with pytest.raises(ToolError) as caught:
        served.call(methods, name)
    assert "secret" not in caught.value.text
    return caught.value


@pytest.mark.parametrize("name", ["blocking", "hanging", "stubborn", "watchful"])
def test_a_call_that_takes_too_long_is_answered_all_the_same(
    served: Served, methods: Methods, name: str
) -> None:
    async def called(door: Dispatcher) -> ToolError:
        with pytest.raises(ToolError) as caught:
            await door.call(name, {})
        methods.release.set()
        return caught.value

    error = served.run(methods, called)

    assert error.code == "timeout"
    assert error.text == f"{name} did not answer within 0.05 s; try again later, or ask for less."


def test_an_async_method_is_cancelled_when_its_time_is_up(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> None:
        assert await outcome(door, "hanging", {}) == "timeout"
        await asyncio.sleep(0)

    served.run(methods, called)

    assert methods.seen == ["cancelled"]


def test_a_blocking_method_can_see_that_nobody_waits(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> None:
        assert await outcome(door, "watchful", {}) == "timeout"
        while door.executor.limits.abandoned:
            await asyncio.sleep(0)

    served.run(methods, called)

    assert methods.seen == ["noticed"]


def test_a_tool_that_hangs_is_refused_at_once_and_holds_up_no_other(
    served: Served, methods: Methods
) -> None:
    async def called(door: Dispatcher) -> list[Any]:
        first = await asyncio.gather(*(outcome(door, "blocking", {}) for _ in range(500)))
        assert door.executor.limits.abandoned == 16
        with pytest.raises(ToolError, match="hangs: 16 earlier calls have not ended") as caught:
            await door.call("blocking", {})
        others = [await outcome(door, name, {}) for name in ("quick", "counting_blocked")]
        methods.release.set()
        while door.executor.limits.abandoned:
            await asyncio.sleep(0)
        # Its time is short: on a busy machine even a method that returns at once may miss it.
        answers = [await outcome(door, "blocking", {}) for _ in range(20)]
        return [set(first), caught.value.code, others, "ok" in answers]

    assert served.run(methods, called) == [{"timeout"}, "timeout", ["ok", "ok"], True]


def test_as_many_calls_run_at_once_as_a_tool_allows(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> set[str]:
        return set(await asyncio.gather(*(outcome(door, "one_by_one", {}) for _ in range(20))))

    assert served.run(methods, called) == {"ok"}
    assert methods.most == 2


def test_a_call_that_never_gets_its_turn_says_so(tmp_path: Path, methods: Methods) -> None:
    tools = {"patient": tool(), "quick": tool(timeout=0.05)}
    served = Served(tmp_path, tools, execution={"concurrency": 1})

    async def called(door: Dispatcher) -> ToolError:
        first = asyncio.ensure_future(door.call("patient", {}))
        await methods.begun.wait()
        with pytest.raises(ToolError) as caught:
            await door.call("quick", {})
        first.cancel()
        await asyncio.wait([first])
        return caught.value

    error = served.run(methods, called)

    assert error.code == "timeout"
    assert error.text.startswith("quick did not get its turn within 0.05 s")


def test_the_manifest_sets_limits_for_every_tool(tmp_path: Path, methods: Methods) -> None:
    tools = {"hanging": tool(), "one_by_one": tool()}
    served = Served(tmp_path, tools, execution={"timeout": 0.05, "concurrency": 4})

    async def called(door: Dispatcher) -> None:
        assert await outcome(door, "hanging", {}) == "timeout"
        await asyncio.gather(*(outcome(door, "one_by_one", {}) for _ in range(20)))

    served.run(methods, called)

    assert methods.most == 3  # a quarter is left to the others


def test_more_calls_than_can_wait_are_refused(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> list[str]:
        calls = [asyncio.ensure_future(outcome(door, "patient", {})) for _ in range(600)]
        await methods.begun.wait()
        while sum(call.done() for call in calls) < 88:
            await asyncio.sleep(0)
        for call in calls:
            call.cancel()
        found = await asyncio.gather(*calls, return_exceptions=True)
        return [str(result) for result in found if isinstance(result, str)]

    assert served.run(methods, called) == ["backend_failed"] * 88


def test_a_cancelled_call_cancels_its_method(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> None:
        call = asyncio.ensure_future(door.call("patient", {}))
        await methods.begun.wait()
        call.cancel()
        await asyncio.wait([call])
        while door.executor.limits.abandoned:
            await asyncio.sleep(0)

    served.run(methods, called)

    assert methods.seen == ["cancelled"]


async def leave(door: Dispatcher, methods: Methods, number: int) -> None:
    """Call a method that cannot be cancelled so many times, and wait for none of the answers."""
    for begun in range(1, number + 1):
        call = asyncio.ensure_future(door.call("patient_blocked", {}))
        while len(methods.seen) < begun:
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call])


def test_nobody_is_refused_because_others_leave(served: Served, methods: Methods) -> None:
    async def called(door: Dispatcher) -> str:
        await leave(door, methods, 16)
        assert door.executor.limits.abandoned == 16
        waiting = asyncio.ensure_future(outcome(door, "patient_blocked", {}))
        assert await outcome(door, "quick", {}) == "ok"
        assert not waiting.done()
        methods.release.set()
        return await waiting

    assert served.run(methods, called) == "ok"


def test_whoever_leaves_has_no_more_calls_run_at_once(tmp_path: Path, methods: Methods) -> None:
    names = ("quick", "patient_blocked")
    execution = {"concurrency": 1, "timeout": PATIENCE}
    limited = Served(tmp_path, {name: TOOLS[name] for name in names}, execution=execution)

    async def called(door: Dispatcher) -> str:
        await leave(door, methods, 1)
        waiting = asyncio.ensure_future(outcome(door, "quick", {}))
        for _ in range(20):
            await asyncio.sleep(0)
        assert not waiting.done()
        methods.release.set()
        return await waiting

    assert limited.run(methods, called) == "ok"


def test_a_client_that_cancels_stops_the_method_and_is_served_on(
    served: Served, methods: Methods
) -> None:
    server = served.project.server("direct", methods)

    async def talk() -> str:
        async with connected(server, "legacy") as client:
            async with anyio.create_task_group() as group:
                group.start_soon(client.call_tool, "patient", {})
                await methods.begun.wait()
                group.cancel_scope.cancel()
            while not methods.seen:
                await asyncio.sleep(0)
            answer = await client.call_tool("quick", {})
            return str(answer.content[0])

    assert "quick" in anyio.run(talk)
    assert methods.seen == ["cancelled"]


@pytest.mark.parametrize("name", ["counting", "counting_blocked"])
def test_progress_reaches_a_client_that_asks_for_it(
    served: Served, methods: Methods, name: str
) -> None:
    server = served.project.server("direct", methods)
    heard: list[tuple[float, float | None, str | None]] = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async def talk() -> None:
        async with connected(server, "legacy") as client:
            await client.call_tool(name, {}, progress_callback=on_progress)
            await client.call_tool(name, {})  # nobody listens, nothing breaks

    anyio.run(talk)

    last = (3.0, 3.0, "step 3") if name == "counting" else (2.0, 2.0, "done")
    assert heard[-1:] == [last]
    assert [done for done, _, _ in heard] == sorted({done for done, _, _ in heard})


def test_progress_that_cannot_be_sent_harms_nothing(served: Served, methods: Methods) -> None:
    async def report(done: float, total: float | None, message: str | None) -> None:
        raise RuntimeError("no way back")

    async def called(door: Dispatcher) -> str:
        return await outcome(door, "counting", {}, report)

    assert served.run(methods, called) == "ok"


def test_outside_a_call_there_is_nobody_to_tell() -> None:
    progress(1, 2)

    assert is_cancelled() is False
    assert results_cache() is None


def test_a_method_may_have_the_cache_of_its_server(served: Served, methods: Methods) -> None:
    assert value_of(served.call(methods, "outside")) is True


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("leaving", "leaving failed with SystemExit; the server's log says why."),
        ("closing", "closing failed with GeneratorExit; the server's log says why."),
        ("closing_async", "closing_async failed with GeneratorExit; the server's log says why."),
        ("cancelling", "cancelling failed with CancelledError; the server's log says why."),
        ("stopping", "stopping failed with RuntimeError; the server's log says why."),
    ],
)
def test_whatever_a_method_raises_it_is_answered(
    served: Served, methods: Methods, name: str, text: str
) -> None:
    error = refused(served, methods, name)

    assert (error.code, error.text) == ("backend_failed", text)


def test_a_result_without_end_is_no_result(served: Served, methods: Methods) -> None:
    assert refused(served, methods, "endless").code == "invalid_result"


def test_a_result_that_is_too_large_to_send_is_refused(served: Served, methods: Methods) -> None:
    error = refused(served, methods, "flooding")

    assert error.code == "budget_exceeded"
    assert "more than 16,000,000 bytes" in error.text
