"""What the rows of a store say about each tool."""

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple

from toolfold_runtime.usage.rows import NOT_RUN, UsageTotal, quantile


class ToolFigures(NamedTuple):
    """The calls of a tool over some time."""

    tool: str
    #: All of them, also those that were not carried out.
    calls: int
    #: Calls that were carried out, and failed.
    failures: int
    not_run: int
    #: Of those that were carried out; 0 where none was.
    success_rate: float
    latency_ms: float
    p50_ms: float
    p95_ms: float
    #: When the last one ended, in seconds since the epoch.
    last: float

    @property
    def ran(self) -> int:
        """Calls that were carried out; where there are none, rates and latencies say nothing."""
        return self.calls - self.not_run


def figures_by_tool(totals: Iterable[UsageTotal]) -> dict[str, ToolFigures]:
    """The figures of each tool that was called, by its id in alphabetical order."""
    by_tool: dict[str, list[UsageTotal]] = defaultdict(list)
    for total in totals:
        by_tool[total.tool].append(total)
    return {tool: figures_of(tool, by_tool[tool]) for tool in sorted(by_tool)}


def figures_of(name: str, totals: Iterable[UsageTotal]) -> ToolFigures:
    """The figures of totals taken together, of a tool or of a category."""
    calls = ok = not_run = 0
    millis = last = 0.0
    buckets: dict[int, int] = defaultdict(int)
    for total in totals:
        calls += total.calls
        last = max(last, total.last)
        if total.outcome in NOT_RUN:
            not_run += total.calls
            continue
        ok += total.calls if total.outcome == "ok" else 0
        millis += total.millis
        buckets[total.bucket] += total.calls
    ran = calls - not_run
    return ToolFigures(
        tool=name,
        calls=calls,
        failures=ran - ok,
        not_run=not_run,
        success_rate=ok / ran if ran else 0.0,
        latency_ms=millis / ran if ran else 0.0,
        p50_ms=quantile(buckets, 0.5),
        p95_ms=quantile(buckets, 0.95),
        last=last,
    )
