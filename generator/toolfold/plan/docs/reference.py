"""Two pages of reference: how an agent uses the server, and what everything costs."""

import re
from collections.abc import Iterator
from typing import Final

from toolfold_runtime.contract import pages
from toolfold_runtime.contract.vocabulary import Code

from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.docs.charts import bars
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.links import category_link, tool_link
from toolfold.plan.model import Cost, MetaToolPlan, Page
from toolfold.plan.text.escape import markdown, markdown_code, markdown_fence
from toolfold.plan.text.paths import file_stem

_ERRORS: Final[dict[Code, str]] = {
    "unknown_tool": "No tool has that name. The answer lists the nearest names; nothing is rerouted.",
    "unknown_category": "No category has that name. The answer lists the nearest ones.",
    "invalid_arguments": (
        "The arguments break the tool's schema. The answer names each parameter, what was expected"
        " and what came, and shows the signature and a valid call."
    ),
    "invalid_result": (
        "The implementation answered with something that its schema does not allow, or that cannot"
        " be sent."
    ),
    "effect_refused": "The runner does not run tools of this effect. The answer names the one that does.",
    "forbidden": "The caller's token lacks scopes that the tool needs. The answer names them.",
    "unconfirmed": (
        "The user was asked and did not agree, or must be asked and the client cannot do it. The"
        " answer says which."
    ),
    "backend_failed": "The implementation or the server behind the tool failed, or there is none.",
    "definition_changed": (
        "The server behind the tool describes it otherwise than when it was reviewed, or has it no more."
        " It is not run until somebody has looked at the change."
    ),
    "timeout": "The call took too long and was given up, or too many earlier ones still hang.",
    "budget_exceeded": "The answer would cost more tokens than its budget allows, or is too large to send.",
}
#: Where agents may run programs.
_PROGRAM_ERRORS: Final[dict[Code, str]] = {
    "invalid_program": (
        "The program is wrong, and nothing was called. The answer says in which lines, why, and what"
        " to write instead."
    ),
    "program_failed": (
        "The program failed while it ran. The answer has the line, and how many calls were made before."
    ),
}
_MAX_BARS: Final = 20
_PAGE: Final = re.compile(r" \d+/\d+$")
_MAX_TOOLS: Final = 25


def agents_page(facts: CatalogFacts) -> Page:
    """The meta-tools one by one, what is deprecated, and every error that a call can return."""
    has_programs = any(tool.runs_programs for tool in facts.meta)
    errors = _ERRORS | (_PROGRAM_ERRORS if has_programs else {})
    values = {
        "title": markdown(facts.title),
        "meta": [_meta(tool) for tool in facts.meta],
        "deprecated": [
            f"{tool_link(tool.name)}: {facts.deprecation(tool.name, with_reason=True)}"
            for tool in facts.tools
            if tool.deprecated is not None
        ],
        "errors": [{"code": code, "words": words} for code, words in errors.items()],
    }
    return Page(f"docs/{pages.AGENTS}", "docs/agents.md.jinja", values)


def _meta(tool: MetaToolPlan) -> dict[str, str]:
    return {
        "anchor": file_stem(tool.name),
        "name": markdown_code(tool.name),
        "words": markdown(tool.definition.description),
        "signature": markdown_fence(tool.signature, "text"),
    }


def tokens_page(facts: CatalogFacts) -> Page:
    """The token report: views, categories and the most expensive tools, beside their budgets."""
    titles = {category.name: category.title for category in facts.categories}
    categories = sorted(facts.listed_by_category.items(), key=lambda item: (-item[1], item[0]))
    rows = [(titles[name], tokens) for name, tokens in categories[:_MAX_BARS]]
    if rest := sum(tokens for _, tokens in categories[_MAX_BARS:]):
        rows.append((f"{len(categories) - _MAX_BARS} more", rest))
    tools = sorted(facts.listed.items(), key=lambda item: (-item[1], item[0]))[:_MAX_TOOLS]
    schemas = {tool.name: tool.tokens["schema"] for tool in facts.tools}
    values = {
        "chart": bars(
            "categories", "Tokens of each category when its tools are listed", rows, "tokens"
        ),
        "views": list(_views(facts)),
        "categories": [
            {"link": category_link(name, titles[name]), "tokens": f"{tokens:,}"}
            for name, tokens in categories
        ],
        "tools": [
            {"link": tool_link(name), "schema": f"{schemas[name]:,}", "listed": f"{tokens:,}"}
            for name, tokens in tools
        ],
        "is_truncated": len(facts.tools) > _MAX_TOOLS,
    }
    return Page(f"docs/{pages.TOKENS}", "docs/tokens.md.jinja", values)


def _views(facts: CatalogFacts) -> Iterator[dict[str, str]]:
    """A row for each view of the whole catalog: its pages, and the dearest beside its budget."""
    groups: dict[str, list[Cost]] = {}
    for cost in facts.costs:
        if cost.budget != "schema" and not cost.category:
            groups.setdefault(_PAGE.sub("", cost.name), []).append(cost)
    for name, costs in groups.items():
        most = max(cost.tokens for cost in costs)
        budget = budget_of(facts.manifest, costs[0].budget)
        yield {
            "name": markdown(name),
            "pages": f"{len(costs):,}",
            "tokens": f"{most:,}" if most <= budget else f"**{most:,}, over budget**",
            "budget": f"{budget:,}",
        }
