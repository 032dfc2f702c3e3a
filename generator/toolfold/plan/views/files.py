"""Views as the catalog holds them: a line per page, of all tools and of each category.

Those whose every part was seen before are kept.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolfold.manifest.schema import Manifest
from toolfold.plan.budgets import budget_of
from toolfold.plan.escape import json_text
from toolfold.plan.kept import Kept, Texts
from toolfold.plan.keys import content_key
from toolfold.plan.meta_tools import DETAILS
from toolfold.plan.model import Cost, ToolPlan
from toolfold.plan.views.cut import Page, view
from toolfold.plan.views.forms import Ask, units_of
from toolfold.plan.views.lines import Inventory

_BUDGETS: Final = {"overview": "overview", "hot": "hot"}
_OF_A_CATEGORY: Final = ("names", "summaries", "full")


@dataclass(frozen=True)
class Views:
    """Lines of a file, and what the pages among them cost in the format that is usually asked for."""

    lines: str
    costs: tuple[Cost, ...]


def catalog_views(manifest: Manifest, inventory: Inventory, kept: Kept | None) -> list[Views]:
    """The views of all tools, by detail."""
    names = [[category.name, category.tools] for category in inventory.categories]

    def key_of(detail: str, shared: str) -> str:
        units = units_of(inventory, detail, "")
        return content_key("view", shared, detail, names, units)

    def made(detail: str) -> Views:
        pages = list(_pages(manifest, inventory, detail, ""))
        budget = _BUDGETS.get(detail, "category")
        costs = (Cost(f"{detail}{_number(p)}", p.tokens, budget) for p in _usual(manifest, pages))
        return Views("\n".join(map(page_line, pages)), tuple(costs))

    keys = {detail: key_of(detail, kept.shared) for detail in DETAILS} if kept else {}
    return list(_kept(kept, keys, DETAILS, made).values())


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
        pages = [p for d in _OF_A_CATEGORY for p in _pages(manifest, inventory, d, name)]
        usual = [p for p in _usual(manifest, pages) if p.ask.detail == "summaries"]
        costs = (Cost(f"category {name}{_number(p)}", p.tokens, "category") for p in usual)
        lines = [*map(page_line, pages), *(own.line for own in texts.of(members[name]))]
        return Views("\n".join(lines), tuple(costs))

    def key_of(name: str, shared: str) -> str:
        return content_key("category", shared, name, [tool.key for tool in members[name]])

    keys = {name: key_of(name, kept.shared) for name in members} if kept else {}
    return _kept(kept, keys, list(members), made)


def page_line(page: Page) -> str:
    """A page as a line of the catalog."""
    ask = page.ask
    return json_text(
        {
            "view": f"{ask.detail} {ask.format} {ask.page}",
            "pages": ask.pages,
            "tokens": page.tokens,
            "text": page.text,
        }
    )


def _pages(manifest: Manifest, inventory: Inventory, detail: str, category: str) -> Iterator[Page]:
    budget = budget_of(manifest, _BUDGETS.get(detail, "category"))
    for form in ("json", "text"):
        yield from view(inventory, Ask(detail, category, form), budget)


def _usual(manifest: Manifest, pages: Sequence[Page]) -> list[Page]:
    return [page for page in pages if page.ask.format == manifest.disclosure.format]


def _number(page: Page) -> str:
    return f" {page.ask.page}/{page.ask.pages}" if page.ask.pages > 1 else ""


def _kept(
    kept: Kept | None, keys: Mapping[str, str], names: Sequence[str], make: Callable[[str], Views]
) -> dict[str, Views]:
    """The views of each name: those of an earlier run, or made now and kept."""
    known = kept.store.get(keys.values()) if kept else {}
    found = {}
    fresh = {}
    for name in names:
        text = known.get(keys.get(name, ""))
        if text is not None:
            costs, _, lines = text.partition("\n")
            found[name] = Views(lines, tuple(Cost(*cost) for cost in json.loads(costs)))
            continue
        found[name] = made = make(name)
        if kept:
            costs = json.dumps(made.costs)
            fresh[keys[name]] = f"{costs}\n{made.lines}"
    if kept:
        kept.store.put(fresh)
    return found
