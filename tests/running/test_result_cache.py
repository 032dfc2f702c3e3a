"""Cached results: given again, shared while they are made, within bounds, never errors."""

import asyncio
import threading
from pathlib import Path
from typing import Any, Final

import pytest
from toolfold_runtime.bounded import BoundedCache
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.cache import ResultCache
from toolfold_runtime.running.results import Result

from tests.running.material import Served, outcome, tool, value_of
from tests.support.waiting import PATIENCE

TOOLS: Final = {
    "seen": tool(
        cache={"ttl": 60}, parameters={"of": {"type": "number"}, "more": {"default": "m"}}
    ),
    "always": tool(),
    "fails": tool(cache={"ttl": 60}),
    "broken": tool(cache={"ttl": 60}, returns={"type": "integer"}),
    "slow": tool(cache={"ttl": 60}),
    "change": tool(effect="write"),
    "fail_to_change": tool(effect="destructive"),
}


class Counting:
    """Answers with how often it was asked."""

    def __init__(self) -> None:
        self.count = 0
        self.gate = asyncio.Event()
        self.begun = asyncio.Event()

    async def seen(self, params: Any) -> Any:
        self.count += 1
        return {"count": self.count}

    always = change = seen

    async def fails(self, params: Any) -> Any:
        self.count += 1
        raise ValueError

    async def broken(self, params: Any) -> Any:
        self.count += 1
        return "no integer"

    async def slow(self, params: Any) -> Any:
        self.count += 1
        self.begun.set()
        await self.gate.wait()
        return {"count": self.count}

    async def fail_to_change(self, params: Any) -> Any:
        raise ValueError


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("cache"), TOOLS)


def counts(served: Served, *calls: tuple[str, dict[str, Any]]) -> list[int]:
    async def asked(door: Dispatcher) -> list[int]:
        return [value_of(await door.call(name, given))["count"] for name, given in calls]

    return served.run(Counting(), asked)


def test_equal_arguments_get_the_same_answer_whatever_their_order_and_form(served: Served) -> None:
    equal: list[dict[str, Any]] = [
        {"of": 1, "more": "m"},
        {"more": "m", "of": 1},
        {"of": 1.0},
        {"of": 1},
    ]

    assert counts(served, *(("seen", given) for given in equal)) == [1, 1, 1, 1]
    assert counts(served, ("seen", {"of": 1}), ("seen", {"of": 2}), ("seen", {})) == [1, 2, 3]
    assert counts(served, ("seen", {"more": True}), ("seen", {"more": 1})) == [1, 2]


def test_what_is_not_cached_is_asked_again(served: Served) -> None:
    assert counts(served, ("always", {}), ("always", {})) == [1, 2]


def test_a_runner_shares_the_cache_whatever_fields_it_asks_for(served: Served) -> None:
    through = {"tool": "seen", "arguments": {"of": 1}, "fields": "count"}

    assert counts(served, ("seen", {"of": 1}), ("run_read", through)) == [1, 1]


def test_a_tool_that_writes_empties_the_cache(served: Served) -> None:
    assert counts(served, ("seen", {}), ("change", {}), ("seen", {})) == [1, 2, 3]


def test_a_tool_that_fails_to_write_may_have_written(served: Served) -> None:
    async def asked(door: Dispatcher) -> int:
        await door.call("seen", {})
        assert await outcome(door, "fail_to_change", {}) == "backend_failed"
        return int(value_of(await door.call("seen", {}))["count"])

    assert served.run(Counting(), asked) == 2


@pytest.mark.parametrize(
    ("name", "code"), [("fails", "backend_failed"), ("broken", "invalid_result")]
)
def test_errors_are_not_kept(served: Served, name: str, code: str) -> None:
    made = Counting()

    async def asked(door: Dispatcher) -> list[str]:
        return [await outcome(door, name, {}) for _ in range(3)]

    assert served.run(made, asked) == [code] * 3
    assert made.count == 3


def test_equal_calls_at_once_are_carried_out_once(served: Served) -> None:
    made = Counting()

    async def asked(door: Dispatcher) -> list[Any]:
        calls = [asyncio.ensure_future(door.call("slow", {})) for _ in range(50)]
        await made.begun.wait()
        made.gate.set()
        found = [value_of(reply) for reply in await asyncio.gather(*calls)]
        counts = door.executor.cache.counts
        return [*found, counts.hits, counts.misses]

    assert served.run(made, asked) == [{"count": 1}] * 50 + [49, 1]


def test_a_caller_that_leaves_takes_nothing_from_the_others(served: Served) -> None:
    made = Counting()

    async def asked(door: Dispatcher) -> Any:
        first = asyncio.ensure_future(door.call("slow", {}))
        await made.begun.wait()
        second = asyncio.ensure_future(door.call("slow", {}))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.wait([first])
        made.gate.set()
        return value_of(await second)

    assert served.run(made, asked) == {"count": 1}


