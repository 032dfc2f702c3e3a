"""A page of Markdown as HTML, with its title, its outline and what search finds it by.

Pages are CommonMark with tables, rendered in Rust. On top of that, three things that read well as
plain Markdown look better here: a list of fields becomes a reference whose nested fields fold;
blocks of code below titles, which are paragraphs in bold or `title="…"`, become tabs where several
follow each other; and words of effect become badges.
"""

import html
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.pages import as_markdown

from toolfold.site.colour import coloured
from toolfold.site.own_html import own_html, own_markdown
from toolfold.site.tables import responsive

_HEADING: Final = re.compile(r"(#{1,4}) +(.*?)(?: +#+)? *$")
_FENCE: Final = re.compile(r"(`{3,}|~{3,})(.*)$")
# Text that ends with a paragraph in bold, and nothing else in it.
_BOLD: Final = re.compile(r"(.*\n\n|\n*)\*\*([^*\n]+)\*\*\s*", re.DOTALL)
_TITLE: Final = re.compile(r'\btitle="([^"]*)"')
_PAGE_LINK: Final = re.compile(r'(<a href="(?![a-z][a-z0-9+.-]*:|//)[^"#?]*)\.md(#[^"]*)?"')
_TAG: Final = re.compile(r"<[^>]*>")
_NO_TEXT: Final = re.compile(r"<(table|figure|svg)\b.*?</\1>", re.DOTALL)
_CODE: Final = re.compile(
    r'<pre><code(?: class="language-([\w+-]+)")?>(.*?)</code></pre>', re.DOTALL
)
_BADGE: Final = re.compile(
    r"<code>(read|write|destructive|unspecified|hot|warm|standard|cold)</code>"
)
_LIST: Final = re.compile(
    r'(</?ul>)(?=(\n<li>\n?(?:<p>)?<strong><code>)?(\n<li>\n?(?:<p>)?<a href="(?:\.\./)?(?:tools|categories)/)?)'
)
_LIST_TAG: Final = re.compile(r"</?[uo]l\b[^>]*>|<li>")
_INSTALL: Final = re.compile(r'<a href="((?:cursor:|vscode:)[^"]*)"')


class Heading(NamedTuple):
    """A heading below the title: its level, its address, and its HTML."""

    level: int
    id: str
    html: str


class Section(NamedTuple):
    """A part of a page as search finds it: the heading above it, and its plain text."""

    id: str
    title: str
    text: str


class Rendered(NamedTuple):
    """A page that is ready to be put into the frame of a site."""

    #: The title as plain text; empty where the page has none.
    title: str
    html: str
    outline: tuple[Heading, ...]
    sections: tuple[Section, ...]


class Block(NamedTuple):
    """A piece of a page: a heading (`level` from 1), a block of code, or Markdown between."""

    kind: str
    text: str
    level: int = 0
    #: What stands behind the mark that opens a block of code.
    info: str = ""


def rendered_page(page: str, *, is_own: bool = False) -> Rendered:
    """The HTML of a page; where it `is_own`, somebody wrote it, and its tags are shown as text."""
    writer = _Writer(is_own)
    for block in blocks(page):
        writer.add(block)
    return writer.page()


def for_agents(page: str, *, is_own: bool = False) -> str:
    """A page as agents read it: Markdown without HTML, pictures drawn in it, and entities."""
    return as_markdown(own_markdown(_renderer(), page) if is_own else page)


def blocks(page: str) -> Iterator[Block]:
    """A page cut into headings, blocks of code at the margin, and what is between them."""
    between: list[str] = []
    lines = iter(page.split("\n"))
    for line in lines:
        heading = _HEADING.match(line) if line.startswith("#") else None
        fence = _FENCE.match(line) if line[:3] in ("```", "~~~") else None
        if not heading and not fence:
            between.append(line)
            continue
        if any(between):
            yield Block("text", "\n".join(between))
        between = []
        if heading:
            yield Block("heading", heading[2], len(heading[1]))
        elif fence:
            yield Block("code", "\n".join(_until(lines, fence[1])), info=fence[2].strip())
    if any(between):
        yield Block("text", "\n".join(between))


