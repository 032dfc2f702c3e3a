"""A Markdown extension for the site builder: everything but headings is rendered by pulldown-cmark.

Our pages are plain CommonMark with tables. Rendered in Rust they cost a hundredth of what the
builder's own renderer in Python costs; headings stay with it, so that it knows the outline.
"""

import html
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final

from markdown import Extension, Markdown
from markdown.preprocessors import Preprocessor

_HEADING: Final = re.compile(r"#{1,3} ")
_FENCE: Final = re.compile(r"`{3,}")
_PAGE_LINK: Final = re.compile(r'(<a href="(?:\.\./)?(?:[\w-]+/)?[\w.-]+)\.md(#[\w.-]+)?"')
_CODE: Final = re.compile(
    r'<pre><code class="language-(json|python|console|text)">(.*?)</code></pre>', re.DOTALL
)
# After line ends are made alike, at 30, and before anything looks for markup, at 25 and below.
_PRIORITY: Final = 29


class PlainPages(Extension):
    """Renders pages as toolfold writes them."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802 - the library's name
        """Take the text before any other part of the renderer looks for markup."""
        md.preprocessors.register(_Renderer(md), "toolfold", _PRIORITY)


def makeExtension(**options: object) -> PlainPages:  # noqa: N802 - the library's name
    """What the renderer calls to get the extension."""
    return PlainPages(**options)


class _Renderer(Preprocessor):
    def run(self, lines: list[str]) -> list[str]:
        """Headings as they are, and a placeholder for the HTML of each part between them."""
        output: list[str] = []
        for is_heading, text in parts("\n".join(lines)):
            if text.strip():
                output += [text if is_heading else self.md.htmlStash.store(rendered(text)), ""]
        return output


def parts(page: str) -> Iterator[tuple[bool, str]]:
    """The headings of a page and the parts between them, in order; whether each is a heading."""
    between: list[str] = []
    fence = ""
    for line in page.split("\n"):
        opening = _FENCE.match(line)
        if opening and not fence:
            fence = opening.group()
        elif opening and line == fence:
            fence = ""
        elif not fence and _HEADING.match(line):
            yield False, "\n".join(between)
            between = []
            yield True, line
            continue
        between.append(line)
    yield False, "\n".join(between)


def rendered(text: str) -> str:
    """The HTML of a part between headings; links to Markdown pages lead to their HTML."""
    page: str = _renderer().html(text)
    return _CODE.sub(_highlighted, _PAGE_LINK.sub(r'\1.html\2"', page))


@cache
def _renderer() -> Any:
    import pyromark

    return pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES)


def _highlighted(block: re.Match[str]) -> str:
    language, code = block.groups()
    if language in ("json", "python"):
        code = _coloured(language, html.unescape(code))
    return f'<div class="language-{language} highlight"><pre><code>{code}</code></pre></div>'


def _coloured(language: str, code: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter

    coloured: str = highlight(code, _lexer(language), HtmlFormatter(nowrap=True))
    return coloured


@cache
def _lexer(language: str) -> Any:
    from pygments.lexers import get_lexer_by_name

    return get_lexer_by_name(language)
