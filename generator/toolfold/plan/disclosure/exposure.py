"""How a catalog is disclosed: its views, the default one, the exposure, and what each costs."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.vocabulary import DEFAULT_VIEW, EXPOSURES, Detail, Exposure

from toolfold.manifest.schema import Manifest
from toolfold.plan.disclosure.budgets import budget_of, check_budgets, listed_tokens
from toolfold.plan.disclosure.inventory import Inventory, inventory_of
from toolfold.plan.disclosure.paginate import Page, view, whole
from toolfold.plan.disclosure.render import Ask
from toolfold.plan.disclosure.tokens import Counter
from toolfold.plan.disclosure.views import Views, catalog_views, category_views, page_line
from toolfold.plan.kept import Kept, Texts
from toolfold.plan.model import CategoryPlan, Cost, MetaToolPlan, ToolPlan
from toolfold.plan.problems import Problems
from toolfold.plan.search.results import rest_tokens

# From the richest to the leanest, with what each leaves out; the first that fits its budget in
# one page is the default.
_RICHEST_FIRST: Final[dict[Detail, str]] = {
    "full": "",
    "summaries": "",
    "names": "summaries",
    "overview": "tool names",
    "counts": "tool names",
}
_INSTRUCTIONS: Final = 2000  # clients cut instructions at 2,048 characters


@dataclass(frozen=True)
class Disclosed:
    """Every decision about disclosure."""

    exposure: Exposure
    default_view: Detail
    instructions: dict[Exposure, str]
    hot: list[str]
    #: The lines of the inventory, and of each category.
    inventory: list[str]
    categories: dict[str, str]
    costs: list[Cost]


def disclose(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    categories: Sequence[CategoryPlan],
    meta: Sequence[MetaToolPlan],
    texts: Texts,
    kept: Kept | None,
    problems: Problems,
) -> Disclosed:
    """Write every view within its budget and choose what is shown first."""
    key = {"counts": kept.shared} if kept else {}
    known = kept.last(key) if kept else {}
    counter = Counter(json.loads(known.get("counts", "{}")))
    inventory = inventory_of(manifest, tools, categories, meta, counter)
    views = catalog_views(manifest, inventory, kept)
    by_category = category_views(manifest, inventory, tools, texts, kept)
    default = _default_view(manifest, inventory)
    if kept:
        kept.keep_last(key, {"counts": json.dumps(counter.known)})
    shown = [*views, *by_category.values()]
    costs = list(_costs(manifest, tools, meta, shown, default[0]))
    check_budgets(manifest, costs, problems)
    return Disclosed(
        exposure=_exposure(manifest, costs),
        default_view=default[0].ask.detail,
        instructions={e: _instructions(manifest, meta, e) for e in EXPOSURES},
        hot=_hot(manifest, tools),
        inventory=[*(page_line(p, DEFAULT_VIEW) for p in default), *(v.lines for v in views)],
        categories={name: own.lines for name, own in by_category.items()},
        costs=costs,
    )


def _default_view(manifest: Manifest, inventory: Inventory) -> list[Page]:
    """The richest view that fits the budget of `capabilities` whole, else the leanest in pages."""
    budget = budget_of(manifest, "capabilities")
    form = manifest.disclosure.format
    asks = [
        Ask(detail, format=form, left_out=out, is_default=True)
        for detail, out in _RICHEST_FIRST.items()
    ]
    for ask in asks:
        page = whole(inventory, ask, budget)
        if page is not None and page.tokens <= budget:
            return [page]
    return view(inventory, asks[-1], budget)


def _exposure(manifest: Manifest, costs: Sequence[Cost]) -> Exposure:
    chosen = manifest.disclosure.exposure
    if chosen != "auto":
        return chosen
    direct = next(cost.tokens for cost in costs if cost.budget == "direct")
    return "direct" if direct <= budget_of(manifest, "direct") else "progressive"


def _hot(manifest: Manifest, tools: Sequence[ToolPlan]) -> list[str]:
    """The hot tools, as many as fit their budget when they are listed."""
    room = budget_of(manifest, "hot")
    chosen = []
    for tool in tools:
        if tool.tier == "hot" and tool.tokens["listed"] <= room:
            room -= tool.tokens["listed"]
            chosen.append(tool.name)
    return chosen


def _costs(
    manifest: Manifest,
    tools: Sequence[ToolPlan],
    meta: Sequence[MetaToolPlan],
    shown: Sequence[Views],
    default: Page,
) -> Iterator[Cost]:
    yield Cost("surface", sum(listed_tokens(tool.definition) for tool in meta), "surface")
    listed = sum(tool.tokens["listed"] for tool in tools)
    yield Cost("every tool listed", listed, "direct")
    yield Cost(f"capabilities() ({default.ask.detail})", default.tokens, "capabilities")
    for views in shown:
        yield from views.costs
    schema = next((tool.name for tool in meta if tool.role == "schema"), "")
    longest = max((tool.hit_tokens[-1] for tool in tools), default=0)
    yield Cost("the shortest answer to a search", longest + rest_tokens(schema), "hits")
    for tool in tools:
        yield Cost(tool.name, tool.tokens["schema"], "schema")


def _instructions(manifest: Manifest, meta: Sequence[MetaToolPlan], exposure: str) -> str:
    """How to start, before what the server is: clients cut the end."""
    names = {tool.role: tool.name for tool in meta}
    steps = []
    if "capabilities" in names:
        steps.append(f"Start with {names['capabilities']}() for the inventory")
    if "schema" in names:
        steps.append(f"ask {names['schema']}(tool) before a tool's first call")
    runners = [names[role] for role in ("run_read", "run_write", "run") if role in names]
    if runners and exposure != "direct":
        steps.append(f"run unlisted tools with {' or '.join(runners)}")
    start = ", ".join(steps)
    start = f"{start[0].upper()}{start[1:]}." if start else ""
    own = manifest.server.instructions or manifest.server.description or ""
    return "\n".join(part for part in (start, own.strip()) if part)[:_INSTRUCTIONS]
