"""The commands about usage: the table of tiers, their update, and figures of calls."""

import argparse
import csv
import io
import json
from typing import TYPE_CHECKING, Final

from toolfold.cli.printing import complain
from toolfold.report import printable

if TYPE_CHECKING:
    from toolfold.usage.report import UsageLine, UsageReport
    from toolfold.usage.tiers import TierTable, ToolTier

_BAR: Final = 20
_LONGEST: Final = 40


def tiers(options: argparse.Namespace) -> int:
    """Print what usage says about each tool's tier."""
    from toolfold.usage.tiers import tier_table

    table = tier_table(options.manifest, options.usage)
    print(_tiers_json(table) if options.format == "json" else printable(_tiers_text(table)))
    return 0


def update_tiers(options: argparse.Namespace) -> int:
    """Write the overlay of tiers, and print what it changes."""
    from toolfold.usage.tiers import update_tiers as write_tiers

    output = options.output or options.manifest.parent / "tiers.yaml"
    done = write_tiers(options.manifest, output, options.usage)
    if not done.table.has_usage:
        print(printable(f"{_no_usage(done.table.place)}; nothing was changed"))
        return 0
    ranked = sum(row.by_usage is not None for row in done.table.rows)
    state = "written" if done.is_written else "unchanged"
    print(printable(f"{done.path}: {state}: {ranked} of {len(done.table.rows)} tools are ranked"))
    for change in done.changes:
        before, after = change.before or "none", change.after or "as declared"
        print(printable(f"  {change.name}: {before} -> {after}"))
    if done.missing_line:
        complain(f"notice: {options.manifest} does not use it yet: {done.missing_line}")
    if done.is_written or done.missing_line:
        complain("next: review it, run `toolfold generate` and commit the result")
    return 0


def usage(options: argparse.Namespace) -> int:
    """Print calls, failures and latencies."""
    from toolfold.usage.report import usage_report

    report = usage_report(options.manifest, options.usage, options.by, options.days)
    if options.format == "json":
        print(_usage_json(report))
    elif options.format == "csv":
        print(_usage_csv(report), end="")
    else:
        print(printable(_usage_text(report)))
    return 0


def _no_usage(place: str) -> str:
    if place == "off":
        return "usage is off, so nothing is recorded"
    return f"no usage of these tools yet in {place}"


def _tiers_text(table: "TierTable") -> str:
    """A table: what each part contributed to the score, and a bar for it."""
    if not table.has_usage:
        return _no_usage(table.place)
    head = f"{'tool':<{_LONGEST}} {'now':<8} {'by usage':<8} {'score':>5}"
    head += f" {'calls':>9} {'popul.':>6} {'succ.':>6} {'laten.':>6} {'recent':>6}"
    lines = [head, *(_tier_line(row) for row in table.rows if row.calls)]
    unranked = sum(row.by_usage is None and row.calls > 0 for row in table.rows)
    uncalled = sum(not row.calls for row in table.rows)
    if unranked:
        rule = f"fewer than {table.least_calls} calls in 30 days"
        lines.append(f"not ranked, and left in the tier that is declared: {unranked} with {rule}")
    if uncalled:
        lines.append(f"not called: {uncalled}")
    return "\n".join(lines)


def _tier_line(row: "ToolTier") -> str:
    start = f"{_short(row.name):<{_LONGEST}} {row.declared or '-':<8}"
    by_usage = row.by_usage
    if by_usage is None:
        return f"{start} {'-':<8} {'-':>5} {row.calls:>9,}"
    from toolfold.usage.score import shown_score

    parts = " ".join(f"{part:>6.2f}" for part in by_usage.parts)
    bar = "█" * round(_BAR * by_usage.score)
    return f"{start} {by_usage.tier:<8} {shown_score(by_usage.score):>5.2f} {row.calls:>9,} {parts}  {bar}"


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _tiers_json(table: "TierTable") -> str:
    from toolfold.usage.score import shown_score

    rows = []
    for row in table.rows:
        by_usage = row.by_usage
        record: dict[str, object] = {"tool": row.name, "id": row.id, "tier": row.declared}
        record |= {"calls": row.calls, "by_usage": None}
        if by_usage is not None:
            record["by_usage"] = {
                "tier": by_usage.tier,
                "score": shown_score(by_usage.score),
                "parts": {name: round(part, 4) for name, part in by_usage.parts._asdict().items()},
                "success_rate": round(by_usage.figures.success_rate, 4),
                "latency_ms": round(by_usage.figures.latency_ms, 1),
                "p95_ms": round(by_usage.figures.p95_ms, 1),
            }
        rows.append(record)
    document = {"usage": table.place, "least_calls": table.least_calls, "tools": rows}
    return json.dumps(document, ensure_ascii=False, indent=2)


def _usage_text(report: "UsageReport") -> str:
    if not report.lines:
        text = _no_usage(report.place)
    else:
        head = f"{report.by:<{_LONGEST}} {'calls':>10} {'failures':>9} {'average':>9}"
        quantiles = "" if report.by == "day" else f" {'p50':>9} {'p95':>9}"
        lines = [head + quantiles, *(_usage_line(line, report.by) for line in report.lines)]
        calls = sum(line.calls for line in report.lines)
        failures = sum(line.failures for line in report.lines)
        span = f"{report.days} days" if report.days > 1 else "day"
        lines.append(f"{f'in the last {span}':<{_LONGEST}} {calls:>10,} {failures:>9,}")
        text = "\n".join(lines)
    if report.foreign_calls:
        text += f"\nand {report.foreign_calls:,} calls of tools that this manifest does not have"
    return text


def _usage_line(line: "UsageLine", by: str) -> str:
    text = f"{_short(line.name):<{_LONGEST}} {line.calls:>10,} {line.failures:>9,}"
    quantiles = () if by == "day" else (line.p50_ms, line.p95_ms)
    for millis in (line.average_ms, *quantiles):
        shown = "–" if millis is None else f"{millis:,.0f} ms"
        text += f" {shown:>9}"
    return text


def _usage_json(report: "UsageReport") -> str:
    lines = [_rounded(line) for line in report.lines]
    record = {"usage": report.place, "by": report.by, "days": report.days, "rows": lines}
    record["foreign_calls"] = report.foreign_calls
    return json.dumps(record, ensure_ascii=False, indent=2)


def _usage_csv(report: "UsageReport") -> str:
    """Rows for a spreadsheet; no name begins with a sign that would make it a formula."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    columns = [report.by, "calls", "failures", "not_run", "average_ms", "p50_ms", "p95_ms"]
    rows.writerow(columns)
    for line in report.lines:
        name, *figures = _rounded(line).values()
        quoted = f"'{name}" if str(name)[:1] in ("=", "+", "-", "@") else name
        rows.writerow([quoted, *("" if figure is None else figure for figure in figures)])
    return text.getvalue()


def _rounded(line: "UsageLine") -> dict[str, object]:
    return {
        key: round(value, 1) if isinstance(value, float) else value
        for key, value in line._asdict().items()
    }
