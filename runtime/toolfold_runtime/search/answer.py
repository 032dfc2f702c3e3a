"""The answer to a search: one line per result within a budget, and the next step."""

from collections.abc import Sequence
from typing import Final

from toolfold_runtime.contract.search import IndexedTool
from toolfold_runtime.contract.server import ServerFacts
from toolfold_runtime.search.find import SearchResults
from toolfold_runtime.search.index import SearchIndex
from toolfold_runtime.search.query import quoted

MOST_RESULTS: Final = 50

_HINT: Final = 45  # tokens, at most


def answer(results: SearchResults, index: SearchIndex, facts: ServerFacts) -> str:
    """The results, best first, one line each, and the next step; without results, what to try."""
    tools = [index.tools[ranked.tool] for ranked in results.tools]
    if not tools:
        return "\n".join([_no_results(results, facts), *results.query.hints])
    return results_text(tools, results.query.hints, facts)


def results_text(tools: Sequence[IndexedTool], hints: Sequence[str], facts: ServerFacts) -> str:
    """At least one result, with as many of the hints as fit, and the next step."""
    room = facts.search_budget.tokens - facts.search_budget.reserved
    # The first result comes before any hint.
    shown = hints[: max(0, room - tools[0].result_tokens[-1]) // _HINT]
    levels = _levels(tools, room - _HINT * len(shown))
    lines = [
        # The leanest text is the name.
        [*tool.result_lines, tool.name][level]
        for tool, level in zip(tools, levels, strict=False)
    ]
    following = [f"next: {facts.schema_tool}(tool)"] if facts.schema_tool else []
    return "\n".join([*lines, *_omitted(levels, len(tools)), *shown, *following])


def _levels(tools: Sequence[IndexedTool], room: int) -> list[int]:
    """The level of detail of each result: the last are shortened, then omitted, until all fit."""
    levels = [0] * len(tools)
    spent = sum(tool.result_tokens[0] for tool in tools)
    for level in range(1, len(tools[0].result_tokens)):
        for number in reversed(range(len(tools))):
            if spent <= room:
                return levels
            costs = tools[number].result_tokens
            spent -= costs[level - 1] - costs[level]
            levels[number] = level
    while spent > room and len(levels) > 1:
        spent -= tools[len(levels) - 1].result_tokens[levels.pop()]
    return levels


def _omitted(levels: list[int], total: int) -> list[str]:
    """The note about results that were omitted."""
    leaner = sum(level > 0 for level in levels)
    missing = total - len(levels)
    if missing:
        return [f"{missing} more did not fit; ask with a smaller limit"]
    return [f"left out: signatures of {leaner}"] if leaner else []


def _no_results(results: SearchResults, facts: ServerFacts) -> str:
    """The answer without results: the reason, and what to try."""
    inventory = facts.capabilities_tool
    way_out = f", or {inventory}() for the inventory" if inventory else ""
    if not results.given.strip():
        return f"an empty query finds nothing. Say what the tool should do{way_out}."
    return f"no tool matches {quoted(results.given)}: {results.reason}{way_out}."
