"""What pages say of a catalog as a whole: the manifest, what was planned, and sums over both."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import TypeVar

from toolfold.manifest.schema import Manifest, Workflow
from toolfold.plan.disclosure.ranking import HotList
from toolfold.plan.docs.links import tool_link
from toolfold.plan.model import CategoryPlan, Cost, MetaToolPlan, ResourcesPrompts, ToolPlan
from toolfold.plan.text.escape import markdown, markdown_code

Value = TypeVar("Value")


@dataclass(frozen=True)
class CatalogFacts:
    """A planned catalog, with the look-ups and sums that several pages need."""

    manifest: Manifest
    package: str
    categories: Sequence[CategoryPlan]
    meta: Sequence[MetaToolPlan]
    tools: Sequence[ToolPlan]
    exposure: str
    costs: Sequence[Cost]
    resources_prompts: ResourcesPrompts
    #: The tools to show first, and what decided that.
    hot: HotList
    #: The names of the tools that the exposure `hybrid` lists.
    listed_hot: Sequence[str]

    @property
    def title(self) -> str:
        """The server's name for people."""
        return self.manifest.server.display_title

    @cached_property
    def by_name(self) -> dict[str, ToolPlan]:
        """The tools by name, without meta-tools."""
        return {tool.name: tool for tool in self.tools}

    def deprecation(self, name: str, root: str = "", *, with_reason: bool = False) -> str:
        """What pages say of a deprecated tool, as Markdown; empty where a tool is not deprecated."""
        deprecation = self.manifest.tools[name].deprecation
        if deprecation is None:
            return ""
        use, since, reason = deprecation.use, deprecation.since, deprecation.reason
        other = tool_link(use or "", root) if use in self.by_name else markdown_code(use or "")
        parts = [f"use {other}."] if use else []
        parts += [markdown(reason)] if reason and with_reason else []
        title = markdown(f"Deprecated since {since}") if since and with_reason else "Deprecated"
        return f"**{title}:** {' '.join(parts)}" if parts else f"**{title}.**"

    def link(self, name: str) -> str:
        """A link to a tool from the root of the docs, which says where it is deprecated."""
        is_deprecated = self.manifest.tools[name].deprecation is not None
        return f"{tool_link(name)} (deprecated)" if is_deprecated else tool_link(name)

    @cached_property
    def listed(self) -> dict[str, int]:
        """By tool, its tokens in `tools/list`."""
        return {tool.name: tool.tokens["listed"] for tool in self.tools}

    @cached_property
    def listed_by_category(self) -> dict[str, int]:
        """By category, the tokens of its tools in `tools/list`, without meta-tools."""
        return {c.name: sum(self.listed.get(name, 0) for name in c.tools) for c in self.categories}

    @cached_property
    def meta_names(self) -> dict[str, str]:
        """The served name of each meta-tool by its role."""
        return {tool.role: tool.name for tool in self.meta}

    @cached_property
    def producers(self) -> dict[str, list[str]]:
        """By thing, the tools that generate it."""
        tools = self.manifest.tools.items()
        return _grouped((thing, name) for name, tool in tools for thing in tool.generates)

    @cached_property
    def consumers(self) -> dict[str, list[str]]:
        """By thing, the tools that consume it."""
        tools = self.manifest.tools.items()
        return _grouped((thing, name) for name, tool in tools for thing in tool.consumes)

    @cached_property
    def workflows(self) -> dict[str, list[Workflow]]:
        """By tool, the workflows that it is a step of."""
        flows = self.manifest.workflows
        return _grouped((step, flow) for flow in flows for step in dict.fromkeys(flow.steps))

    @cached_property
    def quick_actions(self) -> dict[str, list[str]]:
        """By tool, the labels of its quick actions."""
        actions = self.manifest.disclosure.quick_actions
        return _grouped((tool, label) for label, tool in actions.items())

    @cached_property
    def typical_schema(self) -> int:
        """The median cost of a tool's schema."""
        return round(median(tool.tokens["schema"] for tool in self.tools))


def _grouped(pairs: Iterable[tuple[str, Value]]) -> dict[str, list[Value]]:
    """The second of each pair, in order, by the first."""
    groups: dict[str, list[Value]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups
