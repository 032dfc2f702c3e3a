"""`llms-full.txt`: as many pages as a stated budget holds, and where to find the others."""

from collections.abc import Mapping
from typing import Final

from toolfold_runtime.contract.pages import AGENTS, HOME, TOKENS

from toolfold.plan.disclosure.tokens import count

BUDGET: Final = 100_000
_FIRST: Final = (HOME, AGENTS, TOKENS)


def full_text(pages: Mapping[str, str], budget: int = BUDGET) -> str:
    """Pages one after the other, whole, until the budget is spent.

    The first pages come first, then categories, then tools, each by path.
    """
    room = budget - count(_head(len(pages), len(pages), budget)) - 200
    texts: list[str] = []
    is_full = False
    for path in sorted(pages, key=_order):
        text = f"---\n\nPage: [{path}]({path})\n\n{pages[path].strip()}\n"
        cost = count(text) + 1
        is_full = is_full or cost > room
        if not is_full:
            room -= cost
            texts.append(text)
    return "\n".join([_head(len(texts), len(pages), budget), *texts])


def _head(included: int, total: int, budget: int) -> str:
    rest = (
        "" if included == total else " The others lie beside their HTML as Markdown: see llms.txt."
    )
    return f"{included:,} of {total:,} pages, within {budget:,} o200k tokens.{rest}\n"


def _order(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name), name
    return (3 if name.startswith("categories/") else 4), name
