"""What pages are written from: the manifest, what was planned, and what follows from both."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median

from toolfold.manifest.schema import Manifest, Workflow
from toolfold.plan.model import CategoryPlan, Cost, MetaToolPlan, ToolPlan


@dataclass(frozen=True)
class Documented:
    """A catalog with every decision about it that pages repeat."""

    manifest: Manifest
    package: str
    categories: Sequence[CategoryPlan]
    meta: Sequence[MetaToolPlan]
    tools: Sequence[ToolPlan]
    exposure: str
    costs: Sequence[Cost]

    @property
    def title(self) -> str:
        """What the server is called for people."""
        return self.manifest.server.title or self.manifest.server.name

    @cached_property
    def by_name(self) -> dict[str, ToolPlan]:
        """The tools, by name."""
        return {tool.name: tool for tool in self.tools}

    @cached_property
    def listed(self) -> dict[str, int]:
        """What each tool costs when `tools/list` shows it."""
        return {tool.name: tool.tokens["listed"] for tool in self.tools}

    @cached_property
    def by_category(self) -> dict[str, int]:
        """What listing a category's own tools costs."""
        return {c.name: sum(self.listed.get(name, 0) for name in c.tools) for c in self.categories}

    @cached_property
    def meta_names(self) -> dict[str, str]:
        """The served name of each meta-tool by its role."""
        return {tool.role: tool.name for tool in self.meta}

    @cached_property
    def makers(self) -> dict[str, list[str]]:
        """The tools that generate a thing."""
        return self._by_thing("generates")

    @cached_property
    def takers(self) -> dict[str, list[str]]:
        """The tools that consume a thing."""
        return self._by_thing("consumes")

    @cached_property
    def workflows(self) -> dict[str, list[Workflow]]:
        """The workflows that a tool is a step of."""
        found: dict[str, list[Workflow]] = {}
        for workflow in self.manifest.workflows:
            for step in dict.fromkeys(workflow.steps):
                found.setdefault(step, []).append(workflow)
        return found

    @cached_property
    def quick_actions(self) -> dict[str, list[str]]:
        """The labels of the quick actions that a tool carries out."""
        found: dict[str, list[str]] = {}
        for label, tool in self.manifest.disclosure.quick_actions.items():
            found.setdefault(tool, []).append(label)
        return found

    def cost(self, budget: str) -> int:
        """The first cost that counts against a budget."""
        return next((cost.tokens for cost in self.costs if cost.budget == budget), 0)

    @cached_property
    def typical_schema(self) -> int:
        """What the schema of a tool costs, in the middle."""
        return round(median(tool.tokens["schema"] for tool in self.tools))

    def _by_thing(self, key: str) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for tool in self.tools:
            for thing in getattr(tool, key):
                found.setdefault(thing, []).append(tool.name)
        return found
