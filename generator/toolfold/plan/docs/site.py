"""What the builder of the site is told, and the index of pages for agents."""

from typing import Final

from toolfold_runtime.contract import pages

from toolfold.plan.disclosure.tokens import count
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_link, category_page_path, plural, tool_link
from toolfold.plan.model import Page, ToolPlan
from toolfold.plan.text.escape import json_text, markdown, one_line

_LLMS_BUDGET: Final = 8000
_LONGEST_DESCRIPTION: Final = 160  # what search engines show


def site_configuration(facts: CatalogFacts) -> Page:
    """`site.json`: what `docs build` needs to know besides the pages and the catalog."""
    manifest = facts.manifest
    described = (
        manifest.server.description or f"An MCP server with {plural(len(facts.tools), 'tool')}."
    )
    values = {
        "name": manifest.server.name,
        "title": facts.title,
        "description": shortened(described),
        **manifest.site.model_dump(),
        "categories": [
            {
                "name": category.name,
                "title": category.title,
                "page": category_page_path(category.name),
            }
            for category in facts.categories
        ],
        "reference": [[pages.AGENTS, "For agents"], [pages.TOKENS, "Token report"]],
    }
    return Page("site.json", "site.json.jinja", {"members": json_text(values, indent=2)[1:]})


def shortened(text: str) -> str:
    """A text as a description for search engines: one line, cut after a word."""
    line = one_line(text)
    if len(line) <= _LONGEST_DESCRIPTION:
        return line
    return line[:_LONGEST_DESCRIPTION].rpartition(" ")[0] + "…"


def llms_index(facts: CatalogFacts) -> Page:
    """`llms.txt`: the categories, and the tools too where they fit a budget."""
    # No line is shorter than ten tokens.
    some = facts.tools if len(facts.tools) <= _LLMS_BUDGET // 10 else ()
    lines = [f"{tool_link(tool.name)}: {_described(tool, facts)}" for tool in some]
    fits = sum(map(count, lines)) <= _LLMS_BUDGET
    values = {
        "title": markdown(facts.title),
        "description": markdown(facts.manifest.server.description or facts.title),
        "count": plural(len(facts.tools), "tool"),
        "categories": [
            f"{category_link(c.name, c.title)}: {plural(sum(name in facts.by_name for name in c.tools), 'tool')}. {markdown(c.description)}"
            for c in facts.categories
        ],
        "tools": lines if fits else [],
        "budget": f"{_LLMS_BUDGET:,}",
    }
    return Page("docs/llms.txt", "docs/llms.txt.jinja", values)


def _described(tool: ToolPlan, facts: CatalogFacts) -> str:
    return f"{facts.deprecation(tool.name)} {markdown(tool.summary)}".lstrip()
