"""Limits on running calls: how long each may take, and how many run at once.

Work runs in a task of its own, so that an answer never waits for work that does not end: a call
that times out is answered then, whatever its method does. What goes on running after that is
counted, and a tool with too many such calls is refused at once, so that one that hangs neither
holds up others nor piles up without end.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Any, Final

from toolfold_runtime import log
from toolfold_runtime.catalog.catalog import Entry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.call import Call

#: Below the minute after which clients give up by themselves, so that they hear why.
DEFAULT_SECONDS: Final = 50.0
DEFAULT_CONCURRENCY: Final = 64
_LAST_SECONDS: Final = 1.0
_NO_LIMIT: Final = contextlib.nullcontext()
_MOST_UNDER_WAY: Final = 1024
_MOST_ABANDONED: Final = 256
_MOST_ABANDONED_OF_A_TOOL: Final = 16


class Limits:
    """Runs work within a time and a number."""

    def __init__(self, seconds: float, concurrency: int) -> None:
        self._seconds = seconds
        self._all = asyncio.Semaphore(concurrency)
        self._each: dict[str, asyncio.Semaphore] = {}
        self._under_way = 0
        self._abandoned: dict[asyncio.Task[Any], str] = {}
        self._abandoned_of: Counter[str] = Counter()

    @property
    def abandoned(self) -> int:
        """How much work goes on although nobody waits for it."""
        return len(self._abandoned)

    async def settled(self) -> bool:
        """Whether everything that ran has ended, at last; what has not is left behind."""
        for task in self._abandoned:
            task.cancel()
        if self._abandoned:
            await asyncio.wait([*self._abandoned], timeout=_LAST_SECONDS)
        if self._abandoned:
            names = sorted(set(self._abandoned.values()))
            log.warning("calls that do not end are left behind", tools=names)
        return not self._abandoned

    async def run(
        self, entry: Entry, call: Call, work: Callable[[], Coroutine[Any, Any, Any]]
    ) -> Any:
        """What the work returns; ToolError `timeout` where that takes too long."""
        self._refuse(entry)
        loop = asyncio.get_running_loop()
        seconds = entry.limits.get("timeout", self._seconds)
        ended: asyncio.Future[None] = loop.create_future()
        place = _Place(self._all)
        task = loop.create_task(self._placed(entry, place, work))
        task.add_done_callback(lambda _: _wake(ended))
        timer = loop.call_later(seconds, _wake, ended)
        self._under_way += 1
        try:
            await ended
        finally:
            self._under_way -= 1
            timer.cancel()
            if not task.done():
                self._abandon(entry, call, task)
                place.give_back()
        if not task.done() or task.cancelled():
            raise _too_late(entry, seconds, was_running=place.was_taken)
        return task.result()

    async def _placed(
        self, entry: Entry, place: "_Place", work: Callable[[], Coroutine[Any, Any, Any]]
    ) -> Any:
        async with self._of(entry) or _NO_LIMIT:
            await place.take()
            try:
                return await work()
            finally:
                place.give_back()

    def _of(self, entry: Entry) -> asyncio.Semaphore | None:
        limit = entry.limits.get("concurrency")
        if limit is None:
            return None
        return self._each.setdefault(entry.name, asyncio.Semaphore(limit))

    def _refuse(self, entry: Entry) -> None:
        if self._under_way >= _MOST_UNDER_WAY:
            raise ToolError("backend_failed", "the server is busy; try again in a moment.")
        count = self._abandoned_of[entry.name]
        if count >= _MOST_ABANDONED_OF_A_TOOL:
            text = f"{entry.name} hangs: {count} earlier calls have not ended. Try again later."
            raise ToolError("timeout", text)
        if len(self._abandoned) >= _MOST_ABANDONED:
            text = f"too many calls of other tools have not ended to run {entry.name}. Try again later."
            raise ToolError("timeout", text)

    def _abandon(self, entry: Entry, call: Call, task: "asyncio.Task[Any]") -> None:
        call.cancel()
        task.cancel()
        self._abandoned[task] = entry.name
        self._abandoned_of[entry.name] += 1
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        if not task.cancelled():
            task.exception()  # looked at: nobody else will
        name = self._abandoned.pop(task)
        self._abandoned_of[name] -= 1


class _Place:
    """One of the places for running work, given back once."""

    def __init__(self, places: asyncio.Semaphore) -> None:
        self.was_taken = False
        self._places = places
        self._is_held = False

    async def take(self) -> None:
        """Wait for a free place."""
        await self._places.acquire()
        self.was_taken = self._is_held = True

    def give_back(self) -> None:
        """Let another have it."""
        if self._is_held:
            self._is_held = False
            self._places.release()


def _wake(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


def _too_late(entry: Entry, seconds: float, *, was_running: bool) -> ToolError:
    fact = "did not answer" if was_running else "did not get its turn"
    text = f"{entry.name} {fact} within {seconds:g} s; try again later, or ask for less."
    return ToolError("timeout", text)
