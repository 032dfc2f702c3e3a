"""Every file of a site: pages as HTML and as Markdown, the texts for agents, and what all share."""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote

from toolfold_runtime.catalog.catalog import Catalog

from toolfold.disk import read_file
from toolfold.errors import UsageError
from toolfold.plan.docs.llms import full_text
from toolfold.plan.text.escape import html_text
from toolfold.plan.text.header import MARK
from toolfold.site.catalog import catalog_json
from toolfold.site.frame import Frame, SitePage, schema_file
from toolfold.site.markdown import Rendered, for_agents, rendered_page
from toolfold.site.navigation import html_path, navigation_of
from toolfold.site.options import SiteOptions, read_options
from toolfold.site.own_pages import PICTURES, OwnPages, links_of, read_own_pages
from toolfold.site.search_index import search_index
from toolfold.site.theme import theme_files
from toolfold.site.tools import SiteTool, catalogs_of, site_tools

_PICTURE_TYPES: Final = (".svg", ".png", ".webp", ".ico")
_MOST_BYTES: Final = 2_000_000
_MORE_LINKS: Final = (
    "\n## More\n\n- [Every page in one text](llms-full.txt)\n"
    "- [Every tool with its schemas, as JSON](catalog.json)\n"
)


@dataclass(frozen=True)
class SiteSources:
    """What a site is made of."""

    #: Where own pages and the logo lie.
    folder: Path
    options: SiteOptions
    #: The Markdown of every page, by its path below the root of the site.
    pages: Mapping[str, str]
    own_pages: OwnPages = field(default_factory=OwnPages)
    tools: Sequence[SiteTool] = ()
    catalogs: Sequence[Catalog] = ()
    #: Path and title of pages that are asked for.
    more: Sequence[tuple[str, str]] = ()
    #: `llms.txt`, where there is a generated one.
    index: str = ""
    #: What has no page: by path below the root.
    extra: Mapping[str, str | bytes] = field(default_factory=dict)

    def at(self, url: str | None) -> "SiteSources":
        """The same, published at an address; UsageError where it is none."""
        if url is None:
            return self
        if not re.fullmatch(r"https?://[^\s<>\"'/]+(/[^\s<>\"']*)?", url):
            raise UsageError(f"--url: {url}: not an http or https address")
        return replace(self, options=replace(self.options, url=url))


def project_sources(
    folder: Path, output: Path, more: Mapping[str, str] | None = None
) -> SiteSources:
    """The docs that were generated below `output`, with `more` pages by their titles.

    `folder` is that of the manifest. Raises UsageError where there are no docs, and where a page
    of one's own is not there or has the path of another.
    """
    options = read_options(output)
    docs = _generated_docs(output)
    index = docs.pop("llms.txt", "")
    added = {f"{title.lower()}.md": _without_header(text) for title, text in (more or {}).items()}
    own_pages = read_own_pages(folder, options.pages)
    catalogs = catalogs_of(output)
    return SiteSources(
        folder,
        options,
        _all_pages(docs | added, own_pages),
        own_pages,
        site_tools(catalogs),
        catalogs,
        [(f"{title.lower()}.md", title) for title in more or {}],
        index,
    )


def _all_pages(generated: Mapping[str, str], own_pages: OwnPages) -> dict[str, str]:
    pages = dict(generated)
    for page in own_pages.pages:
        if page.path in pages:
            raise UsageError(f"site.pages: {page.source}: {page.path} is a page already; rename it")
        pages[page.path] = page.text
    return pages


def _generated_docs(output: Path) -> dict[str, str]:
    """The generated files of the docs, known by their first line, without it."""
    docs = {}
    for path in sorted((output / "docs").rglob("*")):
        if path.is_file() and not path.is_symlink() and path.suffix in (".md", ".txt"):
            text = path.read_text(encoding="utf-8", errors="replace")
            if MARK in text.partition("\n")[0]:
                docs[path.relative_to(output / "docs").as_posix()] = _without_header(text)
    return docs


def _without_header(page: str) -> str:
    """A page less the line that says who generated it."""
    return page.partition("\n")[2].lstrip("\n")


