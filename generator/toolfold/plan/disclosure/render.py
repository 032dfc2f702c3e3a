"""The text of an inventory view: compact JSON, or sparse text for people and small contexts."""

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, TypeAlias

from toolfold_runtime.contract.codec import Json

from toolfold.plan.disclosure.deprecation import instead, mark
from toolfold.plan.disclosure.inventory import CategoryLine, InventoryFacts, ToolLine
from toolfold.plan.disclosure.view_request import ViewRequest, extras
from toolfold.plan.text.escape import json_text, one_line

#: The lines of a page.
Lines: TypeAlias = Sequence[ToolLine] | Sequence[CategoryLine]


def render_view(facts: InventoryFacts, request: ViewRequest, lines: Lines) -> str:
    """The text of one page of a view."""
    if request.detail in _OF_CATEGORIES:
        categories = [line for line in lines if isinstance(line, CategoryLine)]
        return _OF_CATEGORIES[request.detail][request.format](facts, request, categories)
    tools = [line for line in lines if isinstance(line, ToolLine)]
    return _OF_TOOLS[request.detail][request.format](facts, request, tools)


def _json(facts: InventoryFacts, request: ViewRequest, view: Json) -> str:
    """The view as JSON; at its end the call for its next page, else the next step."""
    if request.pages > 1:
        view["page"] = f"{request.page}/{request.pages}"
    view["leftOut"] = _omitted_note(request)
    view["next"] = _next(facts, request)
    return json_text({key: value for key, value in view.items() if value not in ("", {}, [])})


def _text(facts: InventoryFacts, request: ViewRequest, rows: list[str]) -> str:
    page = [f"page {request.page}/{request.pages}"] if request.pages > 1 else []
    missing = _omitted_note(request)
    omitted = [f"left out: {missing}"] if missing else []
    following = _next(facts, request)
    closing = [f"next: {following}"] if following else []
    return "\n".join([*rows, *page, *omitted, *closing])


def _omitted_note(request: ViewRequest) -> str:
    """The note, on the first page only, about what all pages omit."""
    return ", ".join(request.omitted) if request.page == 1 else ""


def _extras_json(facts: InventoryFacts, request: ViewRequest) -> Json:
    shown = extras(facts, request) if request.page == 1 else []
    parts: Json = {}
    if "servers" in shown:
        parts["servers"] = dict(facts.servers)
    if "workflows" in shown:
        parts["workflows"] = _workflows(facts)
    if "quick actions" in shown:
        parts["quickActions"] = dict(facts.quick_actions)
    return parts


def _extras_text(facts: InventoryFacts, request: ViewRequest) -> list[str]:
    shown = extras(facts, request) if request.page == 1 else []
    rows = []
    if "servers" in shown:
        rows.append("servers: " + ", ".join(f"{name} {tools}" for name, tools in facts.servers))
    rows += _workflows(facts) if "workflows" in shown else []
    if "quick actions" in shown:
        rows.append("quick: " + ", ".join(f"{label}={tool}" for label, tool in facts.quick_actions))
    return rows


def _workflows(facts: InventoryFacts) -> list[str]:
    return [f"{name}: {' > '.join(steps)}" for name, steps in facts.workflows]


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
    shown = extras(facts, request)
    view: Json = {"categories": {line.name: _overview_cell(line, shown) for line in lines}}
    return _json(facts, request, view | _extras_json(facts, request))


def _overview_cell(line: CategoryLine, shown: Sequence[str]) -> str | int:
    """The number of tools, with their typical tokens and speed where known."""
    parts = [f"{line.server_count} servers"] if _has_server_count(line, shown) else []
    parts += [f"~{line.tokens} tokens"] if line.tokens is not None else []
    parts += [line.speed] if line.speed else []
    popular = _popular(line, shown)
    parts += [f"popular: {popular}"] if popular else []
    tools = f"{line.tool_count} tool{'' if line.tool_count == 1 else 's'}"
    return ", ".join([tools, *parts]) if parts else line.tool_count


def _has_server_count(line: CategoryLine, shown: Sequence[str]) -> bool:
    return bool(line.server_count) and "server counts" in shown


def _popular(line: CategoryLine, shown: Sequence[str]) -> str:
    return ", ".join(line.popular) if "popular tools" in shown else ""


def _counts_text(facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]) -> str:
    rows = [f"{line.name}: {line.tool_count}" for line in lines]
    return _text(facts, request, _with_total(facts, request, rows))


def _overview_text(
    facts: InventoryFacts, request: ViewRequest, lines: Sequence[CategoryLine]
) -> str:
    shown = extras(facts, request)
    if any(line.tokens is not None or line.speed for line in lines):
        rows = _table(lines, shown)
    elif request.page > 1:
        return _counts_text(facts, request, lines)
    else:
        rows = [_overview_row(line, shown) for line in lines]
    rows += _extras_text(facts, request)
    return _text(facts, request, _with_total(facts, request, rows))


def _table(lines: Sequence[CategoryLine], shown: Sequence[str]) -> list[str]:
    """A sparse table: cells stay empty where the tools of a category say nothing."""
    head = {"server counts": "servers", "popular tools": "popular"}
    added = [part for part in head if part in shown]
    rows = [("category", "tools", "avg tokens", "speed", *(head[part] for part in added))]
    for line in lines:
        tokens = "" if line.tokens is None else f"~{line.tokens}"
        servers = str(line.server_count) if _has_server_count(line, shown) else ""
        cells = {"server counts": servers, "popular tools": _popular(line, shown)}
        first = (line.name, str(line.tool_count), tokens, line.speed)
        rows.append((*first, *(cells[part] for part in added)))
    return [" | ".join(row).rstrip(" |") for row in rows]


def _overview_row(line: CategoryLine, shown: Sequence[str]) -> str:
    servers = f", {line.server_count} servers" if _has_server_count(line, shown) else ""
    popular = _popular(line, shown)
    best = f" [popular: {popular}]" if popular else ""
    return f"{line.name} ({line.tool_count}{servers}){_described(line)}{best}"


def _described(line: CategoryLine) -> str:
    return f": {one_line(line.description)}" if line.description else ""


def _with_total(facts: InventoryFacts, request: ViewRequest, rows: list[str]) -> list[str]:
    return [f"Tools: {facts.tool_count}", *rows] if request.page == 1 else rows


def _names_json(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
    view: Json = {"categories": {name: [u.name for u in group] for name, group in _grouped(lines)}}
    view["deprecated"] = {o.name: instead(o.deprecated) for o in lines if o.deprecated is not None}
    return _json(facts, request, view | _extras_json(facts, request))


def _hot_json(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
    view: Json = {"by": facts.hot_by} if request.page == 1 else {}
    return _json(facts, request, view | {"tools": [_hot_line(line) for line in lines]})


def _hot_text(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
    head = [f"hot tools, by {facts.hot_by}:"] if request.page == 1 and lines else []
    return _text(facts, request, [*head, *(f"  {_hot_line(line)}" for line in lines)])


def _hot_line(line: ToolLine) -> str:
    return f"{line.call}: {line.described}{f' ({line.figures})' if line.figures else ''}"


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
        return _json(facts, request, view | _extras_json(facts, request))

    return render


def _listing_text(show: Callable[[ToolLine], str]) -> "_ToolView":
    def render(facts: InventoryFacts, request: ViewRequest, lines: Sequence[ToolLine]) -> str:
        rows = []
        for name, group in _grouped(lines):
            rows += [f"{name}:", *(f"  {show(line)}" for line in group)]
        return _text(facts, request, [*rows, *_extras_text(facts, request)])

    return render


def _grouped(lines: Sequence[ToolLine]) -> list[tuple[str, list[ToolLine]]]:
    return [(name, list(group)) for name, group in groupby(lines, lambda line: line.category)]


def _summary_json(line: ToolLine) -> Json:
    shown: Json = {"name": line.name, "description": line.described}
    shown |= {"example": line.example} if line.example else {}
    shown |= {"returns": line.returns} if line.returns else {}
    return shown | ({"latency": line.latency} if line.latency else {})


def _full_json(line: ToolLine) -> Json:
    shown: Json = {
        "signature": line.listed_signature,
        "description": line.described,
        "effect": line.effect,
    }
    shown |= {"example": line.example} if line.example else {}
    return shown | ({"tags": list(line.tags)} if line.tags else {})


def _name_text(line: ToolLine) -> str:
    return f"{line.name} {mark(line.deprecated)}".rstrip()


def _summary_text(line: ToolLine) -> str:
    returns = f" -> {line.returns}" if line.returns else ""
    latency = f" [{line.latency}]" if line.latency else ""
    return f"{line.name}{returns} - {line.described}{_example_text(line)}{latency}"


def _full_text(line: ToolLine) -> str:
    tags = f" #{' #'.join(line.tags)}" if line.tags else ""
    return f"{line.listed_signature} - {line.described}{_example_text(line)} [{line.effect}]{tags}"


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
    "hot": {"json": _hot_json, "text": _hot_text},
}
