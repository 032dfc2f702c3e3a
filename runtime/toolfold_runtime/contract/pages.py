"""The generated pages: where each lies below the folder `docs` beside the package, and its text."""

import html
import re
from typing import Final

HOME: Final = "index.md"
AGENTS: Final = "agents.md"
TOKENS: Final = "tokens.md"
_PICTURE: Final = '\n<figure class="tf-figure'
_PICTURE_END: Final = "</figure>"
_FENCE: Final = re.compile(r" *(`{3,})")
_ANCHOR: Final = re.compile(r'<a id="[\w.-]*"></a>')
# Code spans are left alone; code in HTML and entities are not.
_PIECE: Final = re.compile(
    r"(?P<span>(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    r"|<code>(?P<code>.*?)</code>|(?P<entity>&(?:#\d+|amp|lt|gt|quot);)"
)
_MARKUP: Final = frozenset("\\`*_[]<>#|~&")
# At the start of a line these would begin a list, a rule or a heading of the line above.
_MARKUP_AT_START: Final = frozenset("+-=.)")


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


def as_markdown(page: str) -> str:
    """A page as an agent reads it: plain CommonMark, without pictures, HTML and entities.

    Pages are escaped by entities, which every renderer takes for text; here a backslash stands
    before what CommonMark would take for markup, and before nothing else.
    """
    lines, fence = list[str](), ""
    for line in without_pictures(page).split("\n"):
        mark = _FENCE.match(line)
        if mark and not fence:
            fence = mark[1]
        elif fence:
            fence = "" if line.strip() == fence else fence
        else:
            line = _PIECE.sub(_plain, _ANCHOR.sub("", line))
        lines.append(line)
    return "\n".join(lines)


def _plain(piece: re.Match[str]) -> str:
    if piece["span"]:
        return piece["span"]
    if piece["entity"]:
        return _character(html.unescape(piece["entity"]), piece.string[: piece.start()])
    return _code_span(html.unescape(piece["code"]), is_cell=piece.string.startswith("|"))


def _code_span(text: str, *, is_cell: bool) -> str:
    """Code as a span, fenced by more backticks than it holds."""
    longest = max(map(len, re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    padding = " " if text.startswith("`") or text.endswith("`") else ""
    shown = text.replace("|", "\\|") if is_cell else text
    return f"{fence}{padding}{shown}{padding}{fence}" if shown else ""


def _character(character: str, before: str) -> str:
    is_at_start = not before.strip(" |-0123456789")
    if character in _MARKUP or (is_at_start and character in _MARKUP_AT_START):
        return f"\\{character}"
    return character
