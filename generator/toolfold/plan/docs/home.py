"""The first page: what the server does, how to connect it, and what its disclosure saves."""

from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.prompt import Prompt

from toolfold.manifest.schema import Workflow
from toolfold.plan.disclosure.costs import cost_of, start_tokens
from toolfold.plan.docs.charts import bars, chains
from toolfold.plan.docs.clients import clients
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_link, plural
from toolfold.plan.model import CategoryPlan, Page
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code

_EXPOSURES: Final = {
    "direct": "This server lists every tool, and the steps below are there for whoever wants less.",
    "progressive": "This server lists its meta-tools only.",
    "hybrid": "This server lists its meta-tools and its hot tools.",
}


def home_page(facts: CatalogFacts) -> Page:
    """The first page of the docs."""
    manifest, server = facts.manifest, facts.manifest.server
    values = {
        "title": markdown(facts.title),
        "description": markdown_block(server.description or ""),
        "version": markdown(f"Version {server.version}"),
        "count": plural(len(facts.tools), "tool"),
        "category_count": f"{len(facts.categories):,} categor{'y' if len(facts.categories) == 1 else 'ies'}",
        "summary": _summary(facts),
        "exposure": _EXPOSURES[facts.exposure],
        "steps": list(_steps(facts)),
        "chart": _chart(facts),
        "clients": clients(facts),
        "categories": [_category(category, facts) for category in facts.categories],
        "quick_actions": [
            f"{markdown(label)}: {facts.link(name)}"
            for label, name in manifest.disclosure.quick_actions.items()
        ],
        "workflows": [_workflow(workflow, facts) for workflow in manifest.workflows],
        "graph": chains(
            "workflows",
            "The tools of each workflow, in order",
            [(w.name, w.steps) for w in manifest.workflows],
        )
        if manifest.workflows
        else "",
        "prompts": [_prompt(prompt) for prompt in facts.resources_prompts.prompts],
        "resources": [
            {"address": markdown_code(own.uri), "words": markdown(own.description)}
            for own in facts.resources_prompts.all_resources
        ],
    }
    return Page(f"docs/{pages.HOME}", "docs/index.md.jinja", values)


def _category(category: CategoryPlan, facts: CatalogFacts) -> dict[str, str]:
    return {
        "link": category_link(category.name, category.title),
        "count": f"{len(category.tools):,}",
        "tokens": f"{facts.listed_by_category[category.name]:,}",
        "description": markdown(category.description),
    }


def _summary(facts: CatalogFacts) -> str:
    direct, start = cost_of(facts.costs, "direct"), start_tokens(facts.costs)
    first = start + facts.typical_schema
    if first >= direct:
        return (
            f"Listing every tool costs {direct:,} tokens. That is little, so the steps of"
            f" progressive disclosure ({first:,} until a first call) would not save any here."
        )
    return (
        f"Listing every tool would cost an agent {direct:,} tokens before it has done anything."
        f" Step by step, it starts with {start:,} and knows enough for a first call after"
        f" about {first:,}: {first / direct:.1%} of that."
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
    start = start_tokens(facts.costs)
    rows = [
        ("every tool listed", cost_of(facts.costs, "direct")),
        ("up to a first call", start + facts.typical_schema),
        ("to start with", start),
    ]
    return bars("start", "Tokens an agent pays: direct against progressive", rows, "tokens")


def _workflow(workflow: Workflow, facts: CatalogFacts) -> str:
    steps = " → ".join(facts.link(step) for step in workflow.steps)
    note = f" — {markdown(workflow.description)}" if workflow.description else ""
    return f"{markdown(workflow.name)}: {steps}{note}"


def _prompt(prompt: Prompt) -> dict[str, str]:
    """A row of the table of prompts; arguments that may be omitted have a question mark."""
    arguments = (f"{own.name}{'' if own.required else '?'}" for own in prompt.arguments)
    return {
        "name": markdown_code(prompt.name),
        "arguments": ", ".join(map(markdown_code, arguments)),
        "words": markdown(prompt.description),
    }
