"""`toolfold eval`: how well search finds what labelled queries need, in the current manifest."""

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Final

from toolfold.disk import refuse_links
from toolfold.errors import UsageError

#: The length of a ranking; metrics look at the first ten, reciprocal rank at all of these.
RANKING_LENGTH: Final = 20


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


def read_queries(path: Path) -> list[Labelled]:
    """Labelled queries, one JSON object a line; UsageError names the line that is not one."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"{path}: is not UTF-8; save it as UTF-8") from None
    queries: dict[str, Labelled] = {}
    # Not `splitlines`: a query may hold other characters that end a line.
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            labelled = _labelled(line, f"{path}:{number}")
            if labelled.id in queries:
                raise UsageError(f'{path}:{number}: a second query with the id "{labelled.id}"')
            queries[labelled.id] = labelled
    if not queries:
        raise UsageError(f"{path}: holds no queries")
    return list(queries.values())


def evaluate(
    queries: Iterable[Labelled], ranked: Callable[[str, int], Sequence[str]], known: Iterable[str]
) -> Evaluation:
    """Rank every query with `ranked`, which gives the best so many ids."""
    labelled = list(queries)
    rankings = {one.id: list(ranked(one.query, RANKING_LENGTH)) for one in labelled}
    rows = [scores(rankings[one.id], one.needs) for one in labelled]
    metrics = {name: fmean(row[name] for row in rows) for name in rows[0]}
    ids = set(known)
    unknown = sum(not need & ids for one in labelled for need in one.needs)
    return Evaluation(rankings, metrics, unknown)


def write_rankings(done: Evaluation, path: Path) -> None:
    """Write one JSON object per query: its id and the ids found, best first."""
    rows = ({"id": name, "ranking": ids} for name, ids in done.rankings.items())
    text = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
    refuse_links(path, Path.cwd())
    try:
        path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None


def scores(ranking: Sequence[str], needs: Sequence[frozenset[str]]) -> dict[str, float]:
    """What one ranking is worth; a need that is met twice counts once, where it is first met."""
    open_needs = list(needs)
    gains = []
    for id_ in ranking:
        met = next((need for need in open_needs if id_ in need), None)
        if met is not None:
            open_needs.remove(met)
        gains.append(met is not None)
    count = len(needs)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(count, 10)))
    gained = sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains[:10]))
    first = next((rank for rank, gain in enumerate(gains, start=1) if gain), 0)
    return {
        "hit@1": float(bool(gains and gains[0])),
        "recall@1": sum(gains[:1]) / count,
        "recall@5": sum(gains[:5]) / count,
        "recall@10": sum(gains[:10]) / count,
        "nDCG@10": gained / ideal,
        "MRR": 1 / first if first else 0.0,
        "all-needed@10": float(sum(gains[:10]) == count),
    }


def _labelled(line: str, place: str) -> Labelled:
    try:
        record = json.loads(line)
        name, query, relevant = str(record["id"]), record["query"], record["relevant"]
        groups = {frozenset(group): None for group in record.get("interchangeable") or ()}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        example = '{"id": …, "query": …, "relevant": ["server::tool", …]}'
        raise UsageError(f"{place}: not a labelled query like {example}") from None
    is_list = isinstance(relevant, list) and all(isinstance(one, str) for one in relevant)
    if not isinstance(query, str) or not is_list or not relevant:
        raise UsageError(f"{place}: `query` must be text and `relevant` a list of ids")
    single = dict.fromkeys(one for one in relevant if not any(one in group for group in groups))
    alone = [frozenset([one]) for one in single]
    wanted = [group for group in groups if group & set(relevant)]
    return Labelled(name, query, (*alone, *wanted))
