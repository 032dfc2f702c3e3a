"""`llms-full.txt`: as many pages as a stated budget holds, and where to find the others."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from toolfold.plan.disclosure.tokens import count

BUDGET: Final = 100_000
_FIRST: Final = ("index.md", "agents.md", "tokens.md")


def full_text(pages: Mapping[PurePosixPath, str], budget: int = BUDGET) -> str:
    """Pages one after the other, whole, until the budget is spent; the rest is named.

    The first pages come first, then categories, then tools, each by path.
    """
    room = budget - count(_head(len(pages), len(pages), budget)) - 200
    shown: list[str] = []
    left: list[PurePosixPath] = []
    for path in sorted(pages, key=_order):
        text = f"<!-- {path} -->\n\n{_without_pictures(pages[path]).strip()}\n"
        cost = count(text) + 1
        if left or cost > room:
            left.append(path)
        else:
            room -= cost
            shown.append(text)
    return "\n".join([_head(len(shown), len(pages), budget), *shown])


def _head(shown: int, of: int, budget: int) -> str:
    rest = "" if shown == of else " The others lie beside their HTML as Markdown: see llms.txt."
    return f"<!-- {shown:,} of {of:,} pages, within {budget:,} o200k tokens.{rest} -->\n"


def _order(path: PurePosixPath) -> tuple[int, str]:
    name = str(path)
    if name in _FIRST:
        return _FIRST.index(name), name
    return (3 if name.startswith("categories/") else 4), name


def _without_pictures(page: str) -> str:
    """Pictures repeat figures that stand beside them; in tokens they cost more than they tell."""
    start = page.find("<figure")
    while start >= 0:
        end = page.index("</figure>", start) + len("</figure>")
        page = page[:start] + page[end:].lstrip("\n")
        start = page.find("<figure")
    return page
