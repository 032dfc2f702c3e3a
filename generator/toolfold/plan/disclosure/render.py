"""The text of an inventory view: compact JSON, or sparse text for people and small contexts."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple, TypeAlias

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Detail, Format

from toolfold.plan.disclosure.deprecation import instead, mark
from toolfold.plan.disclosure.inventory import CategoryLine, InventoryFacts, ToolLine
from toolfold.plan.text.escape import json_text, one_line

#: What a page of a view lists.
Lines: TypeAlias = Sequence[ToolLine] | Sequence[CategoryLine]


class ViewRequest(NamedTuple):
    """What was asked for, and which page of the answer this is."""

    detail: Detail
    category: str = ""
    format: Format = "json"
    page: int = 1
    pages: int = 1
    #: What a richer view would have shown.
    omitted: str = ""
    is_default: bool = False

    def at_page(self, page: int, pages: int) -> "ViewRequest":
        """The same request, for one of its pages."""
        return self._replace(page=page, pages=pages)

    def next_page(self, facts: InventoryFacts) -> str:
        """The call that gives the next page of the same view."""
        parts = [f'category="{self.category}"'] if self.category else []
        parts += [] if self.is_default else [f'detail="{self.detail}"']
        parts += [f'format="{self.format}"'] if self.format != facts.format else []
        return f"{facts.capabilities}({', '.join([*parts, f'page={self.page + 1}'])})"


def render_view(facts: InventoryFacts, request: ViewRequest, lines: Lines) -> str:
    """The text of one page of a view."""
    if request.detail in _OF_CATEGORIES:
        categories = [line for line in lines if isinstance(line, CategoryLine)]
        return _OF_CATEGORIES[request.detail][request.format](facts, request, categories)
    tools = [line for line in lines if isinstance(line, ToolLine)]
    return _OF_TOOLS[request.detail][request.format](facts, request, tools)


def _json(facts: InventoryFacts, request: ViewRequest, view: Json) -> str:
    """A view ends with where to go on: its own next page, else the next step."""
    if request.pages > 1:
        view["page"] = f"{request.page}/{request.pages}"
    view["leftOut"] = request.omitted
    view["next"] = _next(facts, request)
    return json_text({key: value for key, value in view.items() if value not in ("", {}, [])})


def _text(facts: InventoryFacts, request: ViewRequest, rows: list[str]) -> str:
    page = [f"page {request.page}/{request.pages}"] if request.pages > 1 else []
    omitted = [f"left out: {request.omitted}"] if request.omitted else []
    following = _next(facts, request)
    closing = [f"next: {following}"] if following else []
    return "\n".join([*rows, *page, *omitted, *closing])


def _next(facts: InventoryFacts, request: ViewRequest) -> str:
    if request.page < request.pages:
        return request.next_page(facts)
    if request.detail in _OF_CATEGORIES and facts.capabilities:
        return f"{facts.capabilities}(category)"
    return facts.next_step


def _counts_json(facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]) -> str:
    is_first = request.page == 1 and not request.category
    view: Json = {"tools": facts.tool_count} if is_first else {}
    view["categories"] = {line.name: line.tool_count for line in lines}
    return _json(facts, request, view)


def _overview_json(
    facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]
) -> str:
    view: Json = {"categories": {line.name: line.tool_count for line in lines}}
    if _shows_workflows(request):
        view["workflows"] = [f"{name}: {'>'.join(steps)}" for name, steps in facts.workflows]
        view["quickActions"] = list(facts.quick_actions)
    return _json(facts, request, view)


def _shows_workflows(request: ViewRequest) -> bool:
    return request.page == 1 and "workflows" not in request.omitted


def _counts_text(facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]) -> str:
    rows = [f"{line.name}: {line.tool_count}" for line in lines]
    return _text(facts, request, _with_total(facts, request, rows))


def _overview_text(
    facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]
) -> str:
    if request.page > 1:
        return _counts_text(facts, request, lines)
    rows = [f"{line.name} ({line.tool_count}){_described(line)}" for line in lines]
    if _shows_workflows(request):
        rows += [f"{name}: {'>'.join(steps)}" for name, steps in facts.workflows]
        rows += [f"quick: {', '.join(facts.quick_actions)}"] if facts.quick_actions else []
    return _text(facts, request, _with_total(facts, request, rows))


def _described(line: CategoryLine) -> str:
    return f": {one_line(line.description)}" if line.description else ""


def _with_total(facts: InventoryFacts, request: ViewRequest, rows: list[str]) -> list[str]:
    return [f"Tools: {facts.tool_count}", *rows] if request.page == 1 else rows


def _names_json(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
    view: Json = {"categories": {name: [u.name for u in group] for name, group in _grouped(lines)}}
    view["deprecated"] = {o.name: instead(o.deprecated) for o in lines if o.deprecated is not None}
    return _json(facts, request, view)


def _hot_json(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
    return _json(facts, request, {"tools": [f"{o.signature}: {o.described}" for o in lines]})


def _listing_json(describe: Callable[[ToolLine], Json]) -> "_ToolView":
    def render(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
        view: Json = {"version": facts.version} if not request.category else {}
        groups = []
        for name, group in _grouped(lines):
            shown: Json = {"name": name}
            description = facts.descriptions[name]
            if description and (request.page == 1 or not request.category):
                shown["description"] = description
            shown["tools"] = [describe(line) for line in group]
            groups.append(shown)
        view["categories"] = groups
        if request.page == 1 and not request.category:
            view["quickActions"] = list(facts.quick_actions)
        return _json(facts, request, view)

    return render


def _listing_text(show: Callable[[ToolLine], str]) -> "_ToolView":
    def render(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
        rows = []
        for name, group in _grouped(lines):
            rows += [f"{name}:", *(f"  {show(line)}" for line in group)]
        return _text(facts, request, rows)

    return render


def _grouped(lines: Sequence[ToolLine]) -> list[tuple[str, list[ToolLine]]]:
    return [(name, list(group)) for name, group in groupby(lines, lambda line: line.category)]


def _summary_json(line: ToolLine) -> Json:
    shown: Json = {"name": line.name, "description": line.described}
    return shown | ({"example": line.example} if line.example else {})


def _full_json(line: ToolLine) -> Json:
    shown: Json = {
        "signature": line.signature,
        "description": line.described,
        "effect": line.effect,
    }
    shown |= {"example": line.example} if line.example else {}
    return shown | ({"tags": list(line.tags)} if line.tags else {})


def _name_text(line: ToolLine) -> str:
    return f"{line.name} {mark(line.deprecated)}".rstrip()


def _summary_text(line: ToolLine) -> str:
    return f"{line.name} - {line.described}{_example_text(line)}"


def _full_text(line: ToolLine) -> str:
    tags = f" #{' #'.join(line.tags)}" if line.tags else ""
    return f"{line.signature} - {line.described}{_example_text(line)} [{line.effect}]{tags}"


def _example_text(line: ToolLine) -> str:
    return f" (e.g. {line.example})" if line.example else ""


_CategoryView: TypeAlias = Callable[[InventoryFacts, ViewRequest, Sequence[CategoryLine]], str]
_ToolView: TypeAlias = Callable[[InventoryFacts, ViewRequest, Sequence[ToolLine]], str]

_OF_CATEGORIES: Final[dict[str, dict[str, _CategoryView]]] = {
    "counts": {"json": _counts_json, "text": _counts_text},
    "overview": {"json": _overview_json, "text": _overview_text},
}
_OF_TOOLS: Final[dict[str, dict[str, _ToolView]]] = {
    "names": {"json": _names_json, "text": _listing_text(_name_text)},
    "summaries": {"json": _listing_json(_summary_json), "text": _listing_text(_summary_text)},
    "full": {"json": _listing_json(_full_json), "text": _listing_text(_full_text)},
    "hot": {
        "json": _hot_json,
        "text": _listing_text(lambda line: f"{line.signature}: {line.described}"),
    },
}
