"""What search finds: one entry per tool, and one per section of every other page."""

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final

from toolfold.plan.text.escape import json_text, one_line
from toolfold.site.markdown import Rendered
from toolfold.site.navigation import html_path
from toolfold.site.tools import SiteTool

_LONGEST_TEXT: Final = 400
_SHOWN: Final = 140
_FEW: Final = 5  # so many tools may share a summary
_LISTS: Final = ("index.html", "tokens.html")


def search_index(
    tools: Iterable[SiteTool], titles: Mapping[str, str], others: Mapping[str, Rendered]
) -> str:
    """A script that hands the index over: a page on a disk may not read other files.

    `titles` has those of categories, `others` the pages that are not about one tool.
    """
    tools = list(tools)
    common = {
        one for one, number in Counter(tool.summary for tool in tools).items() if number > _FEW
    }
    found = [_tool(tool, titles, common) for tool in tools]
    entries = [*found, *_sections(others, has_tools=bool(found))]
    # JSON is JavaScript, and what would end a script element is in no string.
    rows = ",\n".join(json_text(entry).replace("</", "<\\/") for entry in entries)
    return f"toolfoldIndex([\n{rows}\n]);\n"


def _tool(tool: SiteTool, titles: Mapping[str, str], common: Container[str]) -> Sequence[str]:
    """What many tools begin with tells none of them: what follows it is shown instead."""
    summary, description = tool.summary, one_line(tool.description.removeprefix(tool.summary))
    if summary in common and (rest := description.lstrip(".: ")) and rest != summary:
        summary, description = rest[:_SHOWN], f"{summary} {rest[_SHOWN:]}"
    return (
        tool.name,
        html_path(tool.page),
        titles.get(tool.category, tool.category),
        tool.effect,
        one_line(summary),
        description[:_LONGEST_TEXT],
        " ".join(tool.parameters),
    )


def _sections(others: Mapping[str, Rendered], *, has_tools: bool) -> Iterator[Sequence[str]]:
    """An entry per section; of pages that only list tools, which have entries, one for the page."""
    for page, rendered in others.items():
        only_lists = has_tools and (page in _LISTS or page.startswith("categories/"))
        for section in rendered.sections[: 1 if only_lists else None]:
            if not section.id and not section.text:
                continue
            title = section.title or rendered.title
            kind = rendered.title if section.id else "Page"
            address = f"{page}#{section.id}" if section.id else page
            text = section.text[:_LONGEST_TEXT]
            yield title, address, kind, "", text[:_SHOWN], text[_SHOWN:], ""
