"""Views as the catalog holds them: a line per page, of all tools and of each category.

Those whose every part was seen before are kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.view import ViewPage, view_key
from toolfold_runtime.contract.vocabulary import CATEGORY_DETAILS, DETAILS, FORMATS, Detail

from toolfold.manifest.schema import Manifest
from toolfold.memo.keys import content_key
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.inventory import Inventory
from toolfold.plan.disclosure.paginate import Page, view
from toolfold.plan.disclosure.render import Ask, units_of
from toolfold.plan.kept import Kept, Texts
from toolfold.plan.model import Cost, ToolPlan
from toolfold.plan.text.escape import json_text

Name = TypeVar("Name", bound=str)

_BUDGETS: Final = {"overview": "overview", "hot": "hot"}


@dataclass(frozen=True)
class Views:
    """Lines of a file, and what the pages among them cost in the format that is usually asked for."""

    lines: str
    costs: tuple[Cost, ...]


def catalog_views(manifest: Manifest, inventory: Inventory, kept: Kept | None) -> list[Views]:
    """The views of all tools, by detail."""
    names = [[category.name, category.tools] for category in inventory.categories]

    def made(detail: Detail) -> Views:
        pages = list(_pages(manifest, inventory, detail, ""))
        budget = _BUDGETS.get(detail, "category")
        costs = (Cost(f"{detail}{_number(p)}", p.tokens, budget) for p in _usual(manifest, pages))
        return Views("\n".join(map(page_line, pages)), tuple(costs))

    shown = {detail: [names, units_of(inventory, detail, "")] for detail in DETAILS}
    return list(_kept(kept, "view", shown, made).values())


def category_views(
    manifest: Manifest,
    inventory: Inventory,
    tools: Sequence[ToolPlan],
    texts: Texts,
    kept: Kept | None,
) -> dict[str, Views]:
    """For each category its views, and a line per tool."""
    members: dict[str, list[ToolPlan]] = {c.name: [] for c in inventory.categories}
    for tool in tools:
        members[tool.category].append(tool)

    def made(name: str) -> Views:
        pages = [p for d in CATEGORY_DETAILS for p in _pages(manifest, inventory, d, name)]
        usual = [p for p in _usual(manifest, pages) if p.ask.detail == "summaries"]
        costs = (Cost(f"category {name}{_number(p)}", p.tokens, "category") for p in usual)
        lines = [*map(page_line, pages), *(own.line for own in texts.of(members[name]))]
        return Views("\n".join(lines), tuple(costs))

    shown = {name: [tool.key for tool in own] for name, own in members.items()}
    return _kept(kept, "category", shown, made)


def page_line(page: Page, detail: str = "") -> str:
    """A page as a line of the catalog, under its own detail or another name."""
    ask = page.ask
    key = view_key(detail or ask.detail, ask.format, ask.page)
    return json_text(encode(ViewPage(key, ask.pages, page.tokens, page.text)))


def _pages(
    manifest: Manifest, inventory: Inventory, detail: Detail, category: str
) -> Iterator[Page]:
    budget = budget_of(manifest, _BUDGETS.get(detail, "category"))
    for form in FORMATS:
        yield from view(inventory, Ask(detail, category, form), budget)


def _usual(manifest: Manifest, pages: Sequence[Page]) -> list[Page]:
    return [page for page in pages if page.ask.format == manifest.disclosure.format]


def _number(page: Page) -> str:
    return f" {page.ask.page}/{page.ask.pages}" if page.ask.pages > 1 else ""


def _kept(
    kept: Kept | None, kind: str, shown: Mapping[Name, Any], make: Callable[[Name], Views]
) -> dict[Name, Views]:
    """The views of each name: those of the last run where they show the same, or made now."""
    if kept is None:
        return {name: make(name) for name in shown}
    keys = {f"{kind} {name}": content_key(kept.shared, seen) for name, seen in shown.items()}
    known = kept.last(keys)
    views = {name: _read(known.get(f"{kind} {name}")) or make(name) for name in shown}
    rows = {f"{kind} {name}": own for name, own in views.items()}
    kept.keep_last(keys, {row: _written(own) for row, own in rows.items() if row not in known})
    return views


def _written(views: Views) -> str:
    return f"{json.dumps(views.costs)}\n{views.lines}"


def _read(text: str | None) -> Views | None:
    if text is None:
        return None
    costs, _, lines = text.partition("\n")
    return Views(lines, tuple(Cost(*cost) for cost in json.loads(costs)))
