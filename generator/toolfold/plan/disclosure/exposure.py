"""How a catalog is disclosed: the default view, the exposure, the instructions, and the costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.server import is_listed, run_step
from toolfold_runtime.contract.vocabulary import DEFAULT_VIEW, EXPOSURES, Detail, Exposure

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of, check_budgets, listed_tokens
from toolfold.plan.disclosure.inventory import Inventory
from toolfold.plan.disclosure.paginate import InventoryPage, ViewSource, on_one_page, paginate
from toolfold.plan.disclosure.ranking import MOST_HOT, hot_tools
from toolfold.plan.disclosure.search_results import reserved_tokens
from toolfold.plan.disclosure.view_request import ViewRequest
from toolfold.plan.disclosure.views import (
    Views,
    inventory_lines,
    lines_of,
    page_line,
    view_costs,
)
from toolfold.plan.findings import Findings
from toolfold.plan.model import Cost, MetaToolPlan, ToolPlan

# From the richest to the leanest, with what each omits; the first that fits its budget in one
# page is the default.
_RICHEST_FIRST: Final[dict[Detail, tuple[str, ...]]] = {
    "full": (),
    "summaries": (),
    "names": ("summaries",),
    "overview": ("tool names",),
    "counts": ("tool names",),
}
_LONGEST_INSTRUCTIONS: Final = 2000  # clients cut instructions at 2,048 characters


@dataclass(frozen=True)
class Disclosure:
    """Every decision about disclosure."""

    exposure: Exposure
    default_view: Detail
    instructions: dict[Exposure, str]
    hot: list[str]
    #: The tools with what they cost as they are disclosed.
    tools: tuple[ToolPlan, ...]
    #: The lines of the catalog's inventory file.
    inventory: list[str]
    costs: list[Cost]


def plan_disclosure(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    inventory: Inventory,
    views: Views,
    findings: Findings,
) -> Disclosure:
    """Choose what is shown first and hold every view to its budget."""
    exposure, hot = _exposure(manifest, tools), _hot(manifest, tools)
    tools = tuple(_with_costs(tool, exposure, hot) for tool in tools)
    default = _default_view(manifest, inventory)
    costs = list(_costs(tools, meta, [*view_costs(views, inventory)], default[0]))
    check_budgets(manifest, costs, findings)
    return Disclosure(
        exposure=exposure,
        default_view=default[0].detail,
        instructions={e: _instructions(manifest, meta, e, findings) for e in EXPOSURES},
        hot=hot,
        tools=tools,
        inventory=[*(page_line(p, DEFAULT_VIEW) for p in default), *inventory_lines(views)],
        costs=costs,
    )


def _default_view(manifest: Manifest, inventory: Inventory) -> Sequence[InventoryPage]:
    """The richest view that fits the budget of `capabilities` on one page; else the leanest, in pages."""
    budget = budget_of(manifest, "capabilities")
    form = inventory.facts.format
    for detail, omitted in _RICHEST_FIRST.items():
        request = ViewRequest(detail, format=form, omitted=omitted, is_default=True)
        source = ViewSource(request, lines_of(inventory, detail), budget)
        page = on_one_page(source, inventory.facts)
        if page is not None and page.tokens <= budget:
            return [page]
    return paginate(source, inventory.facts)


def _exposure(manifest: Manifest, tools: Sequence[ToolPlan]) -> Exposure:
    chosen = manifest.disclosure.exposure
    if chosen != "auto":
        return chosen
    fits = _direct_tokens(tools) <= budget_of(manifest, "direct")
    return "direct" if fits else "progressive"


def _direct_tokens(tools: Sequence[ToolPlan]) -> int:
    return sum(tool.tokens["listed"] for tool in tools)


def _with_costs(tool: ToolPlan, exposure: Exposure, hot: Sequence[str]) -> ToolPlan:
    """A tool with the token costs of its views, whose next step depends on the exposure."""
    if not is_listed(tool.name, exposure, hot):
        return tool
    return tool._replace(tokens=tool.tokens | tool.tokens_if_listed)


def _hot(manifest: Manifest, tools: Sequence[ToolPlan]) -> list[str]:
    """The hot tools, the best first, as many as fit their budget when they are listed."""
    remaining = budget_of(manifest, "hot")
    chosen: list[str] = []
    for tool in hot_tools(tools):
        if len(chosen) < MOST_HOT and tool.tokens["listed"] <= remaining:
            remaining -= tool.tokens["listed"]
            chosen.append(tool.name)
    return chosen


def _costs(
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    views: Sequence[Cost],
    default: InventoryPage,
) -> Iterator[Cost]:
    yield Cost("surface", sum(listed_tokens(tool.definition) for tool in meta), "surface")
    yield Cost("every tool listed", _direct_tokens(tools), "direct")
    yield Cost(f"capabilities() ({default.detail})", default.tokens, "capabilities")
    yield from views
    schema = next((tool.name for tool in meta if tool.role == "schema"), "")
    longest = max((tool.result_tokens[-1] for tool in tools), default=0)
    yield Cost("the shortest answer to a search", longest + reserved_tokens(schema), "hits")
    for tool in tools:
        yield Cost(tool.name, tool.tokens["schema"], "schema")


def _instructions(
    manifest: Manifest, meta: Sequence[MetaToolPlan], exposure: Exposure, findings: Findings
) -> str:
    """The instructions: first how to start, then what the server is, because clients cut the end."""
    names = {tool.role: tool.name for tool in meta}
    steps = []
    if "capabilities" in names:
        steps.append(f"Start with {names['capabilities']}() for the inventory")
    if "schema" in names:
        steps.append(f"ask {names['schema']}(tool) before a tool's first call")
    runners = [names[role] for role in ("run_read", "run_write", "run") if role in names]
    if runners and exposure != "direct":
        step = run_step(" or ".join(runners), manifest.disclosure.arguments)
        steps.append(f"run unlisted tools with {step}")
    if "code" in names:
        steps.append(f"do what takes several reading calls in one program with {names['code']}")
    start = ", ".join(steps)
    start = f"{start[0].upper()}{start[1:]}." if start else ""
    author_text = (manifest.server.instructions or manifest.server.description or "").strip()
    text = "\n".join(part for part in (start, author_text) if part)
    if len(text) <= _LONGEST_INSTRUCTIONS:
        return text
    if exposure == EXPOSURES[-1]:  # one warning is enough
        _warn_of_long_instructions(manifest, len(text), findings)
    head = text[: _LONGEST_INSTRUCTIONS - 1]
    whole_words = head.rsplit(None, 1)[0]
    return f"{whole_words if len(whole_words) > len(head) // 2 else head}…"


def _warn_of_long_instructions(manifest: Manifest, length: int, findings: Findings) -> None:
    key = "instructions" if manifest.server.instructions else "description"
    fact = f"truncated: with how to start, {length:,} characters are sent to clients"
    hint = f"clients read no more than {_LONGEST_INSTRUCTIONS:,}; say the most important first"
    findings.warning(("server", key), fact, hint, "instructions")
