"""The page of a category: its tools, each with its purpose, effect and cost."""

from functools import partial
from typing import Any

from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.links import category_page, counted, tool_link
from toolfold.plan.model import CategoryPlan, MetaToolPlan, PagePlan
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code
from toolfold.plan.text.paths import file_stem

_MOST_BARS = 12


def category_page_of(category: CategoryPlan, facts: Documented) -> PagePlan:
    """The page of one category."""
    rows = [_seen(name, facts) for name in category.tools]
    path = f"docs/{category_page(category.name)}"
    values = partial(_values, category, facts)
    return PagePlan(path, "docs/category.md.jinja", values, [category.name, rows])


def _seen(name: str, facts: Documented) -> list[Any]:
    """All that a page says of a tool."""
    tool = facts.by_name.get(name)
    return [name, tool.summary, tool.effect, tool.tokens["listed"]] if tool else [name]


def _values(category: CategoryPlan, facts: Documented) -> dict[str, Any]:
    meta = {tool.name: tool for tool in facts.meta}
    own = [name for name in category.tools if name in facts.by_name]
    dearest = sorted(own, key=lambda name: -facts.listed[name])[:_MOST_BARS]
    chart = bars(
        "tools",
        f"Tokens of each tool when listed{', the dearest' if len(own) > len(dearest) else ''}",
        [(name, facts.listed[name]) for name in dearest],
        "tokens",
    )
    return {
        "title": markdown(category.title),
        "description": markdown_block(category.description),
        "summary": f"{counted(len(category.tools), 'tool')},"
        f" {facts.by_category[category.name]:,} tokens when listed.",
        "tools": [
            _meta_row(meta[name]) if name in meta else _row(name, facts) for name in category.tools
        ],
        "chart": chart if len(own) > 1 else "",
    }


def _row(name: str, facts: Documented) -> dict[str, str]:
    tool = facts.by_name[name]
    return {
        "anchor": file_stem(name),
        "link": tool_link(name, "../"),
        "summary": markdown(tool.summary),
        "effect": tool.effect,
        "tokens": f"{facts.listed[name]:,}",
    }


def _meta_row(tool: MetaToolPlan) -> dict[str, str]:
    effect = "destructive" if "destructive" in tool.effects else "read"
    return {
        "anchor": file_stem(tool.name),
        "link": f"[{markdown_code(tool.name)}](../agents.md#meta-{file_stem(tool.name)})",
        "summary": markdown(tool.summary),
        "effect": effect,
        "tokens": "",
    }
