"""The views of a catalog: of all tools and of each category, as sources, lines and costs."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.view import ViewPage, view_key
from toolfold_runtime.contract.vocabulary import CATEGORY_DETAILS, DETAILS, FORMATS, Detail

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.inventory import Inventory, ToolLine
from toolfold.plan.disclosure.measured import duration, figures
from toolfold.plan.disclosure.paginate import InventoryPage, ViewSource
from toolfold.plan.disclosure.render import Lines
from toolfold.plan.disclosure.view_request import ViewRequest
from toolfold.plan.model import Cost, MetaToolPlan, ToolPlan
from toolfold.plan.text.escape import json_text

#: Pages of every view by the name of its source.
Views = Mapping[str, Sequence[InventoryPage]]

_BUDGETS: Final = {"overview": "overview", "hot": "hot"}
# What a view shows of a tool beside its name and category: an edit of the rest leaves it as it is.
_FIELDS: Final[dict[str, tuple[str, ...]]] = {
    "names": ("deprecated",),
    "summaries": ("deprecated", "summary", "example"),
    "full": ("deprecated", "summary", "example", "signature", "call", "effect", "tags"),
    "hot": ("deprecated", "summary", "call", "figures"),
}
# Whoever asks for one category sees more of its tools.
_CATEGORY_FIELDS: Final = {"summaries": (*_FIELDS["summaries"], "returns", "latency")}


def view_sources(manifest: Manifest, inventory: Inventory) -> dict[str, ViewSource]:
    """Every view to be written, by a name of its own."""
    sources = {}
    for category, detail in _all_views(inventory):
        lines = lines_of(inventory, detail, category)
        budget = budget_of(manifest, _budget_name(detail))
        for form in FORMATS:
            request = ViewRequest(detail, category, form)
            sources[_name(category, detail, form)] = ViewSource(request, lines, budget)
    return sources


def lines_of(inventory: Inventory, detail: str, category: str = "") -> Lines:
    """The lines of a view: categories, or tools with only the fields that it shows."""
    if detail not in _FIELDS:
        return inventory.categories
    if detail == "hot":
        return [_line(tool, tool.category, _FIELDS[detail]) for tool in inventory.hot]
    fields = _CATEGORY_FIELDS.get(detail, _FIELDS[detail]) if category else _FIELDS[detail]
    categories = [category] if category else list(inventory.tools)
    return [_line(tool, name, fields) for name in categories for tool in inventory.tools[name]]


def inventory_lines(views: Views) -> Iterator[str]:
    """The views of all tools as lines of the catalog."""
    for detail in DETAILS:
        for form in FORMATS:
            yield from map(page_line, views[_name("", detail, form)])


def category_lines(views: Views, category: str) -> Iterator[str]:
    """The views of one category as lines of the catalog."""
    for detail in CATEGORY_DETAILS:
        for form in FORMATS:
            yield from map(page_line, views[_name(category, detail, form)])


def page_line(page: InventoryPage, detail: str = "") -> str:
    """A page as a line of the catalog, under its own detail or another name."""
    view = view_key(detail or page.detail, page.format, page.page)
    return json_text(encode(ViewPage(view, page.pages, page.tokens, page.text)))


def view_costs(views: Views, inventory: Inventory) -> Iterator[Cost]:
    """The tokens of each page in the default format."""
    usual = inventory.facts.format
    for detail in DETAILS:
        for page in views[_name("", detail, usual)]:
            yield Cost(f"{detail}{_number(page)}", page.tokens, _budget_name(detail))
    for category in inventory.tools:
        for page in views[_name(category, "summaries", usual)]:
            yield Cost(f"category {category}{_number(page)}", page.tokens, "category", category)


def _all_views(inventory: Inventory) -> Iterator[tuple[str, Detail]]:
    """The category, empty for all tools, and the detail of every view."""
    for detail in DETAILS:
        yield "", detail
    for category in inventory.tools:
        for category_detail in CATEGORY_DETAILS:
            yield category, category_detail


def _line(tool: ToolPlan | MetaToolPlan, category: str, fields: Sequence[str]) -> ToolLine:
    return ToolLine(tool.name, category, **{field: _shown(tool, field) for field in fields})


def _shown(tool: ToolPlan | MetaToolPlan, field: str) -> Any:
    if field == "effect":
        return tool.shown_effect
    if field == "call" and isinstance(tool, MetaToolPlan):
        return tool.signature  # ours, and short
    if field == "figures":
        return figures(tool.measured) if tool.measured else ""
    if field == "latency":
        return duration(tool.measured.latency_ms) if tool.measured else ""
    return getattr(tool, field)


def _budget_name(detail: str) -> str:
    return _BUDGETS.get(detail, "category")


def _name(category: str, detail: str, form: str) -> str:
    return f"{category}/{detail}/{form}"


def _number(page: InventoryPage) -> str:
    return f" {page.page}/{page.pages}" if page.pages > 1 else ""
