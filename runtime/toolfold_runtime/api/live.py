"""What changes while the server runs: usage, and the state of upstream servers."""

import asyncio
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import Final

from toolfold_runtime.api.models import CacheCounts, DayUsage, ToolUsage, Upstream, Usage
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.upstream.state import ServerState
from toolfold_runtime.usage.figures import ToolFigures, figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import NOT_RUN, DayTotal
from toolfold_runtime.usage.store import UsageStoreError

_DAYS: Final = 30
_HOLDS: Final = 5.0  # seconds for which figures are given again
_PATIENCE: Final = 5.0
_HOUR: Final = 3600


class LiveUsage:
    """Reads the usage store of one catalog, seldom, and never on the event loop."""

    def __init__(
        self,
        location: Location | None,
        ids: Callable[[], frozenset[str]],
        counts: dict[str, LookupCounts],
    ) -> None:
        self._location = location
        self._ids = ids
        self._counts = counts
        self._lock = asyncio.Lock()
        self._read_at = 0.0
        self._figures: tuple[list[ToolUsage], list[DayUsage]] = ([], [])

    async def report(self) -> Usage:
        """Usage as it is now; UsageStoreError where the store cannot be read."""
        if self._location is not None:
            async with self._lock:
                if time.monotonic() - self._read_at > _HOLDS or not self._read_at:
                    await self._read(self._location)
        tools, days = self._figures
        caches = {
            kind: CacheCounts(hits=own.hits, misses=own.misses)
            for kind, own in self._counts.items()
        }
        return Usage(is_recorded=self._location is not None, tools=tools, days=days, caches=caches)

    async def _read(self, location: Location) -> None:
        reading = asyncio.to_thread(_figures, location, self._ids())
        try:
            self._figures = await asyncio.wait_for(reading, _PATIENCE)
        except TimeoutError:
            raise UsageStoreError("the usage store did not answer in time; try again") from None
        self._read_at = time.monotonic()


def upstreams(states: Iterable[ServerState], counts: dict[str, int], own: str) -> list[Upstream]:
    """Every server of the catalog with its state; the implementation's own tools are its own."""
    by_name = {state.name: state for state in states}
    names = dict.fromkeys([*counts, *by_name])
    return [_upstream(name, by_name.get(name), counts.get(name, 0), own) for name in names]


def _upstream(name: str, state: ServerState | None, tools: int, own: str) -> Upstream:
    if state is None:
        status = "here" if name == own else "described"
        return Upstream(name=name, status=status, tool_count=tools)
    # Not what the last error said, which may repeat what others should not read; the log has it.
    return Upstream(
        name=name,
        status=state.status,
        since=state.since,
        failing_since=state.failing_since,
        calls=state.calls,
        failed_calls=state.failed_calls,
        tool_count=tools,
    )


def _figures(location: Location, ids: frozenset[str]) -> tuple[list[ToolUsage], list[DayUsage]]:
    now = int(time.time()) // _HOUR
    store = open_store(location, is_reader=True)
    try:
        totals = [total for total in store.totals(now - _DAYS * 24) if total.tool in ids]
        days = [day for day in store.days(now // 24 - _DAYS + 1) if day.tool in ids]
    finally:
        store.close()
    by_calls = sorted(figures_by_tool(totals).values(), key=lambda own: (-own.calls, own.tool))
    return [_tool(own) for own in by_calls], _by_day(days, now // 24)


def _tool(own: ToolFigures) -> ToolUsage:
    return ToolUsage(
        tool=own.tool,
        calls=own.calls,
        failures=own.failures,
        not_run=own.not_run,
        success_rate=round(own.success_rate, 4),
        latency_ms=round(own.latency_ms, 1),
        p50_ms=round(own.p50_ms, 1),
        p95_ms=round(own.p95_ms, 1),
    )


def _by_day(totals: Iterable[DayTotal], today: int) -> list[DayUsage]:
    """Every one of the last days, those without a call too."""
    calls = dict.fromkeys(range(today - _DAYS + 1, today + 1), 0)
    failures = dict(calls)
    for total in totals:
        if total.day not in calls:  # of a clock that was ahead
            continue
        calls[total.day] += total.calls
        if total.outcome != "ok" and total.outcome not in NOT_RUN:
            failures[total.day] += total.calls
    return [DayUsage(day=_date(day), calls=calls[day], failures=failures[day]) for day in calls]


def _date(day: int) -> str:
    return datetime.fromtimestamp(day * 86_400, UTC).strftime("%Y-%m-%d")
