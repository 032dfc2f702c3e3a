"""Scores and tiers from figures of usage; nothing here knows where the figures come from.

Only calls that were carried out count: one that is asked back, refused or cancelled says nothing
about the tool, and a tool that asks its user would count each of its calls twice.
"""

from collections.abc import Iterable, Mapping
from math import floor
from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Tier
from toolfold_runtime.usage.figures import ToolFigures

from toolfold.manifest.schema import Tiers

#: Calls in 30 days from which more of them make no difference.
MOST_CALLS: Final = 10_000
#: Milliseconds of an average call from which it is as slow as can be.
SLOWEST_MS: Final = 1_000
#: The most tools that usage makes hot.
MOST_HOT: Final = 15


class Parts(NamedTuple):
    """What each part contributes to a score."""

    popularity: float
    success: float
    latency: float
    recency: float


class Score(NamedTuple):
    """What usage says about a tool that was called often enough."""

    #: In the manifest.
    name: str
    tier: Tier
    #: From 0 to 1, the sum of its parts.
    score: float
    parts: Parts
    figures: ToolFigures

    @property
    def calls(self) -> int:
        """Calls in 30 days that were carried out."""
        return self.figures.ran


def scores(
    rules: Tiers,
    ids: Mapping[str, str],
    month: Mapping[str, ToolFigures],
    week: Mapping[str, ToolFigures],
) -> list[Score]:
    """The tools with enough calls in the `month`, the best first and equals by name.

    `ids` has the id of each tool of the manifest; figures are by id.
    """
    scored = [
        _score(name, rules, month[id_], week.get(id_))
        for name, id_ in ids.items()
        if id_ in month and month[id_].ran >= rules.least_calls
    ]
    return _with_few_hot(
        sorted(scored, key=lambda tool_score: (-tool_score.score, tool_score.name))
    )


def _score(name: str, rules: Tiers, month: ToolFigures, week: ToolFigures | None) -> Score:
    calls = month.ran
    weights = rules.weights
    given = Parts(weights.popularity, weights.success, weights.latency, weights.recency)
    values = Parts(
        popularity=min(calls / MOST_CALLS, 1.0),
        success=month.success_rate,
        latency=max(0.0, 1 - month.latency_ms / SLOWEST_MS),
        recency=min(week.ran / calls, 1.0) if week else 0.0,
    )
    whole = sum(given) or 1.0
    pairs = zip(given, values, strict=True)
    parts = Parts(*(weight * value / whole for weight, value in pairs))
    # Sums of decimal fractions are off in their last digits, and a threshold may be met exactly.
    total = min(1.0, round(sum(parts), 9))
    return Score(name, _tier(total, rules), total, parts, month)


def _tier(score: float, rules: Tiers) -> Tier:
    if score >= rules.thresholds.hot:
        return "hot"
    if score >= rules.thresholds.warm:
        return "warm"
    return "standard" if score >= rules.thresholds.standard else "cold"


def _with_few_hot(best_first: Iterable[Score]) -> list[Score]:
    """The scores, of which no more than the best few are hot."""
    kept: list[Score] = []
    hot = 0
    for tool_score in best_first:
        hot += tool_score.tier == "hot"
        is_over = tool_score.tier == "hot" and hot > MOST_HOT
        kept.append(tool_score._replace(tier="warm") if is_over else tool_score)
    return kept


def shown_score(score: float) -> float:
    """A score with two digits, rounded down so that it is below a threshold where the score is."""
    return floor(round(score * 100, 6)) / 100
