"""The effect of usage on search: every labelled set with and without usage scores, in one run.

Usage is drawn twice. Independent of the labels, as where agents ask for what they seldom use: no set
may lose. And preferring tools that some query of the set needs, as where agents ask for what they
use: what there is to gain.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean

from toolfold.commands.evaluate import RANKING_LENGTH, Labelled, read_queries, scores
from toolfold.commands.search import search_of

from bench.catalogs import CATALOGS, SEED
from bench.measure import figure, python, run

QUERIES = CATALOGS.parent / "queries"
_LIMIT = 0.002
_QUICK = 150
_USED = 0.3  # the share of tools that anybody calls
_POOR = 0.2  # the share of these that are slow, fail, or are hardly called any more


def main() -> int:
    """Print a row per set; 1 where one loses more than the limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help=f"at most {_QUICK} queries of a set")
    most = _QUICK if parser.parse_args().quick else None
    losses = []
    print(f"{'nDCG@10':<16} {'without':>9} {'drawn':>9} {'needed':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(QUERIES.glob("*.jsonl")):
            plain, drawn, needed = _measured(path.stem, Path(folder), most)
            losses.append(plain - drawn)
            print(f"{path.stem:<16} {plain:9.4f} {drawn:9.4f} {needed:9.4f}", flush=True)
    shown = figure("search: what a set loses by usage of other tools, most", [max(losses)], _LIMIT)
    print(shown.row())
    return 0 if shown.is_met else 1


def _measured(name: str, folder: Path, most: int | None) -> tuple[float, float, float]:
    """The mean nDCG@10 of a set without usage, with drawn usage, and with usage of what is needed."""
    queries = read_queries(QUERIES / f"{name}.jsonl")
    draw = random.Random(SEED)
    if most is not None and len(queries) > most:
        queries = draw.sample(queries, most)
    manifest = folder / f"{name}.yaml"
    file = CATALOGS / f"{name}.json"
    run(python("-m", "toolfold", "import", "tools", str(file), "-o", str(manifest)), folder)
    plain = search_of(manifest, "lexical")
    names = {id_: name for name, id_ in plain.ids.items()}
    needed = {names[id_] for one in queries for group in one.needs for id_ in group if id_ in names}
    overlay = folder / f"{name}.tiers.yaml"
    manifest.write_text(
        f"{manifest.read_text(encoding='utf-8')}\noverlays: [{overlay.name}]\n", encoding="utf-8"
    )
    before = _mean(plain.ranked_ids, queries)
    overlay.write_text(_overlay(_drawn(sorted(plain.ids), set(), draw)), encoding="utf-8")
    drawn = _mean(search_of(manifest, "lexical").ranked_ids, queries)
    overlay.write_text(_overlay(_drawn(sorted(plain.ids), needed, draw)), encoding="utf-8")
    return before, drawn, _mean(search_of(manifest, "lexical").ranked_ids, queries)


def _drawn(names: Sequence[str], preferred: set[str], draw: random.Random) -> dict[str, float]:
    """Scores of the tools that are used, the most used ones first by Zipf's law, some of them poor."""
    order = draw.sample(names, len(names))
    order.sort(key=lambda name: name not in preferred)
    used = order[: max(1, int(_USED * len(order)))]
    scored = {name: 0.5 + 0.5 / (rank + 1) ** 0.3 for rank, name in enumerate(used)}
    poor = draw.sample(used, int(_POOR * len(used)))
    return scored | {name: draw.uniform(0.05, 0.3) for name in poor}


def _overlay(by_name: dict[str, float]) -> str:
    lines = [
        f"  {name}: {{measured: {{score: {score:.2f}, calls: 100, success_rate: 1, latency_ms: 50, p95_ms: 90}}}}"
        for name, score in by_name.items()
    ]
    return "\n".join(["tools:", *lines, ""])


def _mean(ranked: Callable[[str, int], list[str]], queries: Sequence[Labelled]) -> float:
    rows = (scores(ranked(one.query, RANKING_LENGTH), one.needs) for one in queries)
    return fmean(row["nDCG@10"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
