"""Which tools come first: by what was measured, else by what the manifest says."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from toolfold_runtime.contract.vocabulary import HotBy, Tier

from toolfold.plan.model import MetaToolPlan, ToolPlan

#: Tools of a hot list.
MOST_HOT: Final = 15
#: Tools of a list that only their order in the manifest recommends.
_FIRST: Final = 10
_TIERS: Final[dict[Tier | None, int]] = {"hot": 0, "warm": 1, "standard": 2, None: 2, "cold": 3}

#: Tools that an overview names of a category.
_MOST_POPULAR: Final = 2

_Tool = TypeVar("_Tool", bound=ToolPlan | MetaToolPlan)


class HotList(NamedTuple):
    """The tools to show first, the best first, and what decided that they are."""

    tools: tuple[ToolPlan, ...]
    by: HotBy


def ranked(tools: Iterable[_Tool]) -> list[_Tool]:
    """Tools by their scores, equal ones by tier; then those that have none, as they came."""
    return sorted(tools, key=_rank)


def popular(tools: Iterable[ToolPlan | MetaToolPlan]) -> tuple[str, ...]:
    """The names of a category's best: by score, else by tier; none where neither says so."""
    good = [tool for tool in tools if tool.deprecated is None and _is_popular(tool)]
    best = sorted(good, key=lambda tool: (_rank(tool)[0], _TIERS[tool.tier]))
    return tuple(tool.name for tool in best[:_MOST_POPULAR])


def _is_popular(tool: ToolPlan | MetaToolPlan) -> bool:
    return tool.tier != "cold" if tool.measured else tool.tier in ("hot", "warm")


def _rank(tool: ToolPlan | MetaToolPlan) -> tuple[float, int]:
    # The author's order of tools that nobody measured is left alone.
    return (-tool.measured.score, _TIERS[tool.tier]) if tool.measured else (1.0, 0)


def hot_list(tools: Sequence[ToolPlan], quick_actions: Iterable[str]) -> HotList:
    """Hot tools; where there are none, those of quick actions; else the manifest's first."""
    hot = ranked(tool for tool in tools if tool.tier == "hot")[:MOST_HOT]
    if hot:
        return HotList(tuple(hot), "usage" if any(tool.measured for tool in hot) else "declared")
    by_name = {tool.name: tool for tool in tools}
    quick = [by_name[name] for name in dict.fromkeys(quick_actions) if name in by_name]
    if quick:
        return HotList(tuple(quick[:MOST_HOT]), "quick actions")
    return HotList(tuple(tool for tool in tools if tool.deprecated is None)[:_FIRST], "order")
