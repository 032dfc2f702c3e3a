"""A cache of results by tool, canonical arguments and owner, within bounds and for a time."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Literal, TypeAlias

from toolfold_runtime.bounded import BoundedCache, LookupCounts
from toolfold_runtime.jsontext import canonical
from toolfold_runtime.running.results import Result

#: The source of a result: `off` for tools without a cache, `shared` with an equal call.
State: TypeAlias = Literal["off", "hit", "miss", "shared"]
_Key: TypeAlias = tuple[str, str, str | None]
_Work: TypeAlias = Callable[[], Coroutine[None, None, Result]]


class Sharing:
    """Whether equal calls share one execution, and later ones its cached result.

    The call that executes ends the sharing when it asks its user, whose answer is for it alone.
    """

    def __init__(self) -> None:
        self.has_ended = False
        self._ended: asyncio.Future[None] | None = None

    def end(self) -> None:
        """End the sharing: each of the calls then executes by itself."""
        self.has_ended = True
        if self._ended is not None and not self._ended.done():
            self._ended.set_result(None)

    def ended(self) -> "asyncio.Future[None]":
        """Done when sharing has ended."""
        if self._ended is None:
            self._ended = asyncio.get_running_loop().create_future()
        return self._ended


@dataclass
class _SharedExecution:
    """One execution that several equal calls wait for."""

    task: "asyncio.Task[Result]"
    sharing: Sharing
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
        self,
        tool: str,
        arguments: object,
        seconds: float,
        work: _Work,
        owner: str | None = None,
        sharing: Sharing | None = None,
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
        if shared is not None and not shared.sharing.has_ended:
            result = await self._shared_result(key, shared)
            if result is None:  # it asks its user, so this one will, too
                self.counts.misses += 1
                return await work(), "miss"
            self.counts.hits += 1
            return result, "shared"
        self.counts.misses += 1
        sharing = sharing or Sharing()
        task = asyncio.get_running_loop().create_task(self._execute(key, seconds, work, sharing))
        shared = self._shared[key] = _SharedExecution(task, sharing)
        task.add_done_callback(lambda _: self._forget(key, shared))
        shared.waiting += 1
        try:
            return await asyncio.shield(task), "miss"
        finally:
            self._leave(key, shared)

    def clear(self) -> int:
        """Drop every result, also those still being made; returns how many were stored."""
        self._generation += 1
        self._shared.clear()
        return self._results.clear()

    async def _execute(self, key: _Key, seconds: float, work: _Work, sharing: Sharing) -> Result:
        generation = self._generation
        result = await work()
        # After a change it may show what was before, and after a question what one user said.
        if generation == self._generation and not (sharing.has_ended or result.is_error):
            self._results.put(key, result, result.memory + len(key[1]), seconds)
        return result

    async def _shared_result(self, key: _Key, shared: _SharedExecution) -> Result | None:
        """The result of an execution under way; None where it is shared no more."""
        shared.waiting += 1
        try:
            either = (shared.task, shared.sharing.ended())
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
            return None if shared.sharing.has_ended else shared.task.result()
        finally:
            self._leave(key, shared)

    def _leave(self, key: _Key, shared: _SharedExecution) -> None:
        """Wait for an execution no longer; the last one cancels it."""
        shared.waiting -= 1
        if not shared.waiting and not shared.task.done():
            self._forget(key, shared)
            shared.task.cancel()

    def _forget(self, key: _Key, shared: _SharedExecution) -> None:
        """Share an execution no longer; an equal one may have begun since."""
        if self._shared.get(key) is shared:
            del self._shared[key]
