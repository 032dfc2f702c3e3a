"""Budgets in o200k tokens: the limits, what costs count against them, and what exceeds one."""

from collections.abc import Sequence
from typing import Final

from toolfold_runtime.contract.definition import Definition

from toolfold.manifest.schema import BUDGETS, CodeMode, Manifest
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.findings import Findings
from toolfold.plan.model import Cost
from toolfold.plan.schemas.served import input_schema, output_schema
from toolfold.plan.text.escape import json_text

#: What the meta-tools that run programs may take beside the others.
_CODE_MODE: Final[dict[CodeMode, int]] = {"off": 0, "read": 120, "write": 180}


def budget_of(manifest: Manifest, name: str) -> int:
    """The manifest's budget of that name, or the default."""
    return _written(manifest, name) or _default(manifest, name)


def listed_tokens(definition: Definition) -> int:
    """The tokens of a listed tool: name, description and input schema, as clients pass them on."""
    shown = {
        "name": definition.name,
        "description": definition.description,
        "inputSchema": definition.input_schema,
    }
    return count(json_text(shown))


def check_budgets(manifest: Manifest, costs: Sequence[Cost], findings: Findings) -> None:
    """Report an error for an exceeded budget that the manifest sets, naming what costs most.

    A default that is exceeded is a warning. `direct` is no limit on anything: it decides between
    exposures.
    """
    for name in BUDGETS:
        limit = _written(manifest, name)
        if name == "direct":
            continue
        if limit is None:
            _warn(name, costs, manifest, findings)
            continue
        over = [cost for cost in costs if cost.budget == name and cost.tokens > limit]
        if over:
            over.sort(key=lambda cost: (-cost.tokens, cost.name))
            most = ", ".join(_explained(cost, manifest) for cost in over[:5])
            fact = f"{over[0].name} costs {over[0].tokens} tokens, the limit is {limit}"
            hint = f"{len(over)} over the limit: {most}; shorten them or raise it"
            findings.error(("disclosure", "budgets", name), fact, hint, "budget")


def _explained(cost: Cost, manifest: Manifest) -> str:
    """A cost and, where it is a tool's, what each part of the tool contributes."""
    if cost.budget != "schema":
        return f"{cost.name} {cost.tokens}"
    tool = manifest.tools[cost.name]
    returned = output_schema(tool, manifest.defs)
    texts = {
        "description": tool.full_description,
        "parameters": json_text(input_schema(tool, manifest.defs)),
        "returns": json_text(returned) if returned else "",
    }
    parts = ", ".join(f"{name} {count(text)}" for name, text in texts.items() if len(text) > 2)
    return f"{cost.name} {cost.tokens} ({parts})"


def _warn(name: str, costs: Sequence[Cost], manifest: Manifest, findings: Findings) -> None:
    usual = _default(manifest, name)
    for cost in costs:
        # What is shown of an operation keeps a budget of its own already.
        tool = manifest.tools.get(cost.name) if name == "schema" else None
        is_operation = tool is not None and tool.is_operation
        if cost.budget == name and cost.tokens > usual and not is_operation:
            path = ("tools", cost.name) if name == "schema" else ("disclosure",)
            fact = f"{cost.name} costs {cost.tokens} tokens, more than the usual {usual}"
            is_foreign = name == "schema" and manifest.server_of(cost.name) is not None
            # Its schema is its server's.
            way_out = (
                "shorten its description in an overlay, or hide it" if is_foreign else "shorten it"
            )
            hint = f"{way_out}, or set `disclosure.budgets.{name}`"
            findings.warning(path, fact, hint, "budget", of_key=True)


def _default(manifest: Manifest, name: str) -> int:
    return BUDGETS[name] + (_CODE_MODE[manifest.disclosure.code] if name == "surface" else 0)


def _written(manifest: Manifest, name: str) -> int | None:
    given: int | None = getattr(
        manifest.disclosure.budgets, "schema_" if name == "schema" else name
    )
    return given
