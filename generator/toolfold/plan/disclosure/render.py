"""The forms of an inventory view: compact JSON, and sparse text for people and small contexts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from toolfold_runtime.contract.vocabulary import Detail

from toolfold.plan.disclosure.inventory import Inventory, Line
from toolfold.plan.model import CategoryPlan, Json
from toolfold.plan.text.escape import json_text, one_line


@dataclass(frozen=True)
class Ask:
    """What was asked for and which part of the answer this is."""

    detail: Detail
    category: str = ""
    format: str = "json"
    page: int = 1
    pages: int = 1
    left_out: str = ""
    is_default: bool = False

    def next_page(self, inventory: Inventory) -> str:
        """The call that gives the next page of the same view."""
        parts = [f'category="{self.category}"'] if self.category else []
        parts += [] if self.is_default else [f'detail="{self.detail}"']
        parts += [f'format="{self.format}"'] if self.format != inventory.format else []
        return f"{inventory.capabilities}({', '.join([*parts, f'page={self.page + 1}'])})"


# What a view shows of a tool beside its name and category: an edit of the rest leaves it as it is.
_SHOWN: Final[dict[str, tuple[str, ...]]] = {
    "names": (),
    "summaries": ("summary", "example"),
    "full": ("summary", "example", "signature", "effect", "tags"),
    "hot": ("summary", "signature"),
}

#: Writes some units of a view; the rest is on other pages.
Form = Callable[[Inventory, Ask, Sequence[Any]], str]


def written(inventory: Inventory, ask: Ask, units: Sequence[Any]) -> str:
    """One page of a view, in the form that was asked for."""
    form = (_TEXT if ask.format == "text" else _JSON)[ask.detail]
    return form(inventory, ask, units)


def units_of(inventory: Inventory, detail: str, category: str) -> list[Any]:
    """What a view lists: categories, or lines of tools with nothing but what it shows of them."""
    if detail in ("counts", "overview"):
        return list(inventory.chosen(category))
    lines = [line for line in inventory.of(category) if detail != "hot" or line.tier == "hot"]
    shown = _SHOWN[detail]
    return [
        Line(line.name, line.category, **{f: getattr(line, f) for f in shown}) for line in lines
    ]


def _closing(inventory: Inventory, ask: Ask, view: Json) -> str:
    """A view ends with where to go on: its own next page, else the next step."""
    if ask.pages > 1:
        view["page"] = f"{ask.page}/{ask.pages}"
    view["leftOut"] = ask.left_out
    view["next"] = _next(inventory, ask)
    return json_text({key: value for key, value in view.items() if value not in ("", {}, [])})


def _next(inventory: Inventory, ask: Ask) -> str:
    if ask.page < ask.pages:
        return ask.next_page(inventory)
    if ask.detail in ("counts", "overview") and inventory.capabilities:
        return f"{inventory.capabilities}(category)"
    return inventory.next_step


def _counts(inventory: Inventory, ask: Ask, units: Sequence[CategoryPlan]) -> str:
    view: Json = {"tools": len(inventory.lines)} if ask.page == 1 and not ask.category else {}
    view["categories"] = {category.name: len(category.tools) for category in units}
    return _closing(inventory, ask, view)


def _overview(inventory: Inventory, ask: Ask, units: Sequence[CategoryPlan]) -> str:
    view: Json = {"categories": {category.name: len(category.tools) for category in units}}
    if ask.page == 1 and "workflows" not in ask.left_out:
        view["workflows"] = [f"{name}: {'>'.join(steps)}" for name, steps in inventory.workflows]
        view["quickActions"] = list(inventory.quick_actions)
    return _closing(inventory, ask, view)


def _names(inventory: Inventory, ask: Ask, units: Sequence[Line]) -> str:
    view = {"categories": {name: [u.name for u in group] for name, group in _grouped(units)}}
    return _closing(inventory, ask, view)


def _hot(inventory: Inventory, ask: Ask, units: Sequence[Line]) -> str:
    view = {"tools": [f"{unit.signature}: {unit.summary}" for unit in units]}
    return _closing(inventory, ask, view)


def _listing(describe: Callable[[Line], Json]) -> Form:
    def form(inventory: Inventory, ask: Ask, units: Sequence[Line]) -> str:
        view: Json = {"version": inventory.version} if not ask.category else {}
        groups = []
        for name, group in _grouped(units):
            shown: Json = {"name": name}
            description = inventory.by_name[name].description
            if description and (ask.page == 1 or not ask.category):
                shown["description"] = description
            shown["tools"] = [describe(unit) for unit in group]
            groups.append(shown)
        view["categories"] = groups
        if ask.page == 1 and not ask.category:
            view["quickActions"] = list(inventory.quick_actions)
        return _closing(inventory, ask, view)

    return form


def _summary(line: Line) -> Json:
    shown: Json = {"name": line.name, "description": line.summary}
    return shown | ({"example": line.example} if line.example else {})


def _full(line: Line) -> Json:
    shown: Json = {"signature": line.signature, "description": line.summary, "effect": line.effect}
    shown |= {"example": line.example} if line.example else {}
    return shown | ({"tags": list(line.tags)} if line.tags else {})


def _grouped(units: Sequence[Line]) -> list[tuple[str, list[Line]]]:
    return [(name, list(group)) for name, group in groupby(units, lambda unit: unit.category)]


def _text_of_categories(inventory: Inventory, ask: Ask, units: Sequence[CategoryPlan]) -> str:
    lines = [f"{category.name}: {len(category.tools)}" for category in units]
    if ask.detail == "overview" and ask.page == 1:
        lines = [
            f"{c.name} ({len(c.tools)})" + (f": {one_line(c.description)}" if c.description else "")
            for c in units
        ]
        if "workflows" not in ask.left_out:
            lines += [f"{name}: {'>'.join(steps)}" for name, steps in inventory.workflows]
            lines += [f"quick: {', '.join(inventory.quick_actions)}"] * bool(
                inventory.quick_actions
            )
    total = f"Tools: {len(inventory.lines)}"
    return _closed_text(inventory, ask, [total, *lines] if ask.page == 1 else lines)


def _text_of_lines(show: Callable[[Line], str]) -> Form:
    def form(inventory: Inventory, ask: Ask, units: Sequence[Line]) -> str:
        lines = []
        for name, group in _grouped(units):
            lines += [f"{name}:", *(f"  {show(unit)}" for unit in group)]
        return _closed_text(inventory, ask, lines)

    return form


def _closed_text(inventory: Inventory, ask: Ask, lines: list[str]) -> str:
    page = [f"page {ask.page}/{ask.pages}"] if ask.pages > 1 else []
    left_out = [f"left out: {ask.left_out}"] if ask.left_out else []
    following = _next(inventory, ask)
    closing = [f"next: {following}"] if following else []
    return "\n".join([*lines, *page, *left_out, *closing])


def _text_summary(line: Line) -> str:
    example = f" (e.g. {line.example})" if line.example else ""
    return f"{line.name} - {line.summary}{example}"


def _text_full(line: Line) -> str:
    example = f" (e.g. {line.example})" if line.example else ""
    tags = f" #{' #'.join(line.tags)}" if line.tags else ""
    return f"{line.signature} - {line.summary}{example} [{line.effect}]{tags}"


_JSON: Final[dict[str, Form]] = {
    "counts": _counts,
    "overview": _overview,
    "names": _names,
    "summaries": _listing(_summary),
    "full": _listing(_full),
    "hot": _hot,
}
_TEXT: Final[dict[str, Form]] = {
    "counts": _text_of_categories,
    "overview": _text_of_categories,
    "names": _text_of_lines(lambda line: line.name),
    "summaries": _text_of_lines(_text_summary),
    "full": _text_of_lines(_text_full),
    "hot": _text_of_lines(lambda line: f"{line.signature}: {line.summary}"),
}


def paged(ask: Ask, page: int, pages: int) -> Ask:
    """The same question, of one page."""
    return replace(ask, page=page, pages=pages)
