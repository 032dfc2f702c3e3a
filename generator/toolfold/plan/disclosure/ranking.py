"""Which tools come first: by what was measured, else by what the manifest says."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeVar

from toolfold_runtime.contract.vocabulary import HotBy, Tier

from toolfold.plan.model import MetaToolPlan, ToolPlan

#: Tools of a hot list.
MOST_HOT: Final = 15
#: Tools of a hot list that usage fills up, or that only their order in the manifest recommends.
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
    """Tools by score, equal ones by tier; then those without a score, in their order.

    Below those are tools that were measured and found cold, and then deprecated ones.
    """
    return sorted(tools, key=_rank)


def popular(tools: Iterable[ToolPlan | MetaToolPlan]) -> tuple[str, ...]:
    """The names of a category's best tools: by score, else by tier; empty if no tool has either."""
    good = [tool for tool in tools if tool.deprecated is None and _is_popular(tool)]
    best = sorted(good, key=lambda tool: (_rank(tool), _TIERS[tool.tier]))
    return tuple(tool.name for tool in best[:_MOST_POPULAR])


def _is_popular(tool: ToolPlan | MetaToolPlan) -> bool:
    return tool.tier != "cold" if tool.measured else tool.tier in ("hot", "warm")


def _rank(tool: ToolPlan | MetaToolPlan) -> tuple[bool, bool, float, int]:
    is_deprecated = tool.deprecated is not None
    if tool.measured is None:
        # The author's order of tools that nobody measured is left alone.
        return (is_deprecated, False, 1.0, 0)
    return (is_deprecated, tool.tier == "cold", -tool.measured.score, _TIERS[tool.tier])


def hot_tools(tools: Iterable[ToolPlan]) -> list[ToolPlan]:
    """The tools of the tier `hot`, the best first, without deprecated ones."""
    return ranked(tool for tool in tools if tool.tier == "hot" and tool.deprecated is None)


def hot_list(tools: Sequence[ToolPlan], quick_actions: Iterable[str]) -> HotList:
    """Hot tools, and the best measured ones up to ten; else quick actions; else the manifest's first."""
    good = [tool for tool in tools if tool.deprecated is None]
    hot = hot_tools(good)[:MOST_HOT]
    warm = ranked(tool for tool in good if tool.measured and tool.tier not in ("hot", "cold"))
    hot += warm[: max(0, _FIRST - len(hot))]
    if hot:
        return HotList(tuple(hot), _decided_by(hot))
    by_name = {tool.name: tool for tool in good}
    quick = [by_name[name] for name in dict.fromkeys(quick_actions) if name in by_name]
    if quick:
        return HotList(tuple(quick[:MOST_HOT]), "quick actions")
    first = [tool for tool in good if tool.tier != "cold"] or good
    return HotList(tuple(first[:_FIRST]), "order")


def _decided_by(hot: Iterable[ToolPlan]) -> HotBy:
    """What made tools hot: nobody measured those that the manifest alone calls so."""
    are_measured = {tool.measured is not None for tool in hot}
    if are_measured == {True, False}:
        return "usage and declared"
    return "usage" if are_measured == {True} else "declared"
