"""The results of `budget`, `search` and `eval` as text for people and as JSON."""

import json
from typing import Final

from toolfold_runtime.search.answer import answer
from toolfold_runtime.search.find import SearchResults

from toolfold.commands.budget import BudgetReport
from toolfold.commands.budget_tiers import TiersReport
from toolfold.commands.evaluate import Evaluation
from toolfold.commands.search import Search

_BAR: Final = 30


def budget_text(report: BudgetReport, *, with_bars: bool) -> str:
    """A table of costs; a bar shows how much of its budget each row takes."""
    lines = [f"{'o200k tokens':<44} {'cost':>8} {'budget':>8}"]
    for cost in report.costs:
        limit = report.limits[cost.budget]
        mark = " over" if cost.tokens > limit else ""
        bar = "  " + "█" * min(_BAR, round(_BAR * cost.tokens / limit)) if with_bars else ""
        lines.append(f"{cost.name[:44]:<44} {cost.tokens:>8,} {limit:>8,}{bar}{mark}")
    share = report.progressive / report.direct if report.direct else 0
    lines.append("")
    lines.append(f"every tool listed: {report.direct:,}")
    lines.append(f"meta-tools and inventory: {report.progressive:,} ({share:.1%} of that)")
    lines.append(f"exposure: {report.exposure}")
    return "\n".join(lines)


def budget_json(report: BudgetReport) -> str:
    """The table of costs as one JSON document."""
    record = {
        "unit": "o200k tokens",
        "exposure": report.exposure,
        "direct": report.direct,
        "progressive": report.progressive,
        "costs": [c._asdict() | {"limit": report.limits[c.budget]} for c in report.costs],
    }
    return json.dumps(record, indent=2)


def tiers_text(report: TiersReport) -> str:
    """A line per step into the catalog, then what all of them are compared with."""
    lines = [f"{'o200k tokens, each step with those before':<56} {'cost':>8} {'limit':>8}"]
    for tier in report.tiers:
        mark = " over" if tier.is_over else ""
        lines.append(f"{f'{tier.name} {tier.what}':<56} {tier.tokens:>8,} {tier.limit:>8,}{mark}")
    lines += ["", f"every tool listed: {report.listed:,}"]
    fitting = (
        (report.share_fits, report.share, ", its share of an answer with ten"),
        (report.details_fit, report.details, ""),
    )
    for number, tokens, why in fitting:
        share = number / report.tools if report.tools else 1
        lines.append(
            f"whole schema within {tokens:,}{why}: {number:,} of {report.tools:,} ({share:.1%})"
        )
    return "\n".join(lines)


def tiers_json(report: TiersReport) -> str:
    """The steps into the catalog as one JSON document."""
    tiers = [tier._asdict() | {"over": tier.is_over} for tier in report.tiers]
    return json.dumps({"unit": "o200k tokens", **report._asdict(), "tiers": tiers}, indent=2)


def search_text(search: Search, results: SearchResults) -> str:
    """Each result with the parts of its score; what an agent reads where there is none."""
    if not results.tools:
        return answer(results, search.finder.index, search.facts)
    rows = []
    for rank, result in enumerate(results.tools, start=1):
        line = search.finder.index.tools[result.tool].result_lines[0]
        parts = "  ".join(f"{name} {value:+.2f}" for name, value in result.parts.items())
        rows.append(f"{rank}. {line}\n   {result.score:.2f} = {parts or 'by name or qualifier'}")
    return "\n".join([*rows, *results.query.hints])


def search_json(search: Search, results: SearchResults) -> str:
    """Each result with the parts of its score, as one JSON document."""
    rows = [
        {
            "id": search.id_of(result.tool),
            "score": round(result.score, 4),
            "parts": {name: round(value, 4) for name, value in result.parts.items()},
        }
        for result in results.tools
    ]
    record = {"query": results.given, "hits": rows, "hints": results.query.hints}
    return json.dumps(record, ensure_ascii=False, indent=2)


def evaluation_text(done: Evaluation) -> str:
    """The figures of an evaluation, one per line."""
    lines = [f"{name:<14} {value:.3f}" for name, value in done.metrics.items()]
    if done.unknown:
        lines.append(f"{done.unknown} needed ids are not in this manifest and count as missed")
    return "\n".join([f"{len(done.rankings)} queries", *lines])


def evaluation_json(done: Evaluation) -> str:
    """The figures of an evaluation as one JSON object."""
    return json.dumps({"queries": len(done.rankings), **done.metrics, "unknown_ids": done.unknown})
