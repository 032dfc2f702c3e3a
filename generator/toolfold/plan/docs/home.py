"""The first page: what the server does, how to connect it, and what its disclosure saves."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.prompt import Prompt
from toolfold_runtime.contract.vocabulary import HotBy

from toolfold.manifest.schema import Workflow
from toolfold.plan.disclosure.costs import cost_of, start_tokens
from toolfold.plan.disclosure.measured import figures
from toolfold.plan.docs.charts import bars, chains
from toolfold.plan.docs.clients import clients
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_link, plural, tool_link, tool_page_html
from toolfold.plan.model import CategoryPlan, Page, ToolPlan
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code

_FEW: Final = 4  # tools that are named for a category
_HOT_BY: Final[dict[HotBy, str]] = {
    "usage": "The best by usage when tiers were last updated: average latency, success, and calls in 30 days.",
    "usage and declared": "The best by usage when tiers were last updated, with average latency, success, and calls in"
    " 30 days; and those that the manifest calls hot.",
    "declared": "Those that the manifest calls hot.",
    "quick actions": "The quick actions of the manifest.",
    "order": "The first of the manifest; no usage was measured, and no tier declared.",
}


def home_page(facts: CatalogFacts) -> Page:
    """The first page of the docs."""
    manifest, server = facts.manifest, facts.manifest.server
    connect, hot = clients(facts), {tool.name for tool in facts.hot.tools}
    values = {
        "title": markdown(facts.title),
        "description": markdown_block(server.description or ""),
        "version": markdown(f"Version {server.version}"),
        "count": plural(len(facts.tools), "tool"),
        "category_count": f"{len(facts.categories):,} categor{'y' if len(facts.categories) == 1 else 'ies'}",
        "install_links": " ".join(connect.links),
        "install_blocks": connect.blocks,
        "cost": list(_cost(facts)),
        "chart": _chart(facts) if facts.exposure == "progressive" else "",
        "steps": list(_steps(facts)),
        "hot": [_hot(tool, facts) for tool in facts.hot.tools],
        "hot_by": _HOT_BY[facts.hot.by],
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
            {"address": markdown_code(own.uri), "words": markdown(own.description)}
            for own in facts.resources_prompts.all_resources
        ],
        "categories": [_category(category, facts) for category in facts.categories],
    }
    return Page(f"docs/{pages.HOME}", "docs/index.md.jinja", values)


def _category(category: CategoryPlan, facts: CatalogFacts) -> dict[str, str]:
    """A category with the count of its own tools, and a few of their names."""
    own = [name for name in category.tools if name in facts.by_name]
    named = ", ".join(tool_link(name) for name in own[:_FEW])
    more = f" and {len(own) - _FEW:,} more" if len(own) > _FEW else ""
    return {
        "link": category_link(category.name, category.title),
        "count": plural(len(own), "tool"),
        "description": markdown(category.description),
        "tools": f"{named}{more}",
    }


def _hot(tool: ToolPlan, facts: CatalogFacts) -> str:
    """A tool of the hot list, with the labels of its quick actions and what was measured."""
    labels = ", ".join(markdown(label) for label in facts.quick_actions.get(tool.name, ()))
    label = f" ({labels})" if labels else ""
    measured = f" — {figures(tool.measured)}" if tool.measured else ""
    return f"{facts.link(tool.name)}{label}: {markdown(tool.summary)}{measured}"


def _cost(facts: CatalogFacts) -> Iterator[str]:
    """What an agent pays before its first call, in words that fit what this server lists."""
    direct, start = cost_of(facts.costs, "direct"), start_tokens(facts.costs)
    first = start + facts.typical_schema
    if facts.exposure == "direct":
        yield (
            f"An agent sees every tool at once, which costs it {direct:,} tokens when a conversation begins."
            " It can call any of them right away."
        )
        if first < direct:
            yield (
                "A client that loads tools only when they are needed can go step by step instead:"
                f" about {first:,} tokens until a first call."
            )
        return
    listed = (
        "its meta-tools" if facts.exposure == "progressive" else "its meta-tools and its hot tools"
    )
    yield (
        f"An agent does not see all of the {plural(len(facts.tools), 'tool')} at once, which would cost it"
        f" {direct:,} tokens before it has done anything. The server lists {listed}."
    )
    if first < direct:
        yield (
            f"It starts with an inventory, {start:,} tokens with the list, asks for the schema of the tool that"
            f" it needs, and makes its first call after about {first:,}: {first / direct:.1%} of the whole list."
        )


def _steps(facts: CatalogFacts) -> Iterator[dict[str, str]]:
    names = facts.meta_names
    yield {
        "call": markdown_code("tools/list"),
        "tokens": f"{cost_of(facts.costs, 'surface'):,}",
        "words": f"{plural(len(facts.meta), 'meta-tool')}: how to find the rest",
    }
    if "capabilities" in names:
        yield {
            "call": markdown_code(f"{names['capabilities']}()"),
            "tokens": f"{cost_of(facts.costs, 'capabilities'):,}",
            "words": "the inventory, as much of it as fits its budget",
        }
    if "schema" in names:
        yield {
            "call": markdown_code(f"{names['schema']}(tool)"),
            "tokens": f"about {facts.typical_schema:,}",
            "words": "all that a correct call of one tool needs",
        }
    runners = [names[role] for role in ("run_read", "run_write", "run") if role in names]
    if runners:
        yield {
            "call": " or ".join(markdown_code(runner) for runner in runners),
            "tokens": "",
            "words": "the call itself, held to the schema",
        }


def _chart(facts: CatalogFacts) -> str:
    """Bars, where they speak for what this server does."""
    direct, start = cost_of(facts.costs, "direct"), start_tokens(facts.costs)
    first = start + facts.typical_schema
    if first >= direct:
        return ""
    rows = [("every tool listed", direct), ("up to a first call", first), ("to start with", start)]
    return bars("start", "Tokens an agent pays", rows, "tokens", is_linear=True)


def _workflow(workflow: Workflow, facts: CatalogFacts) -> str:
    steps = " → ".join(facts.link(step) for step in workflow.steps)
    note = f"  \n  {markdown(workflow.description)}" if workflow.description else ""
    return f"{markdown(workflow.name)}: {steps}{note}"


def _prompt(prompt: Prompt) -> dict[str, str]:
    """A row of the table of prompts; arguments that may be omitted have a question mark."""
    arguments = (f"{own.name}{'' if own.required else '?'}" for own in prompt.arguments)
    return {
        "name": markdown_code(prompt.name),
        "arguments": ", ".join(map(markdown_code, arguments)),
        "words": markdown(prompt.description),
    }
