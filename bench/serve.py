"""Figures of serving: start, calls, memory and HTTP, beside a bare low-level SDK server.

Tokens are printed first: what an agent pays, of this repository's own manifest and of 1,641 real
tools. Calls go to a drawn tool that wants no arguments and promises no result, so no argument is
validated beyond an empty object. A table at the end has FastMCP beside both, without limits.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

from toolfold.commands.budget import budget_report

from bench.catalogs import CATALOGS
from bench.http_load import requests_per_second
from bench.measure import Figure, figure, python, run
from bench.peers import peer_rows
from bench.served import BARE, ROOT, Project, bare_session, start


def token_figures(folder: Path) -> Iterator[Figure]:
    """The tokens that an agent pays."""
    tana = budget_report(ROOT / "tools.yaml")
    costs = {cost.name: cost.tokens for cost in tana.costs}
    surface, inventory = costs["surface"], tana.progressive - costs["surface"]
    yield figure("tokens: surface of the five meta-tools", [surface], 350)
    listed = tana.direct + surface
    yield figure(
        "tokens: Tana, surface + capabilities() / listing", [tana.progressive / listed], 0.5
    )
    yield figure("tokens: Tana, capabilities() with examples", [inventory], 499)
    yield figure("tokens: Tana, overview", [costs["overview"]], 99)
    yield figure("tokens: Tana, counts", [costs["counts"]], 40)
    schemas = [cost.tokens for cost in tana.costs if cost.budget == "schema"]
    yield figure("tokens: Tana, the dearest schema", [max(schemas)], 299)
    categories = [c.tokens for c in tana.costs if c.name.startswith("category ")]
    yield figure("tokens: Tana, the dearest category / the whole", [max(categories) / inventory], 1)
    manifest = folder / "tools.yaml"
    catalog = CATALOGS / "mcp-servers.json"
    run(
        python("-m", "toolfold", "import", "tools", str(catalog), "-o", str(manifest)),
        folder,
    )
    real = budget_report(manifest)
    yield figure("tokens: 1,641 tools, surface + capabilities()", [real.progressive], 1500)
    pages = [cost.tokens for cost in real.costs if cost.name.startswith("category ")]
    schema = median(cost.tokens for cost in real.costs if cost.budget == "schema")
    path = real.progressive + max(pages) + 3 * schema
    yield figure("tokens: the same + a category page + three schemas", [path], 6000)


def cpu_figures(small: Project, large: Project, pairs: int, times: int) -> Iterator[Figure]:
    """The CPU that the server takes."""
    for project, limit, size in ((small, 1.10, "16"), (large, 1.20, "5,000")):
        ratios = [start(project.session) / start(bare_session) for _ in range(pairs)]
        yield figure(f"serve: start to first list, {size} tools / bare, CPU", ratios, limit)
    by_name: dict[str, list[tuple[float, float, float]]] = {}
    for _ in range(pairs):
        with bare_session() as bare, small.session() as few, large.session() as many:
            reference = bare.cpu_per_call("echo", {"text": "x"}, times)
            for name in small.calls():
                ours = few.cpu_per_call(*small.calls()[name], times)
                theirs = many.cpu_per_call(*large.calls()[name], times)
                by_name.setdefault(name, []).append((ours, theirs, reference))
    for name, rows in by_name.items():
        yield figure(f"serve: {name}, 16 tools / bare call, CPU", [o / r for o, _, r in rows], 1.3)
    for name, rows in by_name.items():
        yield figure(f"serve: {name}, 5,000 / 16 tools, CPU", [m / o for o, m, _ in rows], 1.15)


def other_figures(small: Project, large: Project, pairs: int, times: int) -> Iterator[Figure]:
    """Memory, HTTP and the round trip."""
    memory = []
    for _ in range(pairs):
        with bare_session() as bare, large.session() as many:
            for server in (bare, many):
                server.request("tools/list", {})
            memory.append(many.resident() / bare.resident())
    yield figure("serve: resident memory, 5,000 tools / bare", memory, 1.3)
    ours = python("-m", "drawn_mcp.server", "--exposure", "progressive", "--http", "--port")
    env = {"PYTHONPATH": str(small.folder / "generated")}
    rates = [
        requests_per_second(ours, small.folder, env, "capabilities", {}, times)
        / requests_per_second(python(str(BARE)), ROOT, {}, "echo", {"text": "x"}, times)
        for _ in range(pairs)
    ]
    yield figure("serve: HTTP requests per second / bare", rates, 0.8, at_least=True)
    with large.session() as many:
        trips = many.round_trips("capabilities", {}, 500)
    p95 = quantiles(trips, n=20)[-1]
    yield figure("serve: capabilities round trip, 5,000 tools, p95", [p95], 50, " ms")


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=400, help="calls in a run; default: 400")
    options = parser.parse_args()
    missed, started = 0, time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for measured in token_figures(folder):
            print(measured.row(), flush=True)
            missed += not measured.is_met
        small, large = Project(16, folder), Project(5000, folder)
        for part in (cpu_figures, other_figures):
            for measured in part(small, large, options.pairs, options.times):
                print(measured.row(), flush=True)
                missed += not measured.is_met
        for row in peer_rows(small, large, min(options.pairs, 5), options.times):
            print(row, flush=True)
    print(f"{time.perf_counter() - started:.0f} s")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
