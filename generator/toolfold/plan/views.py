"""Views: the ready texts that agents ask for, written when generating."""

from collections.abc import Sequence

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.escape import json_text
from toolfold.plan.model import CategoryPlan, Json, MetaToolPlan


def inventory(
    manifest: Manifest,
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
) -> str:
    """Every category with its tools: name, one line, one brief example prompt each."""
    lines = {tool.name: _meta_line(tool) for tool in meta}
    lines |= {name: _tool_line(name, tool) for name, tool in manifest.tools.items()}
    view: Json = {"version": manifest.server.version}
    view["categories"] = [_category(category, lines) for category in categories]
    if manifest.disclosure.quick_actions:
        view["quickActions"] = list(manifest.disclosure.quick_actions)
    schema = next((tool.name for tool in meta if tool.role == "schema"), None)
    if schema:
        view["next"] = f"{schema}(tool)"
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


def _category(category: CategoryPlan, lines: dict[str, Json]) -> Json:
    view: Json = {"name": category.name}
    if category.description:
        view["description"] = category.description
    view["tools"] = [lines[name] for name in category.tools]
    return view


def _tool_line(name: str, tool: Tool) -> Json:
    return _line(name, tool.summary, tool.example)


def _meta_line(meta: MetaToolPlan) -> Json:
    return _line(meta.name, meta.summary, meta.example)


def _line(name: str, summary: str, example: str | None) -> Json:
    line: Json = {"name": name, "description": summary}
    return line | ({"example": example} if example else {})
