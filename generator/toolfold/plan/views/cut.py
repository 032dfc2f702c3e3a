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


def view(inventory: Inventory, ask: Ask, budget: int) -> list[Page]:
    """A view as pages of at most `budget` tokens; a single unit that is larger stands alone."""
    units = units_of(inventory, ask.detail, ask.category)
    whole = written(inventory, ask, units)
    tokens = count(whole)
    if tokens <= budget or len(units) <= 1:
        return [Page(ask, whole, tokens)]
    if ask.detail == "overview" and "workflows" not in ask.left_out:
        left_out = f"workflows, {ask.left_out}" if ask.left_out else "workflows"
        return view(inventory, replace(ask, left_out=left_out), budget)
    parts = _cut(inventory, ask, units, budget, len(whole) / tokens)
    pages = []
    for number, part in enumerate(parts, start=1):
        asked = paged(ask, number, len(parts))
        text = written(inventory, asked, part)
        pages.append(Page(asked, text, count(text)))
    return pages


def _cut(
    inventory: Inventory, ask: Ask, units: Sequence[Any], budget: int, characters: float
) -> list[Sequence[Any]]:
    """The units of each page: guessed by characters, then shrunk until the count fits."""
    parts: list[Sequence[Any]] = []
    start = 0
    many = paged(ask, 2, 999)  # page marks of this length are the longest that occur
    size = max(1, len(units) * budget // count(written(inventory, ask, units)))
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
