"""Sums of costs that several places show."""

from collections.abc import Iterable

from toolfold.plan.model import Cost


def start_tokens(costs: Iterable[Cost]) -> int:
    """The tokens that an agent needs to start: for the listed meta-tools, and the inventory."""
    return sum(cost.tokens for cost in costs if cost.budget in ("surface", "capabilities"))


def cost_of(costs: Iterable[Cost], budget: str) -> int:
    """The first cost that counts against a budget."""
    return next((cost.tokens for cost in costs if cost.budget == budget), 0)
