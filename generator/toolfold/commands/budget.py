"""`toolfold budget`: what every view, every tool and each exposure costs, beside its budget."""

from dataclasses import dataclass
from pathlib import Path

from toolfold.compile import plan_manifest
from toolfold.manifest.load import load_with_problems
from toolfold.manifest.schema import BUDGETS
from toolfold.plan.disclosure.budgets import budget_of
from toolfold.plan.disclosure.costs import cost_of, start_tokens
from toolfold.plan.model import Cost


@dataclass(frozen=True)
class BudgetReport:
    """All costs of a manifest, with the limits they count against."""

    exposure: str
    costs: tuple[Cost, ...]
    limits: dict[str, int]

    @property
    def direct(self) -> int:
        """What listing every tool costs."""
        return cost_of(self.costs, "direct")

    @property
    def progressive(self) -> int:
        """What an agent pays to start: the meta-tools and the inventory."""
        return start_tokens(self.costs)


def budget_report(manifest: Path) -> BudgetReport:
    """The costs of a manifest; ManifestError where it is refused, also for a budget exceeded."""
    loaded = load_with_problems(manifest)
    plan = plan_manifest(loaded)
    limits = {name: budget_of(loaded.manifest, name) for name in BUDGETS}
    return BudgetReport(plan.facts.exposure, plan.costs, limits)
