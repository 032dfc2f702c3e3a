"""Views: the ready texts that agents ask for, written when generating."""

from collections.abc import Mapping, Sequence

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.escape import json_text
from toolfold.plan.model import CategoryPlan, Json, MetaToolPlan


def lines(manifest: Manifest, meta: Sequence[MetaToolPlan]) -> dict[str, Json]:
    """Name to inventory line, for every tool and meta-tool."""
    found = {tool.name: _line(tool.name, tool.summary, tool.example) for tool in meta}
    for name, tool in manifest.tools.items():
        found[name] = _line(name, tool.summary, tool.example)
    return found


def inventory(
    manifest: Manifest,
    categories: Sequence[CategoryPlan],
    lines: Mapping[str, Json],
    next_step: str,
) -> str:
    """Categories with their tools: name, one line, one brief example prompt each."""
    view: Json = {"version": manifest.server.version}
    view["categories"] = [_category(category, lines) for category in categories]
    if manifest.disclosure.quick_actions:
        view["quickActions"] = list(manifest.disclosure.quick_actions)
    if next_step:
        view["next"] = next_step
    return json_text(view)


def detail(name: str, tool: Tool, parameters: Json, returns: Json | None) -> str:
    """What a correct call needs: description, parameters and returns."""
    view: Json = {
        "name": name,
        "description": tool.description or tool.summary,
        "category": tool.category,
        "effect": tool.effect,
        "parameters": parameters,
    }
    if returns is not None:
        view["returns"] = returns
    return json_text(view)


def _category(category: CategoryPlan, lines: Mapping[str, Json]) -> Json:
    view: Json = {"name": category.name}
    if category.description:
        view["description"] = category.description
    view["tools"] = [lines[name] for name in category.tools]
    return view


def _line(name: str, summary: str, example: str | None) -> Json:
    line: Json = {"name": name, "description": summary}
    return line | ({"example": example} if example else {})
