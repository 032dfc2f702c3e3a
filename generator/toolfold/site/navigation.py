"""The way around a site: its menu, where a page stands in it, and what comes before and after."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from toolfold.plan.text.escape import html_text
from toolfold.site.options import SiteOptions
from toolfold.site.own_pages import OwnPages
from toolfold.site.tools import SiteTool

HOME: Final = "index.html"
# The page that a section is named after; by itself the word says nothing.
_OVERVIEW: Final = "Overview"
#: With so few tools all of them are in the menu of every page, with more those of one category.
_FEW_TOOLS: Final = 60


class Entry(NamedTuple):
    """A page in the menu; a category's tools stand below it."""

    title: str
    #: As HTML, from the root of the site.
    page: str
    children: tuple["Entry", ...] = ()
    #: What it stands below in its group; a heading is shown above the first entry that has it.
    heading: str = ""


class Group(NamedTuple):
    """Pages below a title in the menu."""

    title: str
    entries: tuple[Entry, ...]


def html_path(page: str) -> str:
    """Where the HTML of a page of Markdown is."""
    return page.removesuffix(".md") + ".html"


def root_of(page: str) -> str:
    """What leads from a page to the root of the site."""
    return "../" * page.count("/")


@dataclass(frozen=True)
class Navigation:
    """The menu of a site."""

    groups: tuple[Group, ...]

    @cached_property
    def order(self) -> tuple[Entry, ...]:
        """Every page, as somebody would read them one after the other."""
        return tuple(_flat(entry for group in self.groups for entry in group.entries))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {entry.page: number for number, entry in enumerate(self.order)}

    @cached_property
    def _parents(self) -> dict[str, tuple[str, Entry | None]]:
        """By page, the title of its group and the entry that it stands below."""
        found: dict[str, tuple[str, Entry | None]] = {}
        for group in self.groups:
            for entry in group.entries:
                found.setdefault(entry.page, (group.title, None))
                for child in entry.children:
                    found.setdefault(child.page, (group.title, entry))
        return found

    @cached_property
    def _is_small(self) -> bool:
        return (
            sum(len(entry.children) for group in self.groups for entry in group.entries)
            <= _FEW_TOOLS
        )

    @cached_property
    def _menus(self) -> dict[tuple[str, str], str]:
        return {}

    def menu(self, page: str) -> str:
        """The menu as HTML, with the page marked and what is around it opened."""
        _, parent = self._parents.get(page, ("", None))
        opened = parent.page if parent else page
        key = (opened if not self._is_small else "", root_of(page))
        if key not in self._menus:
            self._menus[key] = "".join(
                self._group(group, opened, root_of(page)) for group in self.groups
            )
        here = f'href="{root_of(page)}{page}"'
        return self._menus[key].replace(here, f'{here} aria-current="page"', 1)

    def _group(self, group: Group, opened: str, root: str) -> str:
        title = f'<p class="group">{html_text(group.title)}</p>' if group.title else ""
        items, heading = [], ""
        for entry in group.entries:
            if entry.heading not in ("", heading):
                items.append(f'<li class="part">{html_text(entry.heading)}</li>\n')
            heading = entry.heading
            items.append(self._entry(entry, opened, root))
        return f"{title}<ul>{''.join(items)}</ul>\n"

    def _entry(self, entry: Entry, opened: str, root: str) -> str:
        count = f"<small>{len(entry.children):,}</small>" if entry.children else ""
        link = f'<a href="{root}{entry.page}">{html_text(entry.title)}{count}</a>'
        if not entry.children or not (self._is_small or entry.page == opened):
            return f"<li>{link}</li>\n"
        items = "".join(
            f'<li><a href="{root}{child.page}">{breakable(child.title)}</a></li>\n'
            for child in entry.children
        )
        return f'<li class="open">{link}<ul>{items}</ul></li>\n'

    def breadcrumb(self, page: str) -> str:
        """The pages above a page, as items of a list."""
        group, parent = self._parents.get(page, ("", None))
        if page == HOME or page not in self._parents:
            return ""
        root = root_of(page)
        items = [f'<li><a href="{root}{HOME}">Home</a></li>']
        items += [f"<li>{html_text(group)}</li>"] if group else []
        if parent:
            items.append(f'<li><a href="{root}{parent.page}">{html_text(parent.title)}</a></li>')
        return "".join(items)

    def neighbours(self, page: str) -> str:
        """Links to the pages before and after."""
        at = self._places.get(page)
        if at is None:
            return ""
        links = []
        if at > 0:
            links.append(self._neighbour(self.order[at - 1], page, "previous", "Previous"))
        if at + 1 < len(self.order):
            links.append(self._neighbour(self.order[at + 1], page, "next", "Next"))
        return (
            f'<nav class="neighbours" aria-label="Neighbours">{"".join(links)}</nav>'
            if links
            else ""
        )

    def _neighbour(self, entry: Entry, page: str, kind: str, word: str) -> str:
        title = self._parents[entry.page][0] if entry.title == _OVERVIEW else entry.title
        link = f"{root_of(page)}{entry.page}"
        return f'<a class="{kind}" href="{link}"><small>{word}</small>{breakable(title)}</a>'


def breakable(name: str) -> str:
    """A name as HTML that a narrow column breaks between words."""
    return re.sub(r"(?<=\w)([_.])(?=\w)", r"\1<wbr>", html_text(name))


def _flat(entries: Iterator[Entry] | Sequence[Entry]) -> Iterator[Entry]:
    for entry in entries:
        yield entry
        yield from _flat(entry.children)


def navigation_of(
    options: SiteOptions,
    own_pages: OwnPages,
    tools: Sequence[SiteTool],
    more: Sequence[tuple[str, str]],
) -> Navigation:
    """The menu: home, own pages, tools by category, and pages of reference."""
    groups = []
    alone = [Entry("Home", HOME)]
    for section in own_pages.sections:
        entries = [
            Entry(
                _OVERVIEW if page.title == section.title else page.title,
                html_path(page.path),
                heading=page.heading,
            )
            for page in section.pages
        ]
        if section.title:
            groups.append(Group(section.title, tuple(entries)))
        else:
            alone += [entry for entry in entries if entry.page != HOME]
    by_category: dict[str, list[Entry]] = defaultdict(list)
    for tool in tools:
        by_category[tool.category].append(Entry(tool.name, html_path(tool.page)))
    categories = tuple(
        Entry(title, html_path(page), tuple(by_category[name]))
        for name, title, page in options.categories
    )
    reference = tuple(Entry(title, html_path(page)) for page, title in [*options.reference, *more])
    groups = [Group("", tuple(alone)), *groups]
    groups += [Group("Tools", categories)] if categories else []
    groups += [Group("Reference", reference)] if reference else []
    return Navigation(tuple(groups))
