"""What changes while the server runs: usage, and the state of upstream servers."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final, TypeAlias

from toolfold_runtime import server_log
from toolfold_runtime.api.models import CacheCounts, DayUsage, ToolUsage, Upstream, Usage
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.upstream.state import ServerState
from toolfold_runtime.usage.figures import ToolFigures, figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import NOT_RUN, DayTotal
from toolfold_runtime.usage.store import UsageStoreError

_DAYS: Final = 30
#: Seconds for which figures are given again, and in which they are not read anew for each second
#: that reading them took: a large store is not read all the time.
_HOLDS: Final = 5.0
_HOLDS_PER_SECOND: Final = 20.0
_PATIENCE: Final = 5.0
_HOUR: Final = 3600


_Figures: TypeAlias = tuple[list[ToolUsage], list[DayUsage]]


class LiveUsage:
    """Reads the usage store of one catalog, seldom, and never on the event loop."""

    def __init__(
        self,
        location: Location | None,
        ids: Callable[[], frozenset[str]],
        counts: Mapping[str, LookupCounts],
    ) -> None:
        self._location = location
        self._ids = ids
        self._counts = counts
        self._reading: asyncio.Future[_Figures] | None = None
        self._holds_until = 0.0

    async def report(self) -> Usage:
        """Usage as it is now; UsageStoreError where the store cannot be read."""
        is_recorded = self._location is not None
        tools, days = await self._figures(self._location) if self._location else ([], [])
        caches = {
            kind: CacheCounts(hits=counts.hits, misses=counts.misses)
            for kind, counts in self._counts.items()
        }
        return Usage(is_recorded=is_recorded, tools=tools, days=days, caches=caches)

    async def _figures(self, location: Location) -> _Figures:
        """What was read last, or is being read: everybody waits for the one thread that reads."""
        reading = self._reading
        if reading is None or (reading.done() and time.monotonic() > self._holds_until):
            reading = asyncio.ensure_future(asyncio.to_thread(_figures, location, self._ids()))
            reading.add_done_callback(partial(self._note_end, time.monotonic()))
            self._reading = reading
        try:
            return await asyncio.wait_for(asyncio.shield(reading), _PATIENCE)
        except TimeoutError:
            raise UsageStoreError("the usage store did not answer in time; try again") from None

    def _note_end(self, started: float, reading: "asyncio.Future[_Figures]") -> None:
        now = time.monotonic()
        self._holds_until = now + max(_HOLDS, _HOLDS_PER_SECOND * (now - started))
        # Once for all who wait for it, and also where nobody does so any more.
        if not reading.cancelled() and isinstance(error := reading.exception(), UsageStoreError):
            server_log.warning("usage cannot be read", error=str(error))


def upstreams(
    states: Iterable[ServerState], counts: dict[str, int], own_server: str
) -> list[Upstream]:
    """Every server of the catalog with its state; `own_server` has the implementation's own tools."""
    by_name = {state.name: state for state in states}
    names = dict.fromkeys([*counts, *by_name])
    return [_upstream(name, by_name.get(name), counts.get(name, 0), own_server) for name in names]


def _upstream(name: str, state: ServerState | None, tools: int, own_server: str) -> Upstream:
    if state is None:
        status = "here" if name == own_server else "described"
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


def _figures(location: Location, ids: frozenset[str]) -> _Figures:
    now = int(time.time()) // _HOUR
    store = open_store(location, is_reader=True)
    try:
        totals = [total for total in store.totals(now - _DAYS * 24, now) if total.tool in ids]
        days = [day for day in store.days(now // 24 - _DAYS + 1, now // 24) if day.tool in ids]
    finally:
        store.close()
    by_calls = sorted(
        figures_by_tool(totals).values(), key=lambda figures: (-figures.calls, figures.tool)
    )
    return [_tool(figures) for figures in by_calls], _by_day(days, now // 24)


def _tool(figures: ToolFigures) -> ToolUsage:
    of_those_that_ran = {
        "success_rate": round(figures.success_rate, 4),
        "latency_ms": round(figures.latency_ms, 1),
        "p50_ms": round(figures.p50_ms, 1),
        "p95_ms": round(figures.p95_ms, 1),
    }
    return ToolUsage(
        tool=figures.tool,
        calls=figures.calls,
        failures=figures.failures,
        not_run=figures.not_run,
        **(of_those_that_ran if figures.ran else {}),
    )


def _by_day(totals: Iterable[DayTotal], today: int) -> list[DayUsage]:
    """Every one of the last days, those without a call too."""
    by_day: dict[int, list[DayTotal]] = {day: [] for day in range(today - _DAYS + 1, today + 1)}
    for total in totals:
        if total.day in by_day:  # else of a clock that was ahead
            by_day[total.day].append(total)
    return [_day(day, day_totals) for day, day_totals in by_day.items()]


def _day(day: int, totals: Sequence[DayTotal]) -> DayUsage:
    carried_out = [total for total in totals if total.outcome not in NOT_RUN]
    ran = sum(total.calls for total in carried_out)
    millis = sum(total.millis for total in carried_out)
    return DayUsage(
        day=datetime.fromtimestamp(day * 86_400, UTC).strftime("%Y-%m-%d"),
        calls=sum(total.calls for total in totals),
        failures=sum(total.calls for total in carried_out if total.outcome != "ok"),
        latency_ms=round(millis / ran, 1) if ran else 0,
    )
