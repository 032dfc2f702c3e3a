"""A tool as lists of tools show it: one line of `summaries.jsonl`."""

from typing import NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import Tier


class Measured(NamedTuple):
    """The measured figures of a tool's calls when tiers were last updated."""

    #: From 0 to 1; what tiers, order and ranking depend on.
    score: float
    #: In the 30 days before.
    calls: int
    #: From 0 to 1.
    success_rate: float
    #: On average, and of all but the slowest 5 %, in milliseconds.
    latency_ms: float
    p95_ms: float

    def shown(self) -> Json:
        """The figures by name, whole numbers as such."""
        return {name: _short(value) for name, value in self._asdict().items()}


class ToolSummary(NamedTuple):
    """A tool as it is shown before its schema is asked for. Lines are in the order of views."""

    name: str
    #: `server::tool`.
    id: str
    category: str
    description: str
    #: Top-level parameters: name to type, as in `str (required)`.
    params: dict[str, str]
    #: The type of the result in a word or two; empty where it is anything.
    returns: str
    effect: str
    tier: Tier | None
    #: None where no tier was measured.
    measured: Measured | None
    #: Its tokens as it is shown, in compact JSON.
    tokens: int
    is_deprecated: bool = False
    #: Parameters that `params` leaves out.
    more_params: int = 0

    @property
    def server(self) -> str:
        """The server that the tool is of."""
        return self.id.partition("::")[0]

    def shown(self) -> Json:
        """The fields as plain data without unknown ones; `tokens` counts these."""
        shown: Json = {"name": self.name, "id": self.id, "server": self.server}
        shown["category"] = self.category
        shown |= {"description": self.description, "params": self.params}
        shown |= {"more_params": self.more_params} if self.more_params else {}
        shown |= {"returns": self.returns} if self.returns else {}
        shown["effect"] = self.effect
        shown |= {"tier": self.tier} if self.tier else {}
        shown |= {"measured": self.measured.shown()} if self.measured else {}
        return shown | ({"is_deprecated": True} if self.is_deprecated else {})


def _short(value: float) -> float:
    return int(value) if value == int(value) else value
