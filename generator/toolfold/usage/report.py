"""`toolfold usage`: calls, failures and latencies by tool, category or day."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, NamedTuple, TypeAlias

from toolfold_runtime.usage.figures import figures_of
from toolfold_runtime.usage.rows import NOT_RUN, DayTotal, UsageTotal

from toolfold.manifest.load import load
from toolfold.manifest.schema import Manifest
from toolfold.usage.read import hour_now, opened

By: TypeAlias = Literal["tool", "category", "day"]

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class UsageLine(NamedTuple):
    """The calls of a tool, a category or a day."""

    name: str
    #: All of them, of these the ones that failed, and those that were not carried out.
    calls: int
    failures: int
    not_run: int
    #: Milliseconds of an average call that was carried out; None where none was.
    average_ms: float | None
    #: None there too, and by day, of which only sums are kept.
    p50_ms: float | None
    p95_ms: float | None


@dataclass(frozen=True)
class UsageReport:
    """What was recorded of a manifest's tools over some days."""

    #: Where it was read, or "off".
    place: str
    by: By
    days: int
    lines: tuple[UsageLine, ...]
    #: Calls in the same store of tools that the manifest does not have.
    foreign_calls: int


def usage_report(manifest: Path, option: str | None, by: By, days: int) -> UsageReport:
    """The report; ManifestError where the manifest is refused, UsageError where the store is."""
    declared = load(manifest).manifest
    return report_of(declared, manifest.parent, option, by, days)


def report_of(
    manifest: Manifest, folder: Path, option: str | None, by: By, days: int
) -> UsageReport:
    """The same for a manifest that was loaded, in its folder."""
    names = {manifest.id_of(name): name for name in manifest.tools}
    hour = hour_now()
    with opened(manifest, folder, option) as (place, store):
        if store is None:
            return UsageReport(place, by, days, (), 0)
        if by == "day":
            found = store.days(hour // 24 - days + 1, hour // 24)
            lines = tuple(_days([total for total in found if total.tool in names]))
            foreign = sum(total.calls for total in found if total.tool not in names)
            return UsageReport(place, by, days, lines, foreign)
        totals = store.totals(hour - days * 24, hour)
    groups: dict[str, list[UsageTotal]] = defaultdict(list)
    for total in totals:
        if total.tool in names:
            name = names[total.tool]
            groups[name if by == "tool" else manifest.tools[name].category].append(total)
    lines = tuple(sorted(_lines(groups), key=lambda line: (-line.calls, line.name)))
    foreign = sum(total.calls for total in totals if total.tool not in names)
    return UsageReport(place, by, days, lines, foreign)


def _lines(groups: dict[str, list[UsageTotal]]) -> Iterable[UsageLine]:
    for name, totals in groups.items():
        figures = figures_of(name, totals)
        latencies = (
            (figures.latency_ms, figures.p50_ms, figures.p95_ms)
            if figures.ran
            else (None, None, None)
        )
        yield UsageLine(name, figures.calls, figures.failures, figures.not_run, *latencies)


def _days(totals: Iterable[DayTotal]) -> Iterable[UsageLine]:
    by_day: dict[int, list[DayTotal]] = defaultdict(list)
    for total in totals:
        by_day[total.day].append(total)
    for day, day_totals in sorted(by_day.items()):
        calls = sum(total.calls for total in day_totals)
        carried_out = [total for total in day_totals if total.outcome not in NOT_RUN]
        ran = sum(total.calls for total in carried_out)
        failures = sum(total.calls for total in carried_out if total.outcome != "ok")
        average = sum(total.millis for total in carried_out) / ran if ran else None
        name = (_EPOCH + timedelta(days=day)).date().isoformat()
        yield UsageLine(name, calls, failures, calls - ran, average, None, None)