def test_work_that_every_caller_left_is_cancelled_and_not_kept(served: Served) -> None:
    made = Counting()

    async def asked(door: Dispatcher) -> Any:
        calls = [asyncio.ensure_future(door.call("slow", {})) for _ in range(3)]
        await made.begun.wait()
        for call in calls:
            call.cancel()
        await asyncio.wait(calls)
        made.gate.set()
        return value_of(await door.call("slow", {})), len(door.executor.cache)

    assert served.run(made, asked) == ({"count": 2}, 1)


def test_what_was_begun_before_a_change_is_not_kept_after_it(served: Served) -> None:
    made = Counting()

    async def asked(door: Dispatcher) -> list[Any]:
        before = asyncio.ensure_future(door.call("slow", {}))
        await made.begun.wait()
        await door.call("change", {})
        made.gate.set()
        return [value_of(await before), value_of(await door.call("slow", {}))]

    assert served.run(made, asked) == [{"count": 2}, {"count": 3}]


# Bounds


def test_what_was_not_asked_for_longest_makes_room() -> None:
    cache: BoundedCache[str] = BoundedCache(entries=2, size=100)
    cache.put("a", "A", 10, 60)
    cache.put("b", "B", 10, 60)
    cache.get("a")
    cache.put("c", "C", 10, 60)

    assert [cache.get(key) for key in "abc"] == ["A", None, "C"]


def test_size_is_bounded_and_what_is_larger_than_all_is_not_kept() -> None:
    cache: BoundedCache[str] = BoundedCache(entries=100, size=100)

    assert cache.put("large", "", 101, 60) is False
    for number in range(50):
        assert cache.put(number, "", 30, 60) is True
        assert cache.size <= 100
    assert len(cache) == 3
    assert (cache.clear(), cache.size, len(cache)) == (3, 0, 0)


def test_nothing_is_given_again_after_its_time() -> None:
    now = [0.0]
    cache: BoundedCache[str] = BoundedCache(entries=10, size=100, clock=lambda: now[0])
    cache.put("a", "A", 10, 5)

    now[0] = 4.9
    assert cache.get("a") == "A"
    now[0] = 5.0
    assert cache.get("a") is None
    assert (cache.size, len(cache)) == (0, 0)


def test_results_of_many_arguments_stay_within_the_bounds() -> None:
    cache = ResultCache(entries=1000, size=50_000)

    async def fill() -> None:
        async def work() -> Result:
            return Result("x" * 1000, "x" * 1000, 1000)

        for number in range(500):
            await cache.result("t", {"n": number}, 60, work)

    asyncio.run(fill())

    assert 0 < len(cache) <= 12
    assert cache.size <= 50_000
    assert cache.counts.misses == 500


def test_the_manifest_sets_the_bounds(tmp_path: Path) -> None:
    tools = {"seen": tool(cache={"ttl": 60}, parameters={"of": {}})}
    served = Served(tmp_path, tools, execution={"cache": {"entries": 2}})

    async def asked(door: Dispatcher) -> int:
        for number in range(5):
            await door.call("seen", {"of": number})
        return len(door.executor.cache)

    assert served.run(Counting(), asked) == 2


def test_views_and_schemas_are_counted_too(served: Served) -> None:
    async def asked(door: Dispatcher) -> dict[str, tuple[int, int]]:
        for _ in range(3):
            await door.call("seen", {})
            door.catalog.inventory(detail="names")
        found = door.executor.counters
        return {kind: (counts.hits, counts.misses) for kind, counts in found.items()}

    assert served.run(Counting(), asked) == {
        "results": (2, 1),
        "schemas": (2, 1),
        "tools": (2, 1),
        "views": (2, 1),
    }


def test_a_change_that_ends_after_its_call_was_answered_empties_the_cache_too(
    tmp_path: Path,
) -> None:
    tools = {"seen": tool(cache={"ttl": 60}), "late": tool(effect="write", timeout=0.05)}
    served = Served(tmp_path, tools)
    release = threading.Event()

    class Late(Counting):
        def late(self, params: Any) -> None:
            release.wait(PATIENCE)

    async def asked(door: Dispatcher) -> list[int]:
        assert await outcome(door, "late", {}) == "timeout"
        before = value_of(await door.call("seen", {}))["count"]
        release.set()
        while door.executor.limits.abandoned:
            await asyncio.sleep(0)
        return [before, value_of(await door.call("seen", {}))["count"]]

    assert served.run(Late(), asked) == [1, 2]
