"""The page of live figures that `docs build --usage` adds: what the store says at that moment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from toolfold.manifest.load import load
from toolfold.plan.disclosure.measured import duration
from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.links import plural, tool_link
from toolfold.plan.text.escape import markdown
from toolfold.plan.text.header import header_for
from toolfold.usage.report import By, UsageLine, UsageReport, report_of

_MAX_TOOLS: Final = 100
_MAX_DAYS: Final = 30


def live_usage(manifest: Path, option: str) -> str:
    """The page for a manifest; UsageError where the store cannot be read."""
    loaded = load(manifest)

    def report(by: By) -> UsageReport:
        return report_of(loaded.manifest, manifest.parent, option, by, _MAX_DAYS)

    return usage_page(report("tool"), report("day"), header_for(loaded.name, "usage"))


def usage_page(by_tool: UsageReport, by_day: UsageReport, header: str) -> str:
    """A page in Markdown: calls, failures and latencies by tool, and calls by day."""
    lines = [f"<!-- {header} -->", "", "# Usage", "", _summary(by_tool)]
    if by_tool.lines:
        lines += ["", "## Tools", "", *_tools(by_tool)]
    if by_day.lines:
        lines += ["", "## Days", "", *_days(by_day)]
    return "\n".join(lines) + "\n"


def _summary(report: UsageReport) -> str:
    if report.place == "off":
        return "Usage is off, so nothing is recorded."
    calls = sum(line.calls for line in report.lines)
    failures = sum(line.failures for line in report.lines)
    return (
        f"In the {report.days} days before this site was built: {plural(calls, 'call')}"
        f" of {plural(len(report.lines), 'tool')}, of which {failures:,} failed."
        " Lists and search do not follow these figures, but the tiers that were last reviewed."
    )


def _tools(report: UsageReport) -> Iterator[str]:
    yield "| Tool | Calls | Failures | Average | p50 | p95 |"
    yield "| --- | ---: | ---: | ---: | ---: | ---: |"
    for line in report.lines[:_MAX_TOOLS]:
        cells = [tool_link(line.name), f"{line.calls:,}", f"{line.failures:,}", *_latencies(line)]
        yield f"| {' | '.join(cells)} |"
    if (rest := len(report.lines) - _MAX_TOOLS) > 0:
        yield f"\n{rest:,} more were called less often."


def _latencies(line: UsageLine) -> Iterator[str]:
    for millis in (line.average_ms, line.p50_ms, line.p95_ms):
        yield "–" if millis is None else duration(millis)


def _days(report: UsageReport) -> Iterator[str]:
    latest = report.lines[-_MAX_DAYS:]
    yield bars("days", "Calls of each day", [(line.name, line.calls) for line in latest], "calls")
    yield ""
    yield "| Day | Calls | Failures | Average |"
    yield "| --- | ---: | ---: | ---: |"
    for line in reversed(latest):
        average = "–" if line.average_ms is None else duration(line.average_ms)
        yield f"| {markdown(line.name)} | {line.calls:,} | {line.failures:,} | {average} |"
