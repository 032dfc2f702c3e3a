"""The answer to a search: one line per hit within a budget, and the next step."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from toolfold_runtime.search.find import Found
from toolfold_runtime.search.index import Index, Tool
from toolfold_runtime.search.query import cut

MOST: Final = 50

_HINT: Final = 45  # tokens, at most


def answer(found: Found, index: Index, server: Mapping[str, Any]) -> str:
    """Hits as one line each, best first, then the next step; an empty answer says what to try."""
    tools = [index.tools[ranked.tool] for ranked in found.tools]
    if not tools:
        return "\n".join([_nothing(found, server), *found.query.hints])
    return hits(tools, found.query.hints, server)


def hits(tools: Sequence[Tool], said: Sequence[str], server: Mapping[str, Any]) -> str:
    """At least one hit, with as many of the hints as fit, and the next step."""
    room = server["hits"]["tokens"] - server["hits"]["next"]
    # The first hit comes before any hint.
    hints = said[: max(0, room - tools[0].tokens[-1]) // _HINT]
    levels = _levels(tools, room - _HINT * len(hints))
    # The leanest form is the name.
    shown = [[*tool.lines, tool.name][level] for tool, level in zip(tools, levels, strict=False)]
    notes = [*_left_out(levels, len(tools)), *hints]
    return "\n".join([*shown, *notes, *_following(server)])


def _levels(tools: Sequence[Tool], room: int) -> list[int]:
    """The form of each line: the last become leaner, then fall away, until all fit."""
    levels = [0] * len(tools)
    spent = sum(tool.tokens[0] for tool in tools)
    for level in range(1, len(tools[0].tokens)):
        for number in reversed(range(len(tools))):
            if spent <= room:
                return levels
            spent -= tools[number].tokens[level - 1] - tools[number].tokens[level]
            levels[number] = level
    while spent > room and len(levels) > 1:
        spent -= tools[len(levels) - 1].tokens[levels.pop()]
    return levels


def _left_out(levels: list[int], found: int) -> list[str]:
    """What the budget left out, in words."""
    leaner = sum(level > 0 for level in levels)
    missing = found - len(levels)
    if missing:
        return [f"{missing} more did not fit; ask with a smaller limit"]
    return [f"left out: signatures of {leaner}"] if leaner else []


def _following(server: Mapping[str, Any]) -> list[str]:
    schema = server["inventory"].get("schema", "")
    return [f"next: {schema}(tool)"] if schema else []


def _nothing(found: Found, server: Mapping[str, Any]) -> str:
    """Why there is no hit, and what to try."""
    inventory = server["inventory"].get("capabilities", "")
    way_out = f", or {inventory}() for the inventory" if inventory else ""
    if not found.asked.strip():
        return f"an empty query finds nothing. Say what the tool should do{way_out}."
    return f"no tool matches {cut(found.asked)}: {found.refused}{way_out}."