def site_files(sources: SiteSources) -> dict[str, str | bytes]:
    """Every file by its path; UsageError where one of one's own has the path of another."""
    files: dict[str, str | bytes] = {}
    for path, content in _files(sources):
        if path in files:
            raise UsageError(f"site.pages: {path} is a file of the site already; rename yours")
        files[path] = content
    return files


def _files(sources: SiteSources) -> Iterator[tuple[str, str | bytes]]:
    options = sources.options
    logo = _logo(sources)
    navigation = navigation_of(options, sources.own_pages, sources.tools, sources.more)
    frame = Frame(options, navigation, logo[0] if logo else "")
    by_page = {tool.page: tool for tool in sources.tools}
    edited = {page.path: page.source for page in sources.own_pages.pages}
    others: dict[str, Rendered] = {}
    plain: dict[str, str] = {}
    for path, text in sources.pages.items():
        tool = by_page.get(path)
        rendered = rendered_page(text, is_own=path in edited)
        if tool is None:
            others[html_path(path)] = rendered
        yield html_path(path), frame.page(SitePage(path, rendered, edited.get(path, ""), tool))
        plain[path] = for_agents(text, is_own=path in edited)
        yield path, plain[path]
    _refuse_broken_links(sources)
    titles = {name: title for name, title, _ in options.categories}
    yield "assets/search-index.js", search_index(sources.tools, titles, others)
    yield "404.html", frame.missing()
    yield from theme_files(options.color)
    yield from _pictures(sources, logo)
    yield from _for_agents(sources, plain)
    if options.url:
        yield "sitemap.xml", _sitemap(options, [html_path(path) for path in sources.pages])
    yield from filter(None, map(schema_file, sources.tools))
    yield from sources.extra.items()


def _refuse_broken_links(sources: SiteSources) -> None:
    """UsageError for the first link of an own page that leads to no page or picture of the site."""
    pictures = {place for place, _ in sources.own_pages.pictures}
    for page in sources.own_pages.pages:
        for link in links_of(page.text):
            target = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), link))
            is_there = target in sources.pages or target in pictures
            if not is_there and (link.endswith(".md") or target.endswith(PICTURES)):
                raise UsageError(f"{page.source}: a link to {link}, which is no page of the site")


def _logo(sources: SiteSources) -> tuple[str, Path] | None:
    """Where the logo is in the site, and on disk."""
    logo = sources.options.logo
    if logo is None:
        return None
    path = sources.folder / logo
    suffix = PurePosixPath(logo).suffix.lower()
    is_below = path.resolve().is_relative_to(sources.folder.resolve())
    if suffix not in _PICTURE_TYPES or not path.is_file() or not is_below:
        kinds = ", ".join(kind[1:] for kind in _PICTURE_TYPES)
        raise UsageError(f"site.logo: {logo}: no picture below {sources.folder}/ ({kinds})")
    return f"assets/logo{suffix}", path


def _pictures(
    sources: SiteSources, logo: tuple[str, Path] | None
) -> Iterator[tuple[str, str | bytes]]:
    for name, path in [*sources.own_pages.pictures, *([logo] if logo else [])]:
        yield name, read_file(path, _MOST_BYTES)


def _for_agents(
    sources: SiteSources, pages: Mapping[str, str]
) -> Iterator[tuple[str, str | bytes]]:
    """The index, as many `pages` of Markdown as a budget holds, and the catalog."""
    yield "llms-full.txt", full_text(pages)
    if sources.catalogs:
        yield "llms.txt", for_agents(sources.index) + _own_links(sources.own_pages) + _MORE_LINKS
        yield "catalog.json", catalog_json(sources.catalogs)
    else:
        options = sources.options
        head = f"# {options.title}\n\n> {options.description}\n"
        yield "llms.txt", head + _own_links(sources.own_pages)


def _own_links(own_pages: OwnPages) -> str:
    lines = [f"- [{page.title}]({quote(page.path)})" for page in own_pages.pages]
    return "\n## Pages\n\n" + "\n".join(lines) + "\n" if lines else ""


def _sitemap(options: SiteOptions, pages: Sequence[str]) -> str:
    places = "".join(
        f"<url><loc>{html_text(options.address(page))}</loc></url>\n" for page in pages
    )
    head = '<?xml version="1.0" encoding="utf-8"?>\n'
    return (
        f'{head}<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{places}</urlset>\n'
    )
