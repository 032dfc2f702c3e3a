"""Pages cut by tokens: as much as fits, and how to get the next."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from toolfold.plan.tokens import count
from toolfold.plan.views.forms import Ask, paged, units_of, written
from toolfold.plan.views.lines import Inventory


@dataclass(frozen=True)
class Page:
    """One ready text, what it costs, and how to ask for it."""

    ask: Ask
    text: str
    tokens: int


def whole(inventory: Inventory, ask: Ask, budget: int) -> Page:
    """A view on one page; a long overview leaves its workflows out before it is cut."""
    units = units_of(inventory, ask.detail, ask.category)
    page = _page(inventory, ask, units)
    is_long = page.tokens > budget and len(units) > 1
    if is_long and ask.detail == "overview" and "workflows" not in ask.left_out:
        left_out = f"workflows, {ask.left_out}" if ask.left_out else "workflows"
        return whole(inventory, replace(ask, left_out=left_out), budget)
    return page


def view(inventory: Inventory, ask: Ask, budget: int) -> list[Page]:
    """A view as pages of at most `budget` tokens; a single unit that is larger stands alone."""
    page = whole(inventory, ask, budget)
    units = units_of(inventory, ask.detail, ask.category)
    if page.tokens <= budget or len(units) <= 1:
        return [page]
    parts = _cut(inventory, page.ask, units, budget, len(units) * budget // page.tokens)
    return [
        _page(inventory, paged(page.ask, number, len(parts)), part)
        for number, part in enumerate(parts, start=1)
    ]


def _page(inventory: Inventory, ask: Ask, units: Sequence[Any]) -> Page:
    text = written(inventory, ask, units)
    return Page(ask, text, count(text))


def _cut(
    inventory: Inventory, ask: Ask, units: Sequence[Any], budget: int, guess: int
) -> list[Sequence[Any]]:
    """The units of each page: guessed by what the last held, then shrunk until the count fits."""
    parts: list[Sequence[Any]] = []
    start = 0
    many = paged(ask, 2, 999)  # page marks of this length are the longest that occur
    size = max(1, guess)
    while start < len(units):
        asked = paged(many, 1, 999) if not parts else many
        while True:
            part = units[start : start + size]
            tokens = count(written(inventory, asked, part))
            if tokens <= budget or len(part) == 1:
                break
            size = max(1, min(len(part) - 1, len(part) * budget // tokens))
        parts.append(part)
        start += len(part)
        size = max(1, len(part) * budget // max(1, tokens))
    return parts
