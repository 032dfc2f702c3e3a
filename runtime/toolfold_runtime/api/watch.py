"""The page to watch a server by: tools by tier, calls, failures, latencies, caches, upstream servers."""

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from typing import Final

from toolfold_runtime.api.models import DayUsage, Upstream, Usage
from toolfold_runtime.api.page import page
from toolfold_runtime.contract.summary import ToolSummary

_TIERS: Final = ("hot", "warm", "standard", "cold")
_MOST_ROWS: Final = 15
_MOST_SERVERS: Final = 50
_EVERY: Final = 30  # seconds
_WIDTH, _HEIGHT, _FOOT = 720, 150, 18
_KINDS: Final = {
    "hot": "T0 hot",
    "categories": "T1 categories",
    "category": "T2 category",
    "tool": "T3 tool",
}


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
        parts += [_chart(usage.days), _tools(usage)]
    parts += [_tiers(tools), _caches(usage), _servers(servers)]
    links = '<p class="soft"><a href="/api/v1">Catalog API</a> · figures of 30 days, read anew every 30 s</p>'
    return page(title, "".join([*parts, links]), refresh=_EVERY)


def _summary(
    version: str, tools: Sequence[ToolSummary], servers: Sequence[Upstream], usage: Usage | None
) -> str:
    facts = {"version": version, "tools": f"{len(tools):,}", "servers": f"{len(servers):,}"}
    if usage is not None and usage.is_recorded:
        calls = sum(tool.calls for tool in usage.tools)
        failures = sum(tool.failures for tool in usage.tools)
        facts |= {"calls in 30 days": f"{calls:,}", "failures": f"{failures:,}"}
    rows = "".join(
        f"<div><dt>{key}</dt><dd>{escape(value)}</dd></div>" for key, value in facts.items()
    )
    return f'<section><dl class="facts">{rows}</dl></section>'


def _chart(days: Sequence[DayUsage]) -> str:
    """Calls by day as bars, failures in them."""
    most = max((day.calls for day in days), default=0)
    if not most:
        return "<section><h2>Calls by day</h2><p>No calls in 30 days.</p></section>"
    step = _WIDTH / len(days)
    bars = []
    for place, day in enumerate(days):
        x, width = place * step + 1, step - 2
        label = f"{day.day}: {day.calls:,} calls, {day.failures:,} failures"
        shapes = [
            _bar(x, width, share / most, kind)
            for kind, share in (("calls", day.calls), ("failures", day.failures))
            if share
        ]
        bars.append(f"<g><title>{escape(label)}</title>{''.join(shapes)}</g>")
    first, last = escape(days[0].day), escape(days[-1].day)
    return (
        '<section><h2>Calls by day <span class="soft">and failures</span></h2>'
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT + _FOOT}" role="img" aria-label="Calls and failures by day">'
        f'{"".join(bars)}<line class="axis" x1="0" x2="{_WIDTH}" y1="{_HEIGHT}" y2="{_HEIGHT}"/>'
        f'<text x="0" y="{_HEIGHT + 14}">{first}</text>'
        f'<text x="{_WIDTH}" y="{_HEIGHT + 14}" text-anchor="end">{last} · most {most:,}</text></svg></section>'
    )


def _bar(x: float, width: float, share: float, kind: str) -> str:
    height = max(1.0, share * (_HEIGHT - 4))
    return (
        f'<rect class="{kind}" x="{x:.1f}" y="{_HEIGHT - height:.1f}" width="{width:.1f}"'
        f' height="{height:.1f}" rx="2"/>'
    )


def _tools(usage: Usage) -> str:
    rows = (
        (
            escape(tool.tool),
            f"{tool.calls:,}",
            f"{tool.failures:,}",
            f"{tool.success_rate:.1%}",
            f"{tool.p50_ms:,.0f}",
            f"{tool.p95_ms:,.0f}",
        )
        for tool in usage.tools[:_MOST_ROWS]
    )
    head = ("tool", "calls", "failures", "success", "p50 ms", "p95 ms")
    more = len(usage.tools) - _MOST_ROWS
    note = f'<p class="soft">and {more:,} more: <code>toolfold usage</code></p>' if more > 0 else ""
    return f"<section><h2>Most called</h2>{_table(head, rows)}{note}</section>"


def _tiers(tools: Sequence[ToolSummary]) -> str:
    counts = Counter(tool.tier or "none" for tool in tools)
    rows = []
    for tier in (*_TIERS, "none"):
        names = [tool.name for tool in tools if (tool.tier or "none") == tier]
        if names:
            shown = ", ".join(escape(name) for name in names[:8]) if tier != "none" else ""
            more = f" and {len(names) - 8:,} more" if len(names) > 8 and shown else ""
            rows.append((tier, f"{counts[tier]:,}", shown + more))
    return f"<section><h2>Tools by tier</h2>{_table(('tier', 'tools', ''), rows, numbers=(1,))}</section>"


def _caches(usage: Usage | None) -> str:
    if usage is None:
        return ""
    rows = []
    for kind, own in usage.caches.items():
        asked = own.hits + own.misses
        rate = f"{own.hits / asked:.1%}" if asked else "–"
        rows.append((_KINDS.get(kind, kind), f"{asked:,}", rate))
    head = ("answers of this process", "asked", "ready")
    return f"<section><h2>Cache hits</h2>{_table(head, rows)}</section>"


def _servers(servers: Sequence[Upstream]) -> str:
    rows = (
        (
            escape(own.name),
            f'<span class="{_mood(own)}">{escape(own.status)}</span>',
            f"{own.tool_count:,}",
            f"{own.calls:,}",
            f"{own.failed_calls:,}",
            escape(own.failing_since or own.since),
        )
        for own in servers[:_MOST_SERVERS]
    )
    head = ("server", "state", "tools", "calls", "failed", "since")
    return f"<section><h2>Servers</h2>{_table(head, rows, numbers=(2, 3, 4))}</section>"


def _mood(server: Upstream) -> str:
    return {"failing": "bad", "connected": "good"}.get(server.status, "")


def _table(
    head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = (1, 2, 3, 4, 5)
) -> str:
    """Cells are HTML whose texts are escaped already."""

    def cells(row: Sequence[str], kind: str) -> str:
        return "".join(
            f"<{kind}{' class=n' if place in numbers else ''}>{cell}"
            for place, cell in enumerate(row)
        )

    body = "".join(f"<tr>{cells(row, 'td')}" for row in rows)
    return f"<table><tr>{cells(head, 'th')}{body}</table>"
