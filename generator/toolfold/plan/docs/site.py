"""The site's configuration and its index for agents."""

from collections.abc import Iterator
from typing import Any, Final

from toolfold.plan.disclosure.tokens import count
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.links import category_link, category_page, counted, tool_link, tool_page
from toolfold.plan.model import PagePlan
from toolfold.plan.text.escape import html_text, markdown, yaml_text

#: A menu with more tools than this would outweigh the page that it stands beside.
MOST_IN_MENU: Final = 120
_LLMS_BUDGET: Final = 8000


def configuration(facts: Documented) -> PagePlan:
    """`mkdocs.yml`, which zensical and Material for MkDocs both read."""
    with_tools = len(facts.tools) <= MOST_IN_MENU
    values = {
        "name": yaml_text(html_text(facts.title)),
        "sections": [
            {
                "title": yaml_text(html_text(category.title)),
                "page": category_page(category.name),
                "tools": [
                    {"title": yaml_text(name), "page": tool_page(name)}
                    for name in category.tools
                    if with_tools and name in facts.by_name
                ],
            }
            for category in facts.categories
        ],
    }
    return PagePlan("mkdocs.yml", "mkdocs.yml.jinja", lambda: values)


def looks() -> Iterator[PagePlan]:
    """How pictures and badges look, in light and in dark, and how the theme names a page."""
    yield PagePlan("docs/assets/toolfold.css", "docs/toolfold.css.jinja", dict)
    yield PagePlan("overrides/main.html", "overrides/main.html.jinja", dict)


def llms(facts: Documented) -> PagePlan:
    """`llms.txt`: where an agent that reads the docs should look, within a budget."""
    # No line is shorter than ten tokens.
    some = facts.tools if len(facts.tools) <= _LLMS_BUDGET // 10 else ()
    lines = [f"{tool_link(tool.name)}: {markdown(tool.summary)}" for tool in some]
    fits = sum(map(count, lines)) <= _LLMS_BUDGET
    values: dict[str, Any] = {
        "title": markdown(facts.title),
        "description": markdown(facts.manifest.server.description or facts.title),
        "count": counted(len(facts.tools), "tool"),
        "categories": [
            f"{category_link(c.name, c.title)}: {counted(len(c.tools), 'tool')}. {markdown(c.description)}"
            for c in facts.categories
        ],
        "tools": lines if fits else [],
        "budget": f"{_LLMS_BUDGET:,}",
    }
    return PagePlan("docs/llms.txt", "docs/llms.txt.jinja", lambda: values)
