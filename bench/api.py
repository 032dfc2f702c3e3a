"""Figures of the catalog API with 1,641 real tools: CPU of a request, latency, answers that were ready.

CPU is of the server process, on one connection, beside a bare Starlette route on the same
configuration of uvicorn that sends bytes made before, of the same size. Latencies and rates are
those of a drawn hour: its requests are sent one after the other without waiting in between, to a
server that was just started, by

- 200 sessions of agents, each on a connection of its own, since 1,000 calls an hour in sessions
  of five are 200 of them;
- each asks for the hot list; one in two for the categories;
- then for one to three categories, by Zipf's law, and after each page for the next one in three times;
- then for five tools, by Zipf's law over all, in an order drawn anew: what is popular has nothing
  to do with where it stands.

No client keeps an answer, though `Cache-Control` lets them: that would leave out the requests that
are answered soonest.
"""

import argparse
import json
import random
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import quantiles
from typing import Any
from urllib.parse import quote

from toolfold_runtime.usage.rows import UsageRow, bucket_of
from toolfold_runtime.usage.sqlite import open_sqlite

from bench.catalogs import CATALOGS, SEED
from bench.measure import Figure, figure, print_figures, python, run
from bench.served import ROOT
from bench.streams import WebServer

_CATALOG = CATALOGS / "mcp-servers.json"
_API = "/api/v1/tools"
_MOST_RATIO = 1.5
#: Milliseconds, and the share of answers that were ready.
_LATENCIES = {"hot": 20, "categories": 30, "category": 50, "tool": 100}
_RATES = {"hot": 0.95, "categories": 0.90, "category": 0.70, "tool": 0.50}
_TIERS = {"hot": "T0", "categories": "T1", "category": "T2", "tool": "T3"}
_SESSIONS, _TOOLS_OF_A_SESSION, _MOST_CATEGORIES, _NEXT = 200, 5, 3, 1 / 3
_TURNS = 5

Asked = tuple[str, str]  # a kind of answer, and an address


