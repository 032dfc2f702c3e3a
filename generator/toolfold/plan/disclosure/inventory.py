"""What inventory views are made of: a line per tool or per category, and facts of the server."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Format, HotBy

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.deprecation import mark, marked
from toolfold.plan.disclosure.ranking import HotList, popular
from toolfold.plan.disclosure.truncate import truncated
from toolfold.plan.model import CategoryPlan, MetaToolPlan, ToolPlan

_LONGEST_SIGNATURE: Final = 1_000  # characters
_SPEEDS: Final = ("fast", "medium", "slow")


class ToolLine(NamedTuple):
    """A tool or meta-tool in a view, which holds only the fields that it shows."""

    name: str
    category: str
    summary: str = ""
    example: str | None = None
    signature: str = ""
    effect: str = ""
    tags: Sequence[str] = ()
    #: As in `ToolPlan`.
    deprecated: str | None = None
    #: The signature within a line, and the type of the result.
    call: str = ""
    returns: str = ""
    #: The average latency, or all figures; empty if nothing was measured.
    latency: str = ""
    figures: str = ""

    @property
    def described(self) -> str:
        """The beginning of the summary, marked where the tool is deprecated."""
        return marked(truncated(self.summary), self.deprecated)

    @property
    def listed_signature(self) -> str:
        """The signature; the compact one where the full one alone would fill a page."""
        return self.signature if len(self.signature) <= _LONGEST_SIGNATURE else self.call


class CategoryLine(NamedTuple):
    """A category in a view."""

    name: str
    tool_count: int
    description: str
    #: From its tools' declarations: the tokens of an average result and the usual speed.
    tokens: int | None = None
    speed: str = ""
    #: How many servers its tools are of, where that is more than one.
    server_count: int = 0
    #: The tools that usage or the manifest recommends.
    popular: tuple[str, ...] = ()


@dataclass(frozen=True)
class InventoryFacts:
    """What views show besides their lines, and the names of the meta-tools that they mention."""

    version: str
    #: The default format of answers.
    format: Format
    tool_count: int
    #: Category to its description.
    descriptions: Mapping[str, str]
    #: Server and number of its tools, where there are several and categories do not say as much.
    servers: tuple[tuple[str, int], ...]
    workflows: tuple[tuple[str, tuple[str, ...]], ...]
    #: Label and tool.
    quick_actions: tuple[tuple[str, str], ...]
    #: The served name of the meta-tool; empty where it is switched off.
    capabilities: str
    next_step: str
    #: The criterion by which tools are hot.
    hot_by: HotBy = "order"
    #: Whether any category has popular tools, and any tools of several servers.
    has_popular: bool = False
    has_server_counts: bool = False


@dataclass(frozen=True)
class Inventory:
    """The tools and meta-tools of every category, in order."""

    facts: InventoryFacts
    categories: tuple[CategoryLine, ...]
    tools: Mapping[str, Sequence[ToolPlan | MetaToolPlan]]
    #: The tools to show first.
    hot: tuple[ToolPlan, ...] = ()


def inventory_of(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
    hot: HotList,
) -> Inventory:
    """Gather what is shown from the manifest and what was planned so far."""
    names = {tool.role: tool.name for tool in meta}
    by_name: dict[str, ToolPlan | MetaToolPlan] = {tool.name: tool for tool in meta}
    by_name |= {tool.name: tool for tool in tools}
    members = {c.name: [by_name[name] for name in c.tools] for c in categories}
    lines = tuple(_category(c, manifest, members[c.name]) for c in categories)
    facts = InventoryFacts(
        version=manifest.server.version,
        format=manifest.disclosure.format,
        tool_count=sum(line.tool_count for line in lines),
        descriptions={line.name: line.description for line in lines},
        servers=_servers(tools),
        workflows=tuple(
            (w.name, tuple(_step(by_name[step]) for step in w.steps)) for w in manifest.workflows
        ),
        quick_actions=tuple(
            (label, _step(by_name[name]))
            for label, name in manifest.disclosure.quick_actions.items()
        ),
        capabilities=names.get("capabilities", ""),
        next_step=_next_step(names),
        hot_by=hot.by,
        has_popular=any(line.popular for line in lines),
        has_server_counts=any(line.server_count for line in lines),
    )
    return Inventory(facts, lines, members, hot.tools)


def _servers(tools: Sequence[ToolPlan]) -> tuple[tuple[str, int], ...]:
    counts = Counter(_server(tool) for tool in tools)
    places = {(_server(tool), tool.category) for tool in tools}
    is_said = len(places) == len(counts) == len({category for _, category in places})
    return () if len(counts) == 1 or is_said else tuple(sorted(counts.items()))


def _server(tool: ToolPlan) -> str:
    return tool.id.partition("::")[0]


def _category(
    category: CategoryPlan, manifest: Manifest, planned: Sequence[ToolPlan | MetaToolPlan]
) -> CategoryLine:
    """A category with typical tokens and speed of its tools, where any of them declares these."""
    tools = [manifest.tools[name] for name in category.tools if name in manifest.tools]
    stated = [tool.performance for tool in tools if tool.performance is not None]
    tokens = [performance.tokens for performance in stated if performance.tokens is not None]
    speeds: list[str] = [
        performance.speed for performance in stated if performance.speed is not None
    ]
    servers = {_server(tool) for tool in planned if isinstance(tool, ToolPlan)}
    return CategoryLine(
        category.name,
        len(category.tools),
        truncated(category.description),
        _rounded(sum(tokens) / len(tokens)) if tokens else None,
        # Of two that are equally common, the slower one.
        max(_SPEEDS, key=lambda speed: (speeds.count(speed), _SPEEDS.index(speed)))
        if speeds
        else "",
        len(servers) if len(servers) > 1 else 0,
        popular(planned),
    )


def _rounded(tokens: float) -> int:
    """The number rounded to two digits, as it is an estimate."""
    unit: int = 10 ** max(0, len(str(round(tokens))) - 2)
    return round(tokens / unit) * unit


def _step(tool: ToolPlan | MetaToolPlan) -> str:
    return f"{tool.name} {mark(tool.deprecated)}".rstrip()


def _next_step(names: Mapping[str, str]) -> str:
    if "schema" in names:
        return f"{names['schema']}(tool)"
    return f"{names['search']}(query)" if "search" in names else ""
