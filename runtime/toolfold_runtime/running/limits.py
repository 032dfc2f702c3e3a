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
from typing import Final, TypeAlias, TypeVar

from toolfold_runtime import log
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.call import Call

T = TypeVar("T")
_Work: TypeAlias = Callable[[], Coroutine[None, None, T]]

_LAST_SECONDS: Final = 1.0
_NO_LIMIT: Final = contextlib.nullcontext()
_MOST_UNDER_WAY: Final = 1024
_MOST_ABANDONED: Final = 256
_MOST_ABANDONED_OF_A_TOOL: Final = 16


class Limits:
    """Runs work within limits of time and number."""

    def __init__(self, seconds: float, concurrency: int) -> None:
        self._seconds = seconds
        self._all = asyncio.Semaphore(concurrency)
        self._each: dict[str, asyncio.Semaphore] = {}
        self._under_way = 0
        self._abandoned: dict[asyncio.Task[object], str] = {}
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

    async def run(self, entry: ToolEntry, call: Call, work: _Work[T]) -> T:
        """What the work returns; ToolError `timeout` where that takes too long."""
        self._refuse_overload(entry)
        loop = asyncio.get_running_loop()
        seconds = self._seconds if entry.limits.timeout is None else entry.limits.timeout
        ended: asyncio.Future[None] = loop.create_future()
        slot = _Slot(self._all)
        task = loop.create_task(self._in_slot(entry, slot, work))
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
                slot.release()
        if not task.done() or task.cancelled():
            raise _timeout_error(entry, seconds, was_running=slot.was_acquired)
        return task.result()

    async def _in_slot(self, entry: ToolEntry, slot: "_Slot", work: _Work[T]) -> T:
        async with self._semaphore_of(entry) or _NO_LIMIT:
            await slot.acquire()
            try:
                return await work()
            finally:
                slot.release()

    def _semaphore_of(self, entry: ToolEntry) -> asyncio.Semaphore | None:
        limit = entry.limits.concurrency
        if limit is None:
            return None
        return self._each.setdefault(entry.name, asyncio.Semaphore(limit))

    def _refuse_overload(self, entry: ToolEntry) -> None:
        if self._under_way >= _MOST_UNDER_WAY:
            raise ToolError("backend_failed", "the server is busy; try again in a moment.")
        count = self._abandoned_of[entry.name]
        if count >= _MOST_ABANDONED_OF_A_TOOL:
            text = f"{entry.name} hangs: {count} earlier calls have not ended. Try again later."
            raise ToolError("timeout", text)
        if len(self._abandoned) >= _MOST_ABANDONED:
            text = f"too many calls of other tools have not ended to run {entry.name}. Try again later."
            raise ToolError("timeout", text)

    def _abandon(self, entry: ToolEntry, call: Call, task: "asyncio.Task[object]") -> None:
        call.cancel()
        task.cancel()
        self._abandoned[task] = entry.name
        self._abandoned_of[entry.name] += 1
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[object]") -> None:
        if not task.cancelled():
            task.exception()  # looked at: nobody else will
        name = self._abandoned.pop(task)
        self._abandoned_of[name] -= 1


class _Slot:
    """A hold on a semaphore that is released once."""

    def __init__(self, semaphore: asyncio.Semaphore) -> None:
        self.was_acquired = False
        self._semaphore = semaphore
        self._is_held = False

    async def acquire(self) -> None:
        """Wait for a free slot."""
        await self._semaphore.acquire()
        self.was_acquired = self._is_held = True

    def release(self) -> None:
        """Free the slot, if it is held."""
        if self._is_held:
            self._is_held = False
            self._semaphore.release()


def _wake(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


def _timeout_error(entry: ToolEntry, seconds: float, *, was_running: bool) -> ToolError:
    fact = "did not answer" if was_running else "did not get its turn"
    text = f"{entry.name} {fact} within {seconds:g} s; try again later, or ask for less."
    return ToolError("timeout", text)
