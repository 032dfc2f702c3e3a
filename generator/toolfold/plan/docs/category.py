"""The page of a category: its tools, each with its purpose, effect and cost."""

from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.links import category_page, counted, tool_link
from toolfold.plan.escape import markdown, markdown_block, markdown_code
from toolfold.plan.model import CategoryPlan, MetaToolPlan, PagePlan
from toolfold.plan.paths import file_stem

_MOST_BARS = 12


def category_page_of(category: CategoryPlan, facts: Documented) -> PagePlan:
    """The page of one category."""
    meta = {tool.name: tool for tool in facts.meta}
    own = [name for name in category.tools if name in facts.manifest.tools]
    dearest = sorted(own, key=lambda name: -facts.listed[name])[:_MOST_BARS]
    chart = bars(
        "tools",
        f"Tokens of each tool when listed{', the dearest' if len(own) > len(dearest) else ''}",
        [(name, facts.listed[name]) for name in dearest],
        "tokens",
    )
    values = {
        "title": markdown(category.title),
        "description": markdown_block(category.description),
        "summary": f"{counted(len(category.tools), 'tool')},"
        f" {facts.by_category[category.name]:,} tokens when listed.",
        "tools": [
            _meta_row(meta[name]) if name in meta else _row(name, facts) for name in category.tools
        ],
        "chart": chart if len(own) > 1 else "",
    }
    return PagePlan(
        f"docs/{category_page(category.name)}", "docs/category.md.jinja", lambda: values
    )


def _row(name: str, facts: Documented) -> dict[str, str]:
    tool = facts.manifest.tools[name]
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
