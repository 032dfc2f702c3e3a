"""The page to watch a server by: tools by tier, calls, failures, latencies, caches, upstream servers."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from html import escape
from math import floor
from typing import Final

from toolfold_runtime.api.chart import Bar, chart
from toolfold_runtime.api.models import DayUsage, Upstream, Usage
from toolfold_runtime.api.page import named, page, section, table
from toolfold_runtime.contract.summary import ToolSummary

_TIERS: Final = ("hot", "warm", "standard", "cold")
_MOST_NAMES: Final = 8  # of a tier
_MOST_ROWS: Final = 15
_MOST_SERVERS: Final = 50
_EVERY: Final = 30  # seconds
_KINDS: Final = {
    "hot": "T0 hot list",
    "categories": "T1 categories",
    "category": "T2 pages of a category",
    "tool": "T3 schemas of tools",
    "results": "results of tools",
}
#: States that their names do not explain.
_STATES: Final = {
    "here": "this server itself",
    "described": "known from the catalog; nothing here carries its calls out",
    "unused": "connected at the first call",
}
_WORST_FIRST: Final = ("failing", "connecting", "connected", "idle", "unused", "here")


def watch_page(
    title: str,
    version: str,
    tools: Sequence[ToolSummary],
    servers: Sequence[Upstream],
    usage: Usage | None,
    problem: str,
) -> bytes:
    """The page, as HTML; `problem` says why there is no usage."""
    parts = [_summary(version, tools, servers, usage)]
    if usage is None:
        parts.append(f'<section><p class="bad">{escape(problem)}</p></section>')
    elif not usage.is_recorded:
        parts.append("<section><p>Usage is not recorded: it is switched off.</p></section>")
    else:
        parts += [*_charts(usage.days), _most_called(usage)]
    parts += [_tiers(tools), _caches(usage), _servers(servers, usage)]
    parts.append(
        '<p class="soft"><a href="/api/v1">Catalog API</a> · calls of 30 days, by the clock of UTC;'
        f" this page is read anew every {_EVERY} s</p>"
    )
    return page(title, "".join(parts), refresh=_EVERY)


def _summary(
    version: str, tools: Sequence[ToolSummary], servers: Sequence[Upstream], usage: Usage | None
) -> str:
    facts = {"version": version, "tools": f"{len(tools):,}", "servers": f"{len(servers):,}"}
    if usage is not None and usage.is_recorded:
        calls = sum(tool.calls for tool in usage.tools)
        ran = calls - sum(tool.not_run for tool in usage.tools)
        failures = sum(tool.failures for tool in usage.tools)
        facts |= {"calls in 30 days": f"{calls:,}", "failures": f"{failures:,}"}
        if ran:
            millis = sum(
                (tool.latency_ms or 0) * (tool.calls - tool.not_run) for tool in usage.tools
            )
            facts["average latency"] = _millis(millis / ran)
    rows = "".join(
        f"<div><dt>{key}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items()
    )
    return f'<section><dl class="facts">{rows}</dl></section>'


def _charts(days: Sequence[DayUsage]) -> Iterator[str]:
    most = max((day.calls for day in days), default=0)
    if not most:
        yield section("Calls by day", "<p>No calls in 30 days.</p>")
        return
    key = '<p class="soft"><i class="key calls"></i> calls <i class="key failures"></i> of these, failures</p>'
    calls = [
        Bar(
            day.day,
            f"{day.day}: {day.calls:,} calls, {day.failures:,} failures",
            (("calls", day.calls), ("failures", day.failures)),
        )
        for day in days
    ]
    yield section("Calls by day", chart("Calls and failures by day", calls, f"{most:,}") + key)
    latencies = [
        Bar(
            day.day,
            f"{day.day}: {_millis(day.latency_ms)} on average",
            (("calls", day.latency_ms),),
        )
        for day in days
    ]
    slowest = _millis(max(day.latency_ms for day in days))
    yield section("Average latency by day", chart("Average latency by day", latencies, slowest))


def _most_called(usage: Usage) -> str:
    rows = (
        (
            named(tool.tool),
            f"{tool.calls:,}",
            f"{tool.failures:,}",
            _share(tool.success_rate),
            _millis(tool.p50_ms),
            _millis(tool.p95_ms),
        )
        for tool in usage.tools[:_MOST_ROWS]
    )
    head = ("tool", "calls", "failures", "success", "p50", "p95")
    shown = table(head, rows, numbers=range(1, 6), wide=(2, 4))
    more = len(usage.tools) - _MOST_ROWS
    note = f'<p class="soft">and {more:,} more: <code>toolfold usage</code></p>' if more > 0 else ""
    return section("Most called", shown + note)


def _tiers(tools: Sequence[ToolSummary]) -> str:
    by_tier: dict[str, list[ToolSummary]] = defaultdict(list)
    for tool in tools:
        by_tier[tool.tier or "none"].append(tool)
    rows = []
    for tier in (*_TIERS, "none"):
        if tier_tools := by_tier[tier]:
            names = (
                "neither declared nor called often enough" if tier == "none" else _best(tier_tools)
            )
            rows.append((f'<span class="short">{tier}</span>', f"{len(tier_tools):,}", names))
    return section("Tools by tier", table(("tier", "tools", "the best"), rows, numbers=(1,)))


def _best(tools: Sequence[ToolSummary]) -> str:
    best_first = sorted(tools, key=lambda tool: -(tool.measured.score if tool.measured else 0))
    shown = ", ".join(named(tool.name) for tool in best_first[:_MOST_NAMES])
    more = len(tools) - _MOST_NAMES
    return f'<span class="name">{shown}{f" and {more:,} more" if more > 0 else ""}</span>'


def _caches(usage: Usage | None) -> str:
    if usage is None:
        return ""
    rows = []
    for kind, counts in usage.caches.items():
        asked = counts.hits + counts.misses
        rate = counts.hits / asked if asked else None
        rows.append((_KINDS.get(kind, kind), f"{asked:,}", _share(rate)))
    head = ("answers of this process", "asked for", "ready")
    return section("Cache hits", table(head, rows, numbers=(1, 2)))


def _servers(servers: Sequence[Upstream], usage: Usage | None) -> str:
    calls = _calls_by_server(usage)
    ordered = sorted(servers, key=_worst_first)
    rows = [
        (
            named(server.name),
            f'<span class="{_mood(server)}">{escape(server.status)}</span>',
            f"{server.tool_count:,}",
            *calls.get(server.name, ("0", "0") if calls else ("–", "–")),
            escape(server.failing_since or server.since),
        )
        for server in ordered[:_MOST_SERVERS]
    ]
    head = ("server", "state", "tools", "calls", "failures", "since")
    shown = table(head, rows, numbers=(2, 3, 4), wide=(2, 5))
    more = len(servers) - _MOST_SERVERS
    if more > 0:
        shown += f'<p class="soft">and {more:,} more: <code>/api/v1/tools/servers</code></p>'
    states = {server.status for server in servers}
    notes = [f"{name}: {words}" for name, words in _STATES.items() if name in states]
    return section("Servers", f'{shown}<p class="soft">{"; ".join(notes)}</p>' if notes else shown)


def _calls_by_server(usage: Usage | None) -> dict[str, tuple[str, str]]:
    """Calls and failures of 30 days, as they are shown; nothing where they are not recorded."""
    calls: dict[str, int] = defaultdict(int)
    failures: dict[str, int] = defaultdict(int)
    for tool in usage.tools if usage else ():
        server = tool.tool.partition("::")[0]
        calls[server] += tool.calls
        failures[server] += tool.failures
    return {server: (f"{calls[server]:,}", f"{failures[server]:,}") for server in calls}


def _worst_first(server: Upstream) -> int:
    return _WORST_FIRST.index(server.status) if server.status in _WORST_FIRST else 99


def _mood(server: Upstream) -> str:
    return {"failing": "bad", "connected": "good"}.get(server.status, "")


def _share(part: float | None) -> str:
    """Rounded down: what ever failed is not shown as if it never did."""
    return "–" if part is None else f"{floor(part * 1000 + 1e-6) / 10:.1f} %"


def _millis(millis: float | None) -> str:
    if millis is None:
        return "–"
    return f"{millis:,.0f} ms" if millis >= 0.5 or not millis else "<1 ms"
