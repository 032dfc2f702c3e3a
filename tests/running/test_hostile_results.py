"""Results that never end, take long or are too large: the call is answered, and so are the others."""

import asyncio
import itertools
import os
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import pytest
from pydantic import BaseModel, field_serializer, model_serializer
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Returns, Served, outcome, tool, value_of
from tests.support.projects import Json

LONG: Final = 60.0
ARRAY: Final = {"type": "array", "items": {"type": "integer"}}


@dataclass
class Holder:
    inside: object


class OpenModel(BaseModel, arbitrary_types_allowed=True, extra="allow"):
    inside: Any


class SleepyField(BaseModel):
    number: int = 1

    @field_serializer("number")
    def sleep(self, value: int) -> int:
        time.sleep(LONG)
        return value


class SleepyModel(BaseModel):
    @model_serializer
    def sleep(self) -> Json:
        time.sleep(LONG)
        return {}


def self_holding() -> list[object]:
    held: list[object] = []
    held.append(held)
    return held


def many_times(value: object) -> object:
    for _ in range(9):
        value = [value] * 10
    return value


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    tools = {
        "any": tool(timeout=30),
        "quick": tool(),
        "slow": tool(timeout=0.3),
        "short": tool(timeout=30, budget=200),
        "numbers": tool(timeout=30, returns=ARRAY),
    }
    return Served(tmp_path_factory.mktemp("hostile"), tools)


@pytest.mark.parametrize(
    "returned",
    [
        itertools.count(),
        iter(int, 1),
        (n for n in itertools.count()),
        {"items": itertools.count()},
        [{"deep": [itertools.repeat("x")]}],
        (1, (2, itertools.cycle([1]))),
        deque([map(str, itertools.count())]),
        Holder(zip(itertools.count(), strict=True)),
        [Holder([Holder(itertools.count())])],
        OpenModel(inside=itertools.count()),
        OpenModel.model_validate({"inside": 1, "more": itertools.count()}),
        {"file": open(os.devnull)},  # noqa: PTH123, SIM115 - an iterator of lines
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_iterator_anywhere_in_a_result_is_refused(served: Served, returned: object) -> None:
    with pytest.raises(ToolError, match=r"any returned what is not JSON\.") as caught:
        served.call(Returns(returned), "any")

    assert caught.value.code == "invalid_result"


#: Made where a test needs them: they are large.
TOO_LARGE: Final[dict[str, Callable[[], object]]] = {
    "numbers": lambda: list(range(1_000_001)),
    "two lists": lambda: {"a": [0] * 500_001, "b": [0] * 500_001},
    "text": lambda: "x" * 16_000_001,
    "texts": lambda: ["x" * 8_000_001] * 2,
    "bytes": lambda: b"x" * 16_000_001,
    "wide characters": lambda: ["é" * 8_000_001],
    "itself": self_holding,
    "the same again": lambda: many_times(1),
    "in a class": lambda: Holder([0] * 1_000_001),
    "in a model": lambda: OpenModel(inside=dict.fromkeys(range(1_000_001))),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_a_result_with_more_than_can_be_sent_is_refused(served: Served, name: str) -> None:
    with pytest.raises(ToolError, match="more than 16,000,000 bytes, 1,000,000 values") as caught:
        served.call(Returns(TOO_LARGE[name]()), "any")

    assert caught.value.code == "budget_exceeded"


@pytest.mark.parametrize("returned", [SleepyField(), [SleepyModel()], {"a": {"b": SleepyField()}}])
def test_a_serializer_that_sleeps_stops_only_its_own_call(served: Served, returned: object) -> None:
    class Mixed(Returns):
        async def quick(self, params: Any) -> str:
            return "quick"

    async def called(door: Dispatcher) -> list[str]:
        sleeping = asyncio.ensure_future(outcome(door, "slow", {}))
        quick = []
        while not sleeping.done():
            quick.append(await outcome(door, "quick", {}))
        return [sleeping.result(), *set(quick)]

    assert served.run(Mixed(returned), called) == ["timeout", "ok"]


def test_a_large_result_is_validated_and_truncated_while_others_are_answered(
    served: Served,
) -> None:
    class Mixed:
        async def numbers(self, params: Any) -> list[int]:
            return numbers

        async def short(self, params: Any) -> dict[str, dict[str, list[int]]]:
            return wide

        async def quick(self, params: Any) -> str:
            return "quick"

    async def called(door: Dispatcher) -> tuple[int, str, int]:
        large = asyncio.ensure_future(door.call("numbers", {}))
        short = asyncio.ensure_future(outcome(door, "short", {}))
        answered = 0
        while not (large.done() and short.done()):
            assert await outcome(door, "quick", {}) == "ok"
            answered += 1
        return len(value_of(large.result())), short.result(), answered

    numbers = list(range(400_000))
    wide = {str(n): {str(m): [m] for m in range(100)} for n in range(1_000)}
    length, outcome_of_short, answered = served.run(Mixed(), called)
    assert (length, outcome_of_short) == (400_000, "budget_exceeded")
    assert answered > 5


class Exits:
    """An object that ends the process of whoever looks at its class."""

    @property
    def __class__(self) -> Any:
        raise SystemExit(4)

    @__class__.setter
    def __class__(self, value: Any) -> None: ...


class Interrupts(dict[str, int]):
    def values(self) -> Any:
        raise KeyboardInterrupt


@pytest.mark.parametrize("returned", [[Exits()], Interrupts(a=1)], ids=["exits", "interrupts"])
def test_a_result_that_would_end_the_process_is_no_json(served: Served, returned: object) -> None:
    with pytest.raises(ToolError, match=r"any returned what is not JSON\."):
        served.call(Returns(returned), "any")


class LoudType(type):
    @property
    def __module__(cls) -> str:  # type: ignore[override]
        raise SystemExit(4)


def test_the_class_of_a_result_runs_no_code_on_the_event_loop(served: Served) -> None:
    class Loud(metaclass=LoudType):
        pass

    with pytest.raises(ToolError, match=r"any returned what is not JSON\."):
        served.call(Returns(Loud()), "any")


def test_the_time_of_a_call_covers_its_result_too(served: Served) -> None:
    class Late(BaseModel):
        @model_serializer
        def sleep(self) -> Json:
            time.sleep(0.2)
            return {}

    class Slow:
        async def slow(self, params: Any) -> Late:
            await asyncio.sleep(0.2)
            return Late()

    with pytest.raises(ToolError, match=r"slow did not answer within 0\.3 s"):
        served.call(Slow(), "slow")
