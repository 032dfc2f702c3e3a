"""The site's configuration and its index for agents."""

from collections.abc import Iterator
from typing import Final

from toolfold.plan.disclosure.tokens import count
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import (
    category_link,
    category_page_path,
    plural,
    tool_link,
    tool_page_path,
)
from toolfold.plan.model import Page, ToolPlan
from toolfold.plan.text.escape import html_text, markdown, yaml_text

# A menu with more tools than this would outweigh the page that it stands beside.
_MAX_TOOLS_IN_MENU: Final = 120
_LLMS_BUDGET: Final = 8000


def site_configuration(facts: CatalogFacts) -> Page:
    """`mkdocs.yml`, which zensical and Material for MkDocs both read."""
    with_tools = len(facts.tools) <= _MAX_TOOLS_IN_MENU
    values = {
        "name": yaml_text(html_text(facts.title)),
        "sections": [
            {
                "title": yaml_text(html_text(category.title)),
                "page": category_page_path(category.name),
                "tools": [
                    {"title": yaml_text(name), "page": tool_page_path(name)}
                    for name in category.tools
                    if with_tools and name in facts.by_name
                ],
            }
            for category in facts.categories
        ],
    }
    return Page("mkdocs.yml", "mkdocs.yml.jinja", values)


def theme_files() -> Iterator[Page]:
    """The style sheet of pictures and badges, and the theme's override for titles of pages."""
    yield Page("docs/assets/toolfold.css", "docs/toolfold.css.jinja", {})
    yield Page("overrides/main.html", "overrides/main.html.jinja", {})


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
            f"{category_link(c.name, c.title)}: {plural(len(c.tools), 'tool')}. {markdown(c.description)}"
            for c in facts.categories
        ],
        "tools": lines if fits else [],
        "budget": f"{_LLMS_BUDGET:,}",
    }
    return Page("docs/llms.txt", "docs/llms.txt.jinja", values)


def _described(tool: ToolPlan, facts: CatalogFacts) -> str:
    return f"{facts.deprecation(tool.name)} {markdown(tool.summary)}".lstrip()
