"""`toolfold budget --tiers`: what an agent has paid after each step into the catalog."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from toolfold_runtime.catalog.schema_answer import Asked, schema_answer
from toolfold_runtime.contract.codec import decode
from toolfold_runtime.contract.server import run_step, runner_for
from toolfold_runtime.contract.tool import ToolEntry, share_of

from toolfold.compile import plan_manifest
from toolfold.manifest.load import load_with_problems
from toolfold.plan.disclosure.costs import cost_of
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.model import Cost, Plan, ToolPlan

_SCHEMAS: Final = 10  # that the last step asks for
_LIMITS: Final = {"T0": 2_000, "T1": 4_000, "T2": 8_000, "T3": 12_000}
_WAYS_OUT: Final = {
    "T0": "set `disclosure.budgets.hot` lower, or make fewer tools hot",
    "T1": "use fewer categories, or shorten their descriptions",
    "T2": "set `disclosure.budgets.category` lower",
    "T3": "set `disclosure.budgets.details` lower",
}


class Tier(NamedTuple):
    """A step, what it costs with all before it, the limit of that, and what to do beyond it."""

    name: str
    what: str
    tokens: int
    limit: int
    way_out: str

    @property
    def is_over(self) -> bool:
        """Whether more is paid than the step may cost."""
        return self.tokens > self.limit


class TiersReport(NamedTuple):
    """The steps of a manifest, what listing every tool costs, and which schemas are shown whole."""

    tiers: tuple[Tier, ...]
    listed: int
    tools: int
    #: Tools whose whole schema costs no more than its share of an answer, and than an answer.
    share: int
    share_fits: int
    details: int
    details_fit: int


def tiers_report(manifest: Path) -> TiersReport:
    """The steps of a manifest; ManifestError where it is refused."""
    plan = plan_manifest(load_with_problems(manifest))
    schemas = [tool.tokens["schema"] for tool in plan.tools]
    details = plan.facts.details
    share = share_of(details)
    return TiersReport(
        tuple(_with_cause(list(_tiers(plan)))),
        cost_of(plan.costs, "direct"),
        len(schemas),
        share,
        sum(tokens <= share for tokens in schemas),
        details,
        sum(tokens <= details for tokens in schemas),
    )


def _with_cause(tiers: Sequence[Tier]) -> Iterator[Tier]:
    """The steps; one that is over because of an earlier step alone says so."""
    for place, tier in enumerate(tiers):
        earlier = [previous for previous in tiers[:place] if previous.name != tier.name]
        before = earlier[-1] if earlier else None
        first = next((previous for previous in earlier if previous.is_over), None)
        if before and first and tier.tokens - before.tokens <= tier.limit - before.limit:
            yield tier._replace(way_out=f"it would fit if {first.name} did")
        else:
            yield tier


def _tiers(plan: Plan) -> Iterator[Tier]:
    costs = plan.costs
    pages = [cost.tokens for cost in costs if cost.category]
    first = _of_view(costs, "hot")[:1]
    overview = _of_view(costs, "overview")
    by_size = sorted(plan.tools, key=lambda tool: (tool.tokens["schema"], tool.name))
    middle = max(0, len(by_size) // 2 - _SCHEMAS // 2)
    paid = sum(first)
    yield _tier("T0", "the hot list", paid)
    paid += sum(overview)
    yield _tier("T1", f"and the overview, pages: {len(overview)}", paid)
    paid += max(pages, default=0)
    yield _tier("T2", "and the largest page of a category", paid)
    for what, chosen in (
        ("ten schemas of median size", by_size[middle : middle + _SCHEMAS]),
        ("the ten largest schemas, shortened", by_size[-_SCHEMAS:]),
    ):
        yield _tier("T3", f"and {what}", paid + _answered(plan, chosen))


def _tier(name: str, what: str, tokens: int) -> Tier:
    return Tier(name, what, tokens, _LIMITS[name], _WAYS_OUT[name])


def _of_view(costs: Sequence[Cost], detail: str) -> list[int]:
    """What the pages of a view of all tools cost."""
    return [
        cost.tokens
        for cost in costs
        if not cost.category and cost.budget == detail and cost.name.split(" ")[0] == detail
    ]


def _answered(plan: Plan, tools: Sequence[ToolPlan]) -> int:
    """What one answer with the schemas of some tools costs, as a server would give it."""
    facts, asked = plan.facts, []
    for tool in tools:
        entry = decode(ToolEntry, json.loads(tool.entry))
        step = run_step(runner_for(facts.runners, entry.effect), facts.arguments)
        asked.append(Asked(tool.name, entry, step))
    return count("\n".join(schema_answer(asked, facts.details, facts.schema_tool or "")))