def _until(lines: Iterator[str], fence: str) -> Iterator[str]:
    """The lines up to the one that closes a block of code."""
    for line in lines:
        if line.startswith(fence) and not line.strip(fence[0] + " "):
            return
        yield line


def slug(text: str) -> str:
    """The address of a heading, by its plain text."""
    return re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", text).strip().lower()) or "section"


class _Writer:
    """Puts the HTML of a page together."""

    def __init__(self, is_own: bool) -> None:
        self._is_own = is_own
        self._title = ""
        self._parts: list[str] = []
        self._outline: list[Heading] = []
        self._sections: list[tuple[str, str, int]] = [("", "", 0)]
        self._ids: set[str] = set()
        self._code: list[tuple[str, Block]] = []
        #: A title that waits for its block of code, as Markdown.
        self._waiting = ""
        self._groups = 0
        self._is_open = False

    def add(self, block: Block) -> None:
        """Add a block; those of code wait for others with titles, which they are tabs with."""
        if block.kind == "code":
            self._add_code(block)
            return
        titled = _BOLD.fullmatch(block.text) if block.kind == "text" else None
        if not titled or self._waiting or titled[1].strip():
            self._flush()
        if block.kind == "heading":
            self._heading(block)
        elif titled:
            self._add_text(titled[1])
            self._waiting = titled[2]
        else:
            self._add_text(block.text)

    def _add_text(self, text: str) -> None:
        if text.strip():
            self._parts.append(rendered(text, is_own=self._is_own))

    def _add_code(self, block: Block) -> None:
        found = _TITLE.search(block.info)
        title = (
            self._inline(self._waiting) if self._waiting else html.escape(found[1] if found else "")
        )
        self._waiting = ""
        if title:
            self._code.append((title, block))
            return
        self._flush()
        self._parts.append(_code(block))

    def page(self) -> Rendered:
        """The whole page."""
        self._flush()
        self._parts.append("</section>\n" if self._is_open else "")
        ends = [start for _, _, start in self._sections[1:]] + [len(self._parts)]
        sections = [
            Section(id_, title, plain("".join(self._parts[start:end])))
            for (id_, title, start), end in zip(self._sections, ends, strict=True)
        ]
        body = "".join(self._parts)
        return Rendered(self._title, body, tuple(self._outline), tuple(sections))

    def _heading(self, block: Block) -> None:
        inner = self._inline(block.text)
        title = html.unescape(_TAG.sub("", inner))
        if block.level == 1 and not self._title:
            self._title = title
            self._parts.append(f"<h1>{inner}</h1>\n")
            return
        id_ = self._id(slug(title))
        if block.level <= 2:
            self._parts.append("</section>\n" if self._is_open else "")
            self._parts.append(f'<section class="s-{id_}">\n')
            self._is_open = True
        self._sections.append((id_, title, len(self._parts) + 1))
        link = f'<a class="anchor" href="#{id_}" aria-hidden="true" tabindex="-1">#</a>'
        self._parts.append(f'<h{block.level} id="{id_}">{inner}{link}</h{block.level}>\n')
        self._outline.append(Heading(block.level, id_, inner))

    def _inline(self, text: str) -> str:
        """The HTML within a heading."""
        page = _html(f"# {text}", is_own=self._is_own)
        return _links(page.strip().removeprefix("<h1>").removesuffix("</h1>"))

    def _id(self, wanted: str) -> str:
        id_, number = wanted, 1
        while id_ in self._ids:
            id_, number = f"{wanted}_{number}", number + 1
        self._ids.add(id_)
        return id_

    def _flush(self) -> None:
        """Write the blocks of code that were waiting: as tabs where there are several."""
        waiting, self._code = self._code, []
        if len(waiting) == 1:
            ((title, block),) = waiting
            self._parts.append(f'<p class="caption">{title}</p>\n{_code(block)}')
        elif waiting:
            self._groups += 1
            self._parts.append(_tabs(f"tabs{self._groups}", waiting))
        if self._waiting:
            self._parts.append(rendered(f"**{self._waiting}**", is_own=self._is_own))
            self._waiting = ""


