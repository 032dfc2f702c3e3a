"""Pages cut by tokens: as much as fits, and how to get the next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from toolfold.plan.disclosure.inventory import Inventory, Line
from toolfold.plan.disclosure.render import Ask, paged, units_of, written
from toolfold.plan.disclosure.tokens import LONGEST_TOKEN

_SAMPLE: Final = 50


@dataclass(frozen=True)
class Page:
    """One ready text, what it costs, and how to ask for it."""

    ask: Ask
    text: str
    tokens: int


def whole(inventory: Inventory, ask: Ask, budget: int) -> Page | None:
    """A view on one page, if that keeps the budget or has but one thing to say.

    A long overview leaves its workflows out before it is cut.
    """
    units = units_of(inventory, ask.detail, ask.category)
    if _is_surely_long(units, budget):
        return None
    page = _page(inventory, ask, units)
    if page.tokens <= budget or len(units) <= 1:
        return page
    leaner = _leaner(ask)
    return whole(inventory, leaner, budget) if leaner else None


def view(inventory: Inventory, ask: Ask, budget: int) -> list[Page]:
    """A view as pages of at most `budget` tokens; a single unit that is larger stands alone."""
    page = whole(inventory, ask, budget)
    if page is not None:
        return [page]
    ask = _leaner(ask) or ask
    parts = _cut(inventory, ask, units_of(inventory, ask.detail, ask.category), budget)
    return [
        _page(inventory, paged(ask, number, len(parts)), part)
        for number, part in enumerate(parts, start=1)
    ]


def _leaner(ask: Ask) -> Ask | None:
    """The same question with less to tell, where there is anything to leave out."""
    if ask.detail != "overview" or "workflows" in ask.left_out:
        return None
    left_out = f"workflows, {ask.left_out}" if ask.left_out else "workflows"
    return replace(ask, left_out=left_out)


def _is_surely_long(units: Sequence[Any], budget: int) -> bool:
    """Whether the summaries alone exceed a budget, which need not be written to know it."""
    summaries = sum(len(unit.summary) for unit in units if isinstance(unit, Line))
    return len(units) > 1 and summaries > budget * LONGEST_TOKEN


def _page(inventory: Inventory, ask: Ask, units: Sequence[Any]) -> Page:
    text = written(inventory, ask, units)
    return Page(ask, text, inventory.count(text))


def _cut(inventory: Inventory, ask: Ask, units: Sequence[Any], budget: int) -> list[Sequence[Any]]:
    """The units of each page: guessed by what the last held, then shrunk until the count fits."""
    parts: list[Sequence[Any]] = []
    start = 0
    many = paged(ask, 2, 999)  # page marks of this length are the longest that occur
    some = units[:_SAMPLE]
    size = max(1, len(some) * budget // inventory.count(written(inventory, many, some)))
    while start < len(units):
        asked = paged(many, 1, 999) if not parts else many
        while True:
            part = units[start : start + size]
            tokens = inventory.count(written(inventory, asked, part))
            if tokens <= budget or len(part) == 1:
                break
            size = max(1, min(len(part) - 1, len(part) * budget // tokens))
        parts.append(part)
        start += len(part)
        size = max(1, len(part) * budget // max(1, tokens))
    return parts
