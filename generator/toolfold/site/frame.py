"""A page of the site as HTML: its text in the frame that all pages share."""

from dataclasses import dataclass
from functools import cached_property
from urllib.parse import quote

from toolfold.emit.render import render
from toolfold.plan.docs.site import shortened
from toolfold.plan.text.escape import html_text, json_text
from toolfold.site.markdown import Rendered, code_block, plain
from toolfold.site.navigation import HOME, Navigation, breakable, html_path, root_of
from toolfold.site.options import SiteOptions
from toolfold.site.theme import ICONS
from toolfold.site.tools import SiteTool

_MOST_INLINE = 20_000  # characters of a schema within a page


@dataclass(frozen=True)
class SitePage:
    """A page before it is framed."""

    #: Below the root of the site, as Markdown.
    path: str
    rendered: Rendered
    #: Where somebody can edit it, below the folder of the manifest; empty where it is generated.
    source: str = ""
    tool: SiteTool | None = None

    @property
    def kind(self) -> str:
        """What its looks depend on."""
        if self.tool:
            return "tool"
        if self.path.startswith("categories/"):
            return "category"
        return "home" if self.path == "index.md" else "page"


@dataclass(frozen=True)
class Frame:
    """What all pages of a site share."""

    options: SiteOptions
    navigation: Navigation
    logo: str = ""

    @cached_property
    def _site(self) -> dict[str, str]:
        return {
            "title": html_text(self.options.title),
            "logo": html_text(self.logo),
            "icon": html_text(self.logo or "assets/icon.svg"),
            "repository": html_text(self.options.repository or ""),
        }

    def page(self, page: SitePage) -> str:
        """The HTML of a page."""
        options, path = self.options, html_path(page.path)
        outline = [heading for heading in page.rendered.outline if heading.level in (2, 3)]
        values = {
            "root": root_of(path),
            "title": self._title(page),
            "description": html_text(_description(page) or options.description),
            "canonical": html_text(options.address(path)),
            "kind": page.kind,
            "tool": html_text(page.tool.name) if page.tool else "",
            "navigation": self.navigation.menu(path),
            "breadcrumb": self.navigation.breadcrumb(path),
            "body": page.rendered.html + (schemas(page.tool) if page.tool else ""),
            "outline": "".join(
                f'<li class="l{heading.level}"><a href="#{heading.id}">{_text(heading.html)}</a></li>\n'
                for heading in outline
            )
            if len(outline) > 1 and page.kind != "tool"
            else "",
            "neighbours": self.navigation.neighbours(path),
            "source": self._source(page),
        }
        return render("site/page.html.jinja", page=values, site=self._site, icons=ICONS)

    def missing(self) -> str:
        """The page that a server shows where there is none; it may be shown at any address."""
        options = self.options
        home = options.base_path
        values = {
            "root": html_text(home),
            "title": f"Not found - {html_text(options.title)}",
            "description": "There is no such page.",
            "canonical": "",
            "kind": "page",
            "tool": "",
            "navigation": self.navigation.menu("404.html").replace(
                'href="', f'href="{html_text(home)}'
            ),
            "breadcrumb": "",
            "body": (
                "<h1>There is no such page</h1>\n<p>It may have been renamed."
                f' <a href="{html_text(home)}{HOME}">Start here</a>, or search.</p>'
            ),
            "outline": "",
            "neighbours": "",
            "source": "",
        }
        return render("site/page.html.jinja", page=values, site=self._site, icons=ICONS)

    def _title(self, page: SitePage) -> str:
        title = html_text(self.options.title)
        if page.kind != "home":
            return f"{html_text(page.rendered.title)} - {title}"
        described = self.options.description
        return f"{title} - {html_text(described)}" if len(described) <= 70 else title

    def _source(self, page: SitePage) -> str:
        """Links to the page as Markdown, and to where it can be edited."""
        name = html_text(page.path.rpartition("/")[2])
        links = [f'<a href="{name}">This page as Markdown</a>']
        if page.source and self.options.edit_link:
            address = self.options.edit_link.replace("{path}", quote(page.source))
            links.append(f'<a href="{html_text(address)}">Edit this page</a>')
        return "".join(links)


def schemas(tool: SiteTool) -> str:
    """The schemas of a tool, folded; those that are large are a click away."""
    parts = ['<section class="s-schema">\n<h2 id="json-schema">JSON Schema</h2>\n']
    for word, schema in (("Parameters", tool.input_schema), ("Returns", tool.output_schema)):
        if schema is None:
            continue
        text = json_text(schema, indent=2)
        if len(text) > _MOST_INLINE:
            name = f"{tool.page.rpartition('/')[2].removesuffix('.md')}.json"
            parts.append(
                f'<p><a href="{html_text(name)}">{word}: {len(text) // 1024:,} kB of JSON</a></p>\n'
            )
        else:
            parts.append(
                f'<details class="schema"><summary>{word}</summary>{code_block("json", text)}</details>\n'
            )
    if tool.stub:
        block = code_block("python", tool.stub)
        words = "As a function in programs"
        parts.append(f'<details class="schema"><summary>{words}</summary>{block}</details>\n')
    return "".join([*parts, "</section>\n"])


def schema_file(tool: SiteTool) -> tuple[str, str] | None:
    """Path and text of a file with the schemas of a tool, where they are too large for its page."""
    both = {"inputSchema": tool.input_schema, "outputSchema": tool.output_schema}
    if all(
        schema is None or len(json_text(schema, indent=2)) <= _MOST_INLINE
        for schema in both.values()
    ):
        return None
    return tool.page.removesuffix(".md") + ".json", json_text(both, indent=2) + "\n"


def _description(page: SitePage) -> str:
    """What search engines show: the first words of the page."""
    if page.kind == "home":
        return ""  # that of the site
    if page.tool:
        return shortened(page.tool.summary)
    texts = (section.text for section in page.rendered.sections)
    return shortened(next((text for text in texts if text), ""))


def _text(heading: str) -> str:
    """The HTML of a heading without links, which would stand in a link."""
    return breakable(plain(heading))
