"""`llms-full.txt`: as many pages as a stated budget holds, and where to find the others."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

from toolfold.plan.disclosure.tokens import count

BUDGET: Final = 100_000
_FIRST: Final = ("index.md", "agents.md", "tokens.md")


def full_text(pages: Mapping[PurePosixPath, str], budget: int = BUDGET) -> str:
    """Pages one after the other, whole, until the budget is spent.

    The first pages come first, then categories, then tools, each by path.
    """
    room = budget - count(_head(len(pages), len(pages), budget)) - 200
    texts: list[str] = []
    is_full = False
    for path in sorted(pages, key=_order):
        text = f"<!-- {path} -->\n\n{_without_pictures(pages[path]).strip()}\n"
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
    return f"<!-- {included:,} of {total:,} pages, within {budget:,} o200k tokens.{rest} -->\n"


def _order(path: PurePosixPath) -> tuple[int, str]:
    name = str(path)
    if name in _FIRST:
        return _FIRST.index(name), name
    return (3 if name.startswith("categories/") else 4), name


def _without_pictures(page: str) -> str:
    """The page without its pictures, which repeat figures of the tables beside them."""
    start = page.find("<figure")
    while start >= 0:
        end = page.index("</figure>", start) + len("</figure>")
        page = page[:start] + page[end:].lstrip("\n")
        start = page.find("<figure")
    return page
