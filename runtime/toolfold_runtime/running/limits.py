"""Limits on running calls: how long each may take, and how many run at once.

Work runs in a task of its own, so that an answer never waits for work that does not end: a call
that times out is answered then, whatever its method does. What goes on running after that keeps
its place among the calls of its tool, and gives back the one among the calls of all tools. So a
tool that hangs runs out of its own places, and is then refused at once; the others do not notice.
Where a client leaves, the work has both places for as long as it has time: whoever calls and leaves
again and again has no more of it run at once than others, and nobody is refused for that.
"""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Final, TypeAlias, TypeVar

from toolfold_runtime import server_log
from toolfold_runtime.contract.server import TOOL_CONCURRENCY
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.call import Call

T = TypeVar("T")
_Work: TypeAlias = Callable[[], Coroutine[None, None, T]]

_LAST_SECONDS: Final = 1.0
#: Calls that wait for an answer, of all tools and of one: whoever sends more is sent away.
_MOST_WAITING: Final = 4096
_MOST_WAITING_OF_A_TOOL: Final = 512
#: Work that goes on although nobody waits for it; beyond that, tools that hang are refused.
_MOST_ABANDONED: Final = 256


class Limits:
    """Runs work within limits of time and number."""

    def __init__(self, seconds: float, concurrency: int) -> None:
        self._seconds = seconds
        self._all = asyncio.Semaphore(concurrency)
        # A quarter is left to the other tools, whatever one of them is allowed.
        self._most_of_a_tool = max(1, concurrency * 3 // 4)
        self._tools: dict[str, _Tool] = {}
        self._waiting = 0
        self._abandoned: dict[asyncio.Task[object], _Abandoned] = {}

    @property
    def abandoned(self) -> int:
        """The number of calls that still run although nobody waits for them."""
        return len(self._abandoned)

    async def end_abandoned(self) -> bool:
        """Cancel abandoned work and wait a while; whether all of it has ended. The rest is left behind."""
        for task in self._abandoned:
            task.cancel()
        if self._abandoned:
            await asyncio.wait([*self._abandoned], timeout=_LAST_SECONDS)
        if self._abandoned:
            names = sorted({work.tool.name for work in self._abandoned.values()})
            server_log.warning("calls that do not end are left behind", tools=names)
        return not self._abandoned

    def seconds_of(self, entry: ToolEntry) -> float:
        """How long a call of the tool may take."""
        return self._seconds if entry.limits.timeout is None else entry.limits.timeout

    async def run(
        self, entry: ToolEntry, call: Call, work: _Work[T], seconds: float | None = None
    ) -> T:
        """The result of the work; ToolError `timeout` if it takes too long.

        A call has as many seconds as its tool, or those that are given.
        """
        tool = self._tool(entry)
        self._refuse_overload(tool)
        loop = asyncio.get_running_loop()
        seconds = self.seconds_of(entry) if seconds is None else seconds
        ended: asyncio.Future[None] = loop.create_future()
        slots = call.slots = _Slots(tool.slots, self._all)
        task = loop.create_task(_in_slots(slots, work))
        task.add_done_callback(lambda _: _wake(ended))
        self._waiting += 1
        tool.waiting += 1
        call.deadline.start(seconds, partial(_wake, ended))
        try:
            await ended
        finally:
            call.deadline.stop()
            self._waiting -= 1
            tool.waiting -= 1
            call.slots = None
            if not task.done():
                call.cancel()
                task.cancel()
                if slots.were_acquired:  # else it ends at once: nothing has begun
                    is_overdue = ended.done() and not ended.cancelled()
                    remaining = 0.0 if is_overdue else call.deadline.remaining
                    self._abandon(task, _Abandoned(tool, slots), remaining)
            elif not task.cancelled():
                task.exception()  # retrieved, also where the call was cancelled meanwhile
        if not task.done() or task.cancelled():
            raise _timeout_error(entry, seconds, call.obstacle, was_running=slots.were_acquired)
        return task.result()

    def _tool(self, entry: ToolEntry) -> "_Tool":
        tool = self._tools.get(entry.name)
        if tool is None:
            declared = entry.limits.concurrency or TOOL_CONCURRENCY
            tool = self._tools[entry.name] = _Tool(entry.name, min(declared, self._most_of_a_tool))
        return tool

    def _refuse_overload(self, tool: "_Tool") -> None:
        is_full = len(self._abandoned) >= _MOST_ABANDONED
        if tool.hanging >= tool.concurrency or (is_full and tool.hanging):
            if not tool.is_reported:
                tool.is_reported = True
                hint = "if they never end, only a restart helps"
                server_log.warning("a tool hangs", tool=tool.name, calls=tool.hanging, hint=hint)
            fact = f"{tool.name} hangs: {tool.hanging} earlier calls have not ended"
            raise ToolError("timeout", f"{fact}. Try again later, or tell whoever runs the server.")
        if tool.waiting >= _MOST_WAITING_OF_A_TOOL or self._waiting >= _MOST_WAITING:
            raise ToolError("backend_failed", "the server is busy; try again in a moment.")

    def _abandon(self, task: "asyncio.Task[object]", work: "_Abandoned", remaining: float) -> None:
        self._abandoned[task] = work
        if remaining > 0:
            work.timer = asyncio.get_running_loop().call_later(remaining, work.hang)
        else:
            work.hang()
        task.add_done_callback(self._ended)

    def _ended(self, task: "asyncio.Task[object]") -> None:
        if not task.cancelled():
            task.exception()  # looked at: nobody else will
        self._abandoned.pop(task).end()


class _Tool:
    """The calls of one tool."""

    def __init__(self, name: str, concurrency: int) -> None:
        self.name = name
        self.concurrency = concurrency
        #: One is held until the work has really ended.
        self.slots = asyncio.Semaphore(concurrency)
        self.waiting = 0
        #: The number of its calls that still run although their time is up.
        self.hanging = 0
        self.is_reported = False


class _Abandoned:
    """Work that nobody waits for; it counts as hanging once its time is up."""

    def __init__(self, tool: _Tool, slots: "_Slots") -> None:
        self.tool = tool
        self.timer: asyncio.TimerHandle | None = None
        self._slots = slots
        self._hangs = False

    def hang(self) -> None:
        """Count it as hanging; it then no longer takes a slot that all tools share."""
        self._hangs = True
        self.tool.hanging += 1
        self._slots.release_common()

    def end(self) -> None:
        """Count it no more."""
        if self.timer is not None:
            self.timer.cancel()
        self.tool.hanging -= self._hangs


class _Slots:
    """The slots of one call, of its tool and of all tools; given back while its user is asked."""

    def __init__(self, of_tool: asyncio.Semaphore, common: asyncio.Semaphore) -> None:
        self.were_acquired = False
        self._of_tool = of_tool
        self._common = common
        self._held: list[asyncio.Semaphore] = []
        self._is_over = False

    async def acquire(self) -> None:
        """Wait for the slots that are not held; not where the call is over."""
        for semaphore in (self._of_tool, self._common):
            if self._needs(semaphore):
                await semaphore.acquire()
                if self._needs(semaphore):
                    self._held.append(semaphore)
                else:
                    semaphore.release()
        self.were_acquired = True

    def release(self) -> None:
        """Give back what is held."""
        while self._held:
            self._held.pop().release()

    def release_common(self) -> None:
        """Give back the slot of all tools, for good: the work goes on, and nobody waits for it."""
        if self._common in self._held:
            self._held.remove(self._common)
            self._common.release()
        self._is_over = True

    def end(self) -> None:
        """Give back what is held, for good."""
        self._is_over = True
        self.release()

    def _needs(self, semaphore: asyncio.Semaphore) -> bool:
        return not self._is_over and semaphore not in self._held


async def _in_slots(slots: _Slots, work: _Work[T]) -> T:
    try:
        await slots.acquire()
        return await work()
    finally:
        slots.end()


def _wake(ended: "asyncio.Future[None]") -> None:
    if not ended.done():
        ended.set_result(None)


def _timeout_error(
    entry: ToolEntry, seconds: float, obstacle: str, *, was_running: bool
) -> ToolError:
    fact = "did not answer" if was_running else "did not get its turn"
    why = f": {obstacle}" if obstacle else ""
    text = f"{entry.name} {fact} within {seconds:g} s{why}; try again later, or ask for less."
    return ToolError("timeout", text)
