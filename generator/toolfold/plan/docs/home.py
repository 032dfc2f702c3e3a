"""The first page: what the server does, how to connect it, and what its disclosure saves."""

from typing import Final

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.prompt import Prompt
from toolfold_runtime.contract.vocabulary import HotBy

from toolfold.manifest.schema import Workflow
from toolfold.plan.disclosure.measured import figures
from toolfold.plan.docs.charts import chains
from toolfold.plan.docs.clients import clients
from toolfold.plan.docs.costs import CostSection
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_link, plural, tool_link, tool_page_html
from toolfold.plan.model import CategoryPlan, Page, ToolPlan
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code

_FEW: Final = 4  # tools that are named for a category
_HOT_BY: Final[dict[HotBy, str]] = {
    "usage": "The best by usage when tiers were last updated: average latency, success, and calls in 30 days.",
    "usage and declared": "The best by usage when tiers were last updated, with average latency, success, and calls in"
    " 30 days; and those that the author of this server chose.",
    "declared": "Chosen by the author of this server.",
    "quick actions": "The quick actions of this server.",
}


def home_page(facts: CatalogFacts) -> Page:
    """The first page of the docs."""
    manifest, server = facts.manifest, facts.manifest.server
    connect, cost = clients(facts), CostSection(facts)
    # That they come first in the manifest tells nobody to start with them.
    hot = {tool.name: tool for tool in facts.hot.tools if facts.hot.by != "order"}
    values = {
        "title": markdown(facts.title),
        "description": markdown_block(server.description or ""),
        "version": markdown(f"Version {server.version}"),
        "count": plural(len(facts.tools), "tool"),
        "category_count": f"{len(facts.categories):,} categor{'y' if len(facts.categories) == 1 else 'ies'}",
        "install_links": " ".join(connect.links),
        "install_blocks": connect.blocks,
        "cost": list(cost.words()),
        "chart": cost.chart(),
        "steps": list(cost.steps()),
        "hot": [_hot(tool, facts) for tool in hot.values()],
        "hot_by": _HOT_BY.get(facts.hot.by, ""),
        "quick_actions": [
            f"{markdown(label)}: {facts.link(name)}"
            for label, name in manifest.disclosure.quick_actions.items()
            if name not in hot
        ],
        "workflows": [_workflow(workflow, facts) for workflow in manifest.workflows],
        "graph": chains(
            "workflows",
            "The tools of each workflow, in order",
            [
                (w.name, [(step, tool_page_html(step)) for step in w.steps])
                for w in manifest.workflows
            ],
        )
        if manifest.workflows
        else "",
        "prompts": [_prompt(prompt) for prompt in facts.resources_prompts.prompts],
        "resources": [
            {"address": markdown_code(resource.uri), "words": markdown(resource.description)}
            for resource in facts.resources_prompts.all_resources
        ],
        "categories": [_category(category, facts) for category in facts.categories],
    }
    return Page(f"docs/{pages.HOME}", "docs/index.md.jinja", values)


def _category(category: CategoryPlan, facts: CatalogFacts) -> dict[str, str]:
    """A category with the count of its own tools, and a few of their names."""
    tool_names = [name for name in category.tools if name in facts.by_name]
    named = ", ".join(tool_link(name) for name in tool_names[:_FEW])
    more = f" and {len(tool_names) - _FEW:,} more" if len(tool_names) > _FEW else ""
    return {
        "link": category_link(category.name, category.title),
        "count": plural(len(tool_names), "tool"),
        "description": markdown(category.description),
        "tools": f"{named}{more}",
    }


def _hot(tool: ToolPlan, facts: CatalogFacts) -> str:
    """A tool of the hot list, with the labels of its quick actions and what was measured."""
    labels = ", ".join(markdown(label) for label in facts.quick_actions.get(tool.name, ()))
    label = f" ({labels})" if labels else ""
    measured = f" — {figures(tool.measured)}" if tool.measured else ""
    return f"{facts.link(tool.name)}{label}: {markdown(tool.summary)}{measured}"


def _workflow(workflow: Workflow, facts: CatalogFacts) -> str:
    steps = " → ".join(facts.link(step) for step in workflow.steps)
    note = f"  \n  {markdown(workflow.description)}" if workflow.description else ""
    return f"{markdown(workflow.name)}: {steps}{note}"


def _prompt(prompt: Prompt) -> dict[str, str]:
    """A row of the table of prompts; arguments that may be omitted have a question mark."""
    arguments = (
        f"{argument.name}{'' if argument.required else '?'}" for argument in prompt.arguments
    )
    return {
        "name": markdown_code(prompt.name),
        "arguments": ", ".join(map(markdown_code, arguments)),
        "words": markdown(prompt.description),
    }
