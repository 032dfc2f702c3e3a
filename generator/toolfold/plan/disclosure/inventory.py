"""What views are made of: one line per tool, grouped by category."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.tokens import Counter
from toolfold.plan.model import CategoryPlan, MetaToolPlan, ToolPlan


class Line(NamedTuple):
    """A tool or meta-tool as inventories show it."""

    name: str
    category: str
    summary: str = ""
    example: str | None = None
    signature: str = ""
    effect: str = ""
    tier: str | None = None
    tags: Sequence[str] = ()


@dataclass(frozen=True)
class Inventory:
    """Everything inventories are written from."""

    version: str
    format: str
    categories: tuple[CategoryPlan, ...]
    lines: Mapping[str, Line | ToolPlan]
    workflows: tuple[tuple[str, tuple[str, ...]], ...]
    quick_actions: Mapping[str, str]
    capabilities: str
    next_step: str
    count: Counter

    def chosen(self, category: str) -> Sequence[CategoryPlan]:
        """One category if it is named, else all."""
        return (self.by_name[category],) if category else self.categories

    def of(self, category: str) -> list[Line | ToolPlan]:
        """The lines of one category or of all, in order."""
        return [self.lines[name] for c in self.chosen(category) for name in c.tools]

    @cached_property
    def by_name(self) -> dict[str, CategoryPlan]:
        """The categories by name."""
        return {category.name: category for category in self.categories}


def inventory_of(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
    count: Counter,
) -> Inventory:
    """Gather it from the manifest and what was planned so far."""
    names = {tool.role: tool.name for tool in meta}
    lines: dict[str, Line | ToolPlan] = {
        tool.name: _meta_line(tool) for tool in meta if tool.category is not None
    }
    lines |= {tool.name: tool for tool in tools}
    return Inventory(
        version=manifest.server.version,
        format=manifest.disclosure.format,
        categories=tuple(categories),
        lines=lines,
        workflows=tuple((w.name, tuple(w.steps)) for w in manifest.workflows),
        quick_actions=manifest.disclosure.quick_actions,
        capabilities=names.get("capabilities", ""),
        next_step=_next_step(names),
        count=count,
    )


def _next_step(names: Mapping[str, str]) -> str:
    if "schema" in names:
        return f"{names['schema']}(tool)"
    return f"{names['search']}(query)" if "search" in names else ""


def _meta_line(tool: MetaToolPlan) -> Line:
    return Line(
        name=tool.name,
        category=tool.category or "",
        summary=tool.summary,
        example=tool.example,
        signature=tool.signature,
        effect="destructive" if "destructive" in tool.effects else "read",
        tier=None,
    )