def _tabs(group: str, waiting: list[tuple[str, Block]]) -> str:
    """Blocks of code as tabs that need no script: each is chosen by a radio button."""
    parts = ['<div class="tabs" role="group" aria-label="The same in several ways">\n']
    for number, (title, block) in enumerate(waiting):
        id_, checked = f"{group}-{number}", " checked" if number == 0 else ""
        parts.append(
            f'<input type="radio" name="{group}" id="{id_}"{checked}>'
            f'<label for="{id_}">{title}</label>\n<div class="panel">{_code(block)}</div>\n'
        )
    return "".join([*parts, "</div>\n"])


def _code(block: Block) -> str:
    language = block.info.split(" ")[0] if block.info else "text"
    return code_block(language, block.text)


def code_block(language: str, code: str) -> str:
    """A block of code as HTML; what may have to be scrolled can be reached by keyboard."""
    name = html.escape(language)
    return (
        f'<div class="code {name}"><pre tabindex="0"><code>{coloured(language, code)}\n'
        "</code></pre></div>\n"
    )


def rendered(text: str, *, is_own: bool = False) -> str:
    """The HTML of Markdown without headings of its own; links to pages lead to their HTML."""
    page = _html(text, is_own=is_own)
    if "<pre>" in page:
        page = _CODE.sub(
            lambda match: code_block(match[1] or "text", html.unescape(match[2]).rstrip("\n")), page
        )
    if "<table>" in page:
        page = responsive(page)
    return _with_fields(_INSTALL.sub(r'<a class="install" href="\1"', _links(page)))


def plain(page: str) -> str:
    """The text of some HTML, without tables, pictures and marks."""
    return html.unescape(re.sub(r"\s+", " ", _TAG.sub(" ", _NO_TEXT.sub(" ", page)))).strip()


def _html(text: str, *, is_own: bool) -> str:
    page: str = own_html(_renderer(), text) if is_own else _renderer().html(text)
    return page


def _links(page: str) -> str:
    page = _PAGE_LINK.sub(r'\1.html\2"', page)
    return _BADGE.sub(r'<span class="badge \1">\1</span>', page)


def _with_fields(page: str) -> str:
    """Lists whose items begin with a name in bold are fields; those within others fold."""
    closers: list[str] = []

    def replaced(tag: re.Match[str]) -> str:
        if tag[1] == "</ul>":
            return closers.pop() if closers else tag[1]
        if tag[2] is None:
            closers.append("</ul>")
            return '<ul class="tools">' if tag[3] else tag[1]
        is_nested = any(closer != "</ul>" for closer in closers)
        closers.append("</ul></details>" if is_nested else "</ul><!---->")
        if not is_nested:
            return '<ul class="fields">'
        count = _item_count(page, tag.end())
        summary = f"{count} field{'s' if count > 1 else ''}"
        return f'<details class="nested"><summary>{summary}</summary><ul class="fields">'

    return _LIST.sub(replaced, page).replace("<!---->", "") if "<ul>" in page else page


def _item_count(page: str, start: int) -> int:
    """How many items the list has that begins at `start`, without those of lists within it."""
    count = depth = 0
    for tag in _LIST_TAG.finditer(page, start):
        if tag[0] == "<li>":
            count += depth == 0
        elif not tag[0].startswith("</"):
            depth += 1
        elif depth == 0:
            break
        else:
            depth -= 1
    return count


@cache
def _renderer() -> Any:
    import pyromark

    options = pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH
    return pyromark.Markdown(options=options)
