"""The generated pages: where each lies below the folder `docs` beside the package, and its text."""

from typing import Final

HOME: Final = "index.md"
AGENTS: Final = "agents.md"
TOKENS: Final = "tokens.md"
_PICTURE: Final = '\n<figure class="tf-figure'
_PICTURE_END: Final = "</figure>"


def tool_page(stem: str) -> str:
    """The page of a tool, by the stem of its file."""
    return f"tools/{stem}.md"


def category_page(stem: str) -> str:
    """The page of a category, by the stem of its file."""
    return f"categories/{stem}.md"


def first_line(header: str) -> str:
    """The first line of a page, which says whose it is."""
    return f"<!-- {header} -->"


def without_pictures(page: str) -> str:
    """The page without its pictures, which repeat figures of the tables beside them."""
    parts, at = list[str](), 0
    while (start := page.find(_PICTURE, at)) >= 0:
        end = page.find(_PICTURE_END, start)
        if end < 0:
            break  # it is no picture of ours
        parts.append(page[at : start + 1])
        at = end + len(_PICTURE_END)
        while page.startswith("\n", at):
            at += 1
    return "".join([*parts, page[at:]])
