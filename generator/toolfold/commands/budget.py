"""`toolfold budget`: what every view, every tool and each exposure costs, beside its budget."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolfold.manifest.load import examine
from toolfold.plan.catalog import build_plan
from toolfold.plan.disclosure.budgets import DEFAULTS, budget_of, start_tokens
from toolfold.plan.model import Cost, Plan

_BAR: Final = 30


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
        return start_tokens(self.costs)

    def json(self) -> str:
        """The whole table as one JSON document."""
        record = {
            "unit": "o200k tokens",
            "exposure": self.exposure,
            "direct": self.direct,
            "progressive": self.progressive,
            "costs": [self._row(cost) for cost in self.costs],
        }
        return json.dumps(record, indent=2)

    def _row(self, cost: Cost) -> dict[str, str | int]:
        return {
            "name": cost.name,
            "tokens": cost.tokens,
            "budget": cost.budget,
            "limit": self.limits[cost.budget],
        }

    def text(self, *, with_bars: bool) -> str:
        """The table for people; a bar shows how much of its budget each row takes."""
        lines = [f"{'o200k tokens':<44} {'cost':>8} {'budget':>8}"]
        for cost in self.costs:
            limit = self.limits[cost.budget]
            mark = " over" if cost.tokens > limit else ""
            bar = "  " + "█" * min(_BAR, round(_BAR * cost.tokens / limit)) if with_bars else ""
            lines.append(f"{cost.name[:44]:<44} {cost.tokens:>8,} {limit:>8,}{bar}{mark}")
        share = self.progressive / self.direct if self.direct else 0
        lines.append("")
        lines.append(f"every tool listed: {self.direct:,}")
        lines.append(f"meta-tools and inventory: {self.progressive:,} ({share:.1%} of that)")
        lines.append(f"exposure: {self.exposure}")
        return "\n".join(lines)


def budget_report(manifest: Path) -> BudgetReport:
    """The costs of a manifest; ManifestError where it is refused, also for a budget exceeded."""
    loaded = examine(manifest)
    plan: Plan = build_plan(loaded, "../..")
    limits = {name: budget_of(loaded.manifest, name) for name in DEFAULTS}
    return BudgetReport(plan.exposure, plan.costs, limits)
