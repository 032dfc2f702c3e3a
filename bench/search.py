"""Figures of search: every labelled set through the server's own path, beside four other methods.

A catalog is imported and planned by toolfold, and asked by the code that a server runs. All
methods rank the same queries in one run. The sets are development halves: the method's constants
were chosen while looking at them.
"""

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from statistics import fmean, median
from typing import Any

import numpy as np
from splintr import Tokenizer
from toolfold.commands.evaluate import RANKING_LENGTH, Labelled, read_queries, scores
from toolfold.commands.search import Search, search_of
from toolfold_runtime.contract.vocabulary import STRATEGIES
from toolfold_runtime.search.answer import answer

from bench.catalogs import CATALOGS, SEED
from bench.measure import Figure, figure, python, run
from bench.others import NAMES, other_rankings
from bench.search_cost import cost_figures

QUERIES = CATALOGS.parent / "queries"
OURS = STRATEGIES
COMPARED = ("lexical", "hybrid")  # semantic is half of hybrid, not a choice of its own
METHODS = (*NAMES, *OURS)
_DRAWS = 5000
_QUICK = 150  # queries of a set


@dataclass(frozen=True)
class Difference:
    """The difference between two methods, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float

    def __str__(self) -> str:
        mark = " below" if self.high < 0 else ""
        return f"{self.mean:+.3f} [{self.low:+.3f}, {self.high:+.3f}]{mark}"


class Measured:
    """One labelled set: the quality of each method's ranking of each query."""

    def __init__(self, name: str, folder: Path, most: int | None) -> None:
        self.name = name
        self.queries = read_queries(QUERIES / f"{name}.jsonl")
        if most is not None and len(self.queries) > most:
            self.queries = random.Random(SEED).sample(self.queries, most)
        file = CATALOGS / f"{name}.json"
        manifest = folder / f"{name}.yaml"
        run(
            python("-m", "toolfold", "import", "tools", str(file), "-o", str(manifest)),
            folder,
        )
        searches = {strategy: search_of(manifest, strategy) for strategy in OURS}
        queries = [one.query for one in self.queries]
        rankings = other_rankings(json.loads(file.read_bytes())["tools"], queries)
        for strategy, search in searches.items():
            rankings[strategy] = [search.ranked_ids(query, RANKING_LENGTH) for query in queries]
        self.worth = {method: _worth(self.queries, rows) for method, rows in rankings.items()}
        self.tokens = median(_tokens(searches["lexical"], query) for query in queries)

    def mean(self, method: str, metric: str) -> float:
        """The mean of a metric over the queries."""
        return fmean(row[metric] for row in self.worth[method])

    def differences(self) -> dict[tuple[str, str], Difference]:
        """Of nDCG@10, paired by query, of ours against everything else."""
        pairs = [(ours, other) for ours in COMPARED for other in METHODS if ours != other]
        ndcg = {m: np.array([row["nDCG@10"] for row in self.worth[m]]) for m in METHODS}
        given = np.stack([ndcg[ours] - ndcg[other] for ours, other in pairs], axis=1)
        draw = np.random.default_rng(SEED)
        means = np.stack(
            [given[draw.integers(0, len(given), len(given))].mean(0) for _ in range(_DRAWS)]
        )
        low, high = np.percentile(means, [2.5, 97.5], axis=0)
        return {
            pair: Difference(float(given[:, at].mean()), float(low[at]), float(high[at]))
            for at, pair in enumerate(pairs)
        }


def _worth(queries: Sequence[Labelled], rankings: list[list[str]]) -> list[dict[str, float]]:
    return [scores(row, one.needs) for one, row in zip(queries, rankings, strict=True)]


def _tokens(search: Search, query: str) -> int:
    """The tokens of an answer with five results."""
    text = answer(search.finder.find(query, 5), search.finder.index, search.facts)
    return len(_TOKENIZER.encode_ordinary(text))


_TOKENIZER: Any = Tokenizer.from_pretrained("o200k_base")


def print_table(sets: Sequence[Measured]) -> None:
    """Every method on every set."""
    print(
        f"{'nDCG@10':<14}", *(f"{one.name[:9]:>9}" for one in sets), "     mean recall@5   all@10"
    )
    for method in METHODS:
        row = [f"{one.mean(method, 'nDCG@10'):9.3f}" for one in sets]
        means = [mean_of(sets, method, m) for m in ("nDCG@10", "recall@5", "all-needed@10")]
        print(f"{method:<14}", *row, *(f"{value:8.3f}" for value in means), flush=True)
    print(f"{'queries':<14}", *(f"{len(one.queries):9}" for one in sets), flush=True)


def print_differences(by_set: Mapping[str, Mapping[tuple[str, str], Difference]]) -> None:
    """Ours against each other method, set by set."""
    print("\ndifference of nDCG@10, paired bootstrap, 95 %")
    for name, differences in by_set.items():
        for (ours, other), difference in differences.items():
            print(f"{name:<16} {ours:<8} - {other:<13} {difference}")


def mean_of(sets: Sequence[Measured], method: str, metric: str) -> float:
    """The mean over sets: each counts the same, whatever its size."""
    return fmean(one.mean(method, metric) for one in sets)


def quality_figures(
    sets: Sequence[Measured], by_set: Mapping[str, Mapping[tuple[str, str], Difference]]
) -> Iterator[Figure]:
    """The figures of quality; a difference misses where its whole interval lies below 0."""
    halves = ("lexical", "semantic")
    for ours, others in (("lexical", NAMES[:2]), ("hybrid", NAMES), ("hybrid", halves)):
        against = {one.name: by_set[one.name][ours, _best(one, others)] for one in sets}
        where, worst = min(against.items(), key=lambda item: item[1].high)
        rivals = "its better half" if others == halves else f"best of {len(others)} others"
        name = f"search: {ours} - {rivals}, nDCG@10, least: {where}"
        yield Figure(name, worst.mean, worst.low, worst.high, 0, at_least=True)
    for metric, limits in (
        ("nDCG@10", {"lexical": 0.69, "hybrid": 0.72}),
        ("recall@5", {"lexical": 0.71, "hybrid": 0.75}),
        ("all-needed@10", {"hybrid": 0.72}),
    ):
        for ours, limit in limits.items():
            mean = mean_of(sets, ours, metric)
            yield figure(f"search: {ours}, mean {metric}", [mean], limit, at_least=True)
    for one in sets:
        if one.name == "livemcpbench":
            yield figure("search: five hits on livemcpbench, median", [one.tokens], 200, " tokens")


def _best(one: Measured, others: Sequence[str]) -> str:
    return max(others, key=lambda other: one.mean(other, "nDCG@10"))


def main() -> int:
    """Print the tables; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="rounds of the costs; default: 9")
    parser.add_argument("--quick", action="store_true", help=f"at most {_QUICK} queries of a set")
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        most = _QUICK if options.quick else None
        names = sorted(path.stem for path in QUERIES.glob("*.jsonl"))
        sets = [Measured(name, Path(folder), most) for name in names]
        print_table(sets)
        differences = {one.name: one.differences() for one in sets}
        print_differences(differences)
        queries = [[one.query for one in measured.queries] for measured in sets]
        print()
        for shown in chain(
            quality_figures(sets, differences),
            cost_figures(queries, options.pairs, Path(folder)),
        ):
            print(shown.row(), flush=True)
            missed += not shown.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
