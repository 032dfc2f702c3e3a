"""`toolfold budget`: what every view, every tool and each exposure costs, beside its budget."""

from dataclasses import dataclass
from pathlib import Path

from toolfold.manifest.load import examine
from toolfold.plan.catalog import build_plan
from toolfold.plan.disclosure.budgets import DEFAULTS, budget_of
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
        return next(cost.tokens for cost in self.costs if cost.budget == "direct")

    @property
    def progressive(self) -> int:
        """What an agent pays to start: the meta-tools and the inventory."""
        parts = ("surface", "capabilities")
        return sum(cost.tokens for cost in self.costs if cost.budget in parts)


def budget_report(manifest: Path) -> BudgetReport:
    """The costs of a manifest; ManifestError where it is refused, also for a budget exceeded."""
    loaded = examine(manifest)
    plan = build_plan(loaded, "../..")
    limits = {name: budget_of(loaded.manifest, name) for name in DEFAULTS}
    return BudgetReport(plan.exposure, plan.costs, limits)
