"""`toolfold eval`: how well search finds what labelled queries need, in the current manifest."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

from toolfold.errors import UsageError

#: How many of a ranking are kept; metrics look at the first ten, reciprocal rank at all of these.
KEPT: Final = 20

_METRICS: Final = (
    "hit@1",
    "recall@1",
    "recall@5",
    "recall@10",
    "nDCG@10",
    "MRR",
    "all-needed@10",
)


@dataclass(frozen=True)
class Labelled:
    """A query and what it needs: each need is met by any one of its ids."""

    id: str
    query: str
    needs: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class Evaluation:
    """The rankings of all queries, and what they are worth on average."""

    rankings: dict[str, list[str]]
    metrics: dict[str, float]
    unknown: int

    def text(self) -> str:
        """The figures for people."""
        lines = [f"{name:<14} {value:.3f}" for name, value in self.metrics.items()]
        if self.unknown:
            lines.append(f"{self.unknown} needed ids are not in this manifest and count as missed")
        return "\n".join([f"{len(self.rankings)} queries", *lines])

    def json(self) -> str:
        """The figures for machines."""
        return json.dumps(
            {"queries": len(self.rankings), **self.metrics, "unknown_ids": self.unknown}
        )

    def lines(self) -> str:
        """One JSON object per query: its id and the ids found, best first."""
        rows = ({"id": name, "ranking": found} for name, found in self.rankings.items())
        return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def read_queries(path: Path) -> list[Labelled]:
    """Labelled queries, one JSON object a line; UsageError names the line that is not one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from None
    found: dict[str, Labelled] = {}
    # Not `splitlines`: a query may hold other characters that end a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            labelled = _labelled(line, f"{path}:{number}")
            if labelled.id in found:
                raise UsageError(f'{path}:{number}: a second query with the id "{labelled.id}"')
            found[labelled.id] = labelled
    if not found:
        raise UsageError(f"{path}: holds no queries")
    return list(found.values())


def evaluate(
    queries: Iterable[Labelled], ranked: Callable[[str, int], Sequence[str]], known: Iterable[str]
) -> Evaluation:
    """Rank every query with `ranked`, which gives the best so many ids."""
    labelled = list(queries)
    rankings = {one.id: list(ranked(one.query, KEPT)) for one in labelled}
    rows = [scores(rankings[one.id], one.needs) for one in labelled]
    metrics = {name: fmean(row[name] for row in rows) for name in _METRICS}
    ids = set(known)
    unknown = sum(not need & ids for one in labelled for need in one.needs)
    return Evaluation(rankings, metrics, unknown)


def write_rankings(done: Evaluation, path: Path) -> None:
    """Write what was found for each query."""
    try:
        path.write_text(done.lines(), encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def scores(ranking: Sequence[str], needs: Sequence[frozenset[str]]) -> dict[str, float]:
    """What one ranking is worth; a need that is met twice counts once, where it is first met."""
    open_needs = list(needs)
    gains = []
    for found in ranking:
        met = next((need for need in open_needs if found in need), None)
        if met is not None:
            open_needs.remove(met)
        gains.append(met is not None)
    wanted = len(needs)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(wanted, 10)))
    gained = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:10]))
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), 0)
    return {
        "hit@1": float(bool(gains and gains[0])),
        "recall@1": sum(gains[:1]) / wanted,
        "recall@5": sum(gains[:5]) / wanted,
        "recall@10": sum(gains[:10]) / wanted,
        "nDCG@10": gained / ideal,
        "MRR": 1 / first if first else 0.0,
        "all-needed@10": float(sum(gains[:10]) == wanted),
    }


def _labelled(line: str, place: str) -> Labelled:
    try:
        read: Any = json.loads(line)
        name, query, relevant = str(read["id"]), read["query"], read["relevant"]
        groups = {frozenset(group): None for group in read.get("interchangeable") or ()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        form = '{"id": …, "query": …, "relevant": ["server::tool", …]}'
        raise UsageError(f"{place}: not a labelled query like {form}") from None
    is_list = isinstance(relevant, list) and all(isinstance(one, str) for one in relevant)
    if not isinstance(query, str) or not is_list or not relevant:
        raise UsageError(f"{place}: `query` must be text and `relevant` a list of ids")
    single = dict.fromkeys(one for one in relevant if not any(one in group for group in groups))
    alone = [frozenset([one]) for one in single]
    wanted = [group for group in groups if group & set(relevant)]
    return Labelled(name, query, (*alone, *wanted))
