"""Budgets in o200k tokens: the limits, and what happens where one is exceeded."""

from collections.abc import Sequence
from typing import Final

from toolfold_runtime.contract.definition import Definition

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.model import Cost
from toolfold.plan.problems import Problems
from toolfold.plan.schemas.served import input_origin, output_origin, served_output
from toolfold.plan.text.escape import json_text

DEFAULTS: Final = {
    "surface": 350,
    "direct": 4000,
    "capabilities": 500,
    "overview": 100,
    "category": 2000,
    "schema": 300,
    "hot": 2000,
    "hits": 200,
}


def budget_of(manifest: Manifest, name: str) -> int:
    """The manifest's budget of that name, or the default."""
    return _written(manifest, name) or DEFAULTS[name]


def listed_tokens(definition: Definition) -> int:
    """What a listed tool costs: name, description and input schema, as clients pass them on."""
    shown = {
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema,
    }
    return count(json_text(shown))


def check_budgets(manifest: Manifest, costs: Sequence[Cost], problems: Problems) -> None:
    """Fail where a budget that the manifest itself sets is exceeded, and say what costs most.

    A default that is exceeded is a warning. `direct` is no limit on anything: it decides between
    exposures.
    """
    for name in DEFAULTS:
        limit = _written(manifest, name)
        if name == "direct":
            continue
        if limit is None:
            _warn(name, costs, problems)
            continue
        over = [cost for cost in costs if cost.budget == name and cost.tokens > limit]
        if over:
            over.sort(key=lambda cost: (-cost.tokens, cost.name))
            largest = ", ".join(_with_parts(cost, manifest) for cost in over[:5])
            fact = f"{over[0].name} costs {over[0].tokens} tokens, the limit is {limit}"
            hint = f"{len(over)} over the limit: {largest}; shorten them or raise it"
            problems.error(("disclosure", "budgets", name), fact, hint, "budget")


def _with_parts(cost: Cost, manifest: Manifest) -> str:
    """A cost with what it is made of, where it is a tool's."""
    if cost.budget != "schema":
        return f"{cost.name} {cost.tokens}"
    tool = manifest.tools[cost.name]
    returned = output_origin(cost.name, tool, manifest.defs)
    fields = {
        "description": tool.description or tool.summary,
        "parameters": json_text(input_origin(cost.name, tool, manifest.defs).schema),
        "returns": json_text(served_output(returned.schema)[0]) if returned else "",
    }
    parts = ", ".join(f"{name} {count(text)}" for name, text in fields.items() if len(text) > 2)
    return f"{cost.name} {cost.tokens} ({parts})"


def _warn(name: str, costs: Sequence[Cost], problems: Problems) -> None:
    report = problems.reporter(is_foreign=True)
    for cost in costs:
        if cost.budget == name and cost.tokens > DEFAULTS[name]:
            path = ("tools", cost.name) if name == "schema" else ("disclosure",)
            fact = f"{cost.name} costs {cost.tokens} tokens, more than the usual {DEFAULTS[name]}"
            hint = f"shorten it, or set `disclosure.budgets.{name}`"
            report(path, fact, hint, "budget", of_key=True)


def _written(manifest: Manifest, name: str) -> int | None:
    given: int | None = getattr(
        manifest.disclosure.budgets, "schema_" if name == "schema" else name
    )
    return given
