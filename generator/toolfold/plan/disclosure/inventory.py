"""What inventory views are made of: a line per tool or per category, and facts of the server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from toolfold_runtime.contract.vocabulary import Format

from toolfold.manifest.schema import Manifest
from toolfold.plan.model import CategoryPlan, MetaToolPlan, ToolPlan


class ToolLine(NamedTuple):
    """A tool or meta-tool as inventories show it; a view holds only the fields that it shows."""

    name: str
    category: str
    summary: str = ""
    example: str | None = None
    signature: str = ""
    effect: str = ""
    tags: Sequence[str] = ()


class CategoryLine(NamedTuple):
    """A category as inventories show it."""

    name: str
    tool_count: int
    description: str


@dataclass(frozen=True)
class InventoryFacts:
    """What views show besides their lines, and how they refer to each other."""

    version: str
    #: The format that is answered with where none is asked for.
    format: Format
    tool_count: int
    #: Category to its description.
    descriptions: Mapping[str, str]
    workflows: tuple[tuple[str, tuple[str, ...]], ...]
    quick_actions: tuple[str, ...]
    #: The served name of the meta-tool; empty where it is switched off.
    capabilities: str
    next_step: str


@dataclass(frozen=True)
class Inventory:
    """All lines of a catalog, by category."""

    facts: InventoryFacts
    categories: tuple[CategoryLine, ...]
    #: The category's tools and meta-tools, in order.
    tools: Mapping[str, Sequence[ToolLine]]
    hot: frozenset[str]


def inventory_of(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
) -> Inventory:
    """Gather what is shown from the manifest and what was planned so far."""
    names = {tool.role: tool.name for tool in meta}
    lines = {tool.name: _meta_line(tool) for tool in meta if tool.category is not None}
    lines |= {tool.name: _tool_line(tool) for tool in tools}
    facts = InventoryFacts(
        version=manifest.server.version,
        format=manifest.disclosure.format,
        tool_count=len(lines),
        descriptions={c.name: c.description for c in categories},
        workflows=tuple((w.name, tuple(w.steps)) for w in manifest.workflows),
        quick_actions=tuple(manifest.disclosure.quick_actions),
        capabilities=names.get("capabilities", ""),
        next_step=_next_step(names),
    )
    return Inventory(
        facts,
        tuple(CategoryLine(c.name, len(c.tools), c.description) for c in categories),
        {c.name: [lines[name] for name in c.tools] for c in categories},
        frozenset(tool.name for tool in tools if tool.tier == "hot"),
    )


def _next_step(names: Mapping[str, str]) -> str:
    if "schema" in names:
        return f"{names['schema']}(tool)"
    return f"{names['search']}(query)" if "search" in names else ""


def _tool_line(tool: ToolPlan) -> ToolLine:
    return ToolLine(
        name=tool.name,
        category=tool.category,
        summary=tool.summary,
        example=tool.example,
        signature=tool.signature,
        effect=tool.effect,
        tags=tool.tags,
    )


def _meta_line(tool: MetaToolPlan) -> ToolLine:
    return ToolLine(
        name=tool.name,
        category=tool.category or "",
        summary=tool.summary,
        example=tool.example,
        signature=tool.signature,
        effect="destructive" if "destructive" in tool.effects else "read",
    )
