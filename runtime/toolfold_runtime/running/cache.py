"""Results that may be given again: by tool and canonical arguments, within bounds, for a while."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from toolfold_runtime.bounded import Counts, Kept
from toolfold_runtime.jsontext import canonical
from toolfold_runtime.running.results import Result

#: How a result was had: `off` for tools that are not cached, `shared` with an equal call.
State: TypeAlias = Literal["off", "hit", "miss", "shared"]
_Key: TypeAlias = tuple[str, str]
_Work: TypeAlias = Callable[[], Coroutine[Any, Any, Result]]

DEFAULT_ENTRIES: Final = 1000
DEFAULT_BYTES: Final = 64_000_000
#: What an entry costs beside its text, roughly: objects are larger than the JSON they came from.
_FACTOR: Final = 4


@dataclass
class _Flight:
    """One piece of work that several equal calls wait for."""

    task: "asyncio.Task[Result]"
    waiting: int = 0


class ResultCache:
    """Only results that were validated come in: no error is ever kept."""

    def __init__(
        self,
        entries: int = DEFAULT_ENTRIES,
        size: int = DEFAULT_BYTES,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts = Counts()
        self._kept: Kept[Result] = Kept(entries, size, clock)
        self._flights: dict[_Key, _Flight] = {}
        self._generation = 0

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size(self) -> int:
        """Bytes in use, roughly."""
        return self._kept.size

    async def result(
        self, tool: str, arguments: Any, seconds: float, work: _Work
    ) -> tuple[Result, State]:
        """The result of equal arguments where one is kept or under way, else of the work."""
        key = (tool, canonical(arguments))
        kept = self._kept.get(key)
        if kept is not None:
            self.counts.hits += 1
            return kept, "hit"
        flight = self._flights.get(key)
        if flight is not None:
            self.counts.hits += 1
            return await self._landed(key, flight), "shared"
        self.counts.misses += 1
        flight = _Flight(asyncio.get_running_loop().create_task(self._fly(key, seconds, work)))
        self._flights[key] = flight
        return await self._landed(key, flight), "miss"

    def clear(self) -> int:
        """Forget every result, also those still being made; how many were forgotten."""
        self._generation += 1
        self._flights.clear()
        return self._kept.clear()

    async def _fly(self, key: _Key, seconds: float, work: _Work) -> Result:
        generation = self._generation
        try:
            result = await work()
        finally:
            if generation == self._generation:
                self._flights.pop(key, None)
        if generation == self._generation:  # else it may show what was before a change
            self._kept.put(key, result, _FACTOR * (result.size + len(key[1])), seconds)
        return result

    async def _landed(self, key: _Key, flight: _Flight) -> Result:
        flight.waiting += 1
        try:
            return await asyncio.shield(flight.task)
        finally:
            flight.waiting -= 1
            if not flight.waiting and not flight.task.done():
                self._flights.pop(key, None)
                flight.task.cancel()  # the last one left