class Catalog:
    """A generated server of the tools, with tiers by a drawn month of usage."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = json.loads(_CATALOG.read_bytes())["tools"]
        self.ids: list[tuple[str, str]] = [(tool["server"], tool["name"]) for tool in tools]
        self.usage = folder / "usage.db"
        toolfold = python("-m", "toolfold")
        run([*toolfold, "import", "tools", str(_CATALOG)], folder)
        fill_month(self.usage, self.ids)
        run([*toolfold, "tiers", "update", "--usage", str(self.usage)], folder)
        with (folder / "tools.yaml").open("a", encoding="utf-8") as manifest:
            manifest.write("\noverlays: [tiers.yaml]\n")
        run([*toolfold, "generate", "-q"], folder)

    def web(self) -> WebServer:
        """A new process with the API."""
        usage = ("--usage", str(self.usage))
        command = python("-m", "toolfold", "serve", "--http", "--api", *usage, "--port")
        return WebServer(command, self.folder, {})


def fill_month(path: Path, ids: Sequence[tuple[str, str]]) -> None:
    """A usage store of a month: calls by Zipf's law over a third of the tools, in a drawn order."""
    draw = random.Random(SEED)
    used = draw.sample(ids, len(ids) // 3)
    hour = int(time.time()) // 3600 - 24
    rows = []
    for rank, (server, name) in enumerate(used):
        calls, millis = 40_000 // (rank + 1), draw.lognormvariate(5, 0.8)
        failed = int(calls * draw.uniform(0, 0.05))
        for outcome, number in (("ok", calls - failed), ("backend_failed", failed)):
            key = (f"{server}::{name}", outcome, hour, bucket_of(millis))
            rows.append(UsageRow(*key, number, number * millis, hour * 3600.0))
    store = open_sqlite(path, makes_folder=False)
    store.add(sorted(row for row in rows if row.calls))
    store.close()


def cpu_figures(catalog: Catalog, pairs: int, times: int) -> Iterator[Figure]:
    """CPU of a request of each tier over that of a bare route."""
    addresses = {"hot": "/hot", "categories": "/categories"}
    with catalog.web() as ours:
        first = _json(ours, f"{_API}/hot")["tools"][0]
        addresses["category"] = f"/category/{quote(first['category'], safe='')}"
        addresses["tool"] = "/{}/{}".format(*first["id"].split("::"))
        sizes = [len(ours.get(_API + address)) for address in addresses.values()]
        bare = python(str(ROOT / "bench" / "bare_route.py"), ",".join(map(str, sizes)))
        with WebServer(bare, ROOT, {}) as theirs:
            for place, (kind, address) in enumerate(addresses.items()):
                sides = ((ours, _API + address), (theirs, f"/{place}"))
                ratios = [_ratio(sides, times) for _ in range(pairs)]
                name = f"api: {_TIERS[kind]} {kind}, {sizes[place]:,} bytes / bare route, CPU"
                yield figure(name, ratios, _MOST_RATIO)


def _ratio(sides: Sequence[tuple[WebServer, str]], times: int) -> float:
    """CPU of the first side over that of the second, in short turns: a busy machine is busy for both."""
    spent = [0.0, 0.0]
    for _ in range(_TURNS):
        for place, (server, address) in enumerate(sides):
            server.get(address)
            before = server.cpu()
            for _ in range(times // _TURNS):
                server.get(address)
            spent[place] += server.cpu() - before
    return spent[0] / spent[1]


def drawn_session(draw: random.Random, tools: Sequence[str], names: Sequence[str]) -> list[Asked]:
    """What one session asks for, but for the next pages of categories."""
    requests = [("hot", "/hot")]
    if draw.random() < 0.5:
        requests.append(("categories", "/categories"))
    for name in _by_zipf(draw, names, draw.randint(1, _MOST_CATEGORIES)):
        requests.append(("category", f"/category/{quote(name, safe='')}"))
    return requests + [("tool", path) for path in _by_zipf(draw, tools, _TOOLS_OF_A_SESSION)]


def _by_zipf(draw: random.Random, best_first: Sequence[str], count: int) -> list[str]:
    weights = [1 / (rank + 1) for rank in range(len(best_first))]
    return draw.choices(best_first, weights, k=count)


def hour_figures(catalog: Catalog) -> Iterator[Figure]:
    """Latencies and rates of the drawn hour."""
    draw = random.Random(SEED + 1)
    ids = draw.sample(catalog.ids, len(catalog.ids))
    tools = [f"/{quote(server, safe='')}/{quote(name, safe='')}" for server, name in ids]
    with catalog.web() as other:  # the one of the hour has answered nothing yet
        names = [category["name"] for category in _json(other, f"{_API}/categories")["categories"]]
    draw.shuffle(names)
    waits: dict[str, list[float]] = defaultdict(list)
    with catalog.web() as server:
        for _ in range(_SESSIONS):
            server.hang_up()
            for kind, path in drawn_session(draw, tools, names):
                following = _API + path
                while following:
                    started = time.perf_counter()
                    body = server.get(following)
                    waits[kind].append(1000 * (time.perf_counter() - started))
                    is_read_on = kind == "category" and draw.random() < _NEXT
                    page = json.loads(body)["pagination"] if is_read_on else {}
                    following = page.get("next", "")
        counts = _json(server, f"{_API}/usage")["caches"]
    for kind, most in _LATENCIES.items():
        name = f"api: {_TIERS[kind]} {kind}, p95 of {len(waits[kind]):,} in an hour"
        yield figure(name, [quantiles(waits[kind], n=20)[-1]], most, " ms")
    for kind, least in _RATES.items():
        counted = counts[kind]
        rate = counted["hits"] / (counted["hits"] + counted["misses"])
        yield figure(f"api: {_TIERS[kind]} {kind}, ready in an hour", [rate], least, at_least=True)


def _json(server: WebServer, path: str) -> Any:
    return json.loads(server.get(path))


def main() -> int:
    """Print every figure; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=500, help="requests in a run; default: 500")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        catalog = Catalog(Path(folder))
        are_met = print_figures(cpu_figures(catalog, options.pairs, options.times))
        are_met &= print_figures(hour_figures(catalog))
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
