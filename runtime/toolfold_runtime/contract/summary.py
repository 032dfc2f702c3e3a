"""A tool as lists of tools show it: one line of `summaries.jsonl`."""

from typing import NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Tier


class Measured(NamedTuple):
    """What was measured of a tool's calls when tiers were last updated."""

    #: From 0 to 1; what tiers, order and ranking depend on.
    score: float
    #: In the 30 days before.
    calls: int
    #: From 0 to 1.
    success_rate: float
    #: On average, and of all but the slowest 5 %, in milliseconds.
    latency_ms: float
    p95_ms: float


class ToolSummary(NamedTuple):
    """What is shown of a tool before its schema is asked for. Lines are in the order of views."""

    name: str
    #: `server::tool`.
    id: str
    category: str
    description: str
    #: Top-level parameters: name to type, as in `string (required)`.
    params: dict[str, str]
    #: The type of the result in a word or two; empty where it is anything.
    returns: str
    effect: str
    tier: Tier | None
    #: None where no tier was measured.
    measured: Measured | None
    #: What it costs as it is shown, in compact JSON.
    tokens: int
    is_deprecated: bool = False

    def shown(self) -> Json:
        """What is told of the tool, without what nobody knows; this is what `tokens` counts."""
        shown: Json = {"name": self.name, "id": self.id, "category": self.category}
        shown |= {"description": self.description, "params": self.params}
        shown |= {"returns": self.returns} if self.returns else {}
        shown["effect"] = self.effect
        shown |= {"tier": self.tier} if self.tier else {}
        shown |= {"measured": self.measured._asdict()} if self.measured else {}
        return shown | ({"is_deprecated": True} if self.is_deprecated else {})
