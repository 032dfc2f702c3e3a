"""A cache of results by tool, canonical arguments and owner, within bounds and for a time."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolfold_runtime.bounded import BoundedCache, LookupCounts
from toolfold_runtime.jsontext import canonical
from toolfold_runtime.running.results import Result

#: How a result was had: `off` for tools that are not cached, `shared` with an equal call.
State: TypeAlias = Literal["off", "hit", "miss", "shared"]
_Key: TypeAlias = tuple[str, str, str | None]
_Work: TypeAlias = Callable[[], Coroutine[None, None, Result]]


@dataclass
class _SharedExecution:
    """One execution that several equal calls wait for."""

    task: "asyncio.Task[Result]"
    waiting: int = 0


class ResultCache:
    """Results that were validated; errors are never stored."""

    def __init__(
        self,
        entries: int,
        size: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.counts = LookupCounts()
        self._results: BoundedCache[Result] = BoundedCache(entries, size, clock)
        self._shared: dict[_Key, _SharedExecution] = {}
        self._generation = 0

    def __len__(self) -> int:
        return len(self._results)

    @property
    def size(self) -> int:
        """Bytes in use, roughly."""
        return self._results.size

    async def result(
        self, tool: str, arguments: object, seconds: float, work: _Work, owner: str | None = None
    ) -> tuple[Result, State]:
        """The stored result of equal arguments, that of an equal call under way, else of the work.

        What belongs to an owner is given to nobody else: neither a result nor work under way.
        """
        key = (tool, canonical(arguments), owner)
        stored = self._results.get(key)
        if stored is not None:
            self.counts.hits += 1
            return stored, "hit"
        shared = self._shared.get(key)
        if shared is not None:
            self.counts.hits += 1
            return await self._awaited(key, shared), "shared"
        self.counts.misses += 1
        task = asyncio.get_running_loop().create_task(self._execute(key, seconds, work))
        shared = self._shared[key] = _SharedExecution(task)
        task.add_done_callback(lambda _: self._forget(key, shared))
        return await self._awaited(key, shared), "miss"

    def clear(self) -> int:
        """Drop every result, also those still being made; returns how many were stored."""
        self._generation += 1
        self._shared.clear()
        return self._results.clear()

    async def _execute(self, key: _Key, seconds: float, work: _Work) -> Result:
        generation = self._generation
        result = await work()
        # After a change it may show what was before it.
        if generation == self._generation and not result.is_error:
            self._results.put(key, result, result.memory + len(key[1]), seconds)
        return result

    async def _awaited(self, key: _Key, shared: _SharedExecution) -> Result:
        shared.waiting += 1
        try:
            return await asyncio.shield(shared.task)
        finally:
            shared.waiting -= 1
            if not shared.waiting and not shared.task.done():
                self._forget(key, shared)
                shared.task.cancel()  # the last one left

    def _forget(self, key: _Key, shared: _SharedExecution) -> None:
        """Share an execution no longer; an equal one may have begun since."""
        if self._shared.get(key) is shared:
            del self._shared[key]
