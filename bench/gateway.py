"""Figures of the gateway: what servers cost that are declared, called, connected, and killed.

CPU is of the serving process over raw JSON-RPC on stdio; the bare server and FastMCP's proxy are
measured in turn with it. FastMCP stands before the same bare server, with one shared connection.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median

from bench.gateways import Gateway, before_bare_server, before_stubs, declared
from bench.kills import under_kills
from bench.measure import Cost, Figure, figure, print_figures, python, ratio
from bench.served import BARE, ROOT, bare_session
from bench.session import Session, cpu_in_turn

SMALL, LARGE = "x", "word " * 20_000


def start_figures(folder: Path, pairs: int) -> Iterator[Figure]:
    """100 servers with ten tools each, declared and not called, beside the same tools without them."""
    ours = partial(_start, declared(folder / "declared", 100))
    theirs = partial(_start, declared(folder / "described", 100, with_servers=False))
    name = "gateway: 100 servers declared, none called / none declared"
    yield ratio(f"{name}, start CPU", ours, theirs, 1.1, pairs)
    yield ratio(f"{name}, memory", ours, theirs, 1.1, pairs, lambda cost: cost.peak_mb)


def _start(gateway: Gateway) -> Cost:
    started = time.perf_counter()
    with gateway.session() as server:
        server.request("tools/list", {})
        return Cost(server.cpu(), time.perf_counter() - started, server.resident())


def call_figures(folder: Path, pairs: int, times: int) -> Iterator[Figure]:
    """A call through the gateway and through FastMCP's proxy, beside a call of the server behind them."""
    gateway = before_bare_server(folder / "bare")
    rows: dict[str, list[dict[str, float]]] = {"small": [], "100 KB": []}
    for _ in range(pairs):
        with bare_session() as bare, gateway.session() as ours, _fastmcp() as theirs:
            servers = {"bare": bare, "ours": ours, "fastmcp": theirs}
            for size, text, part in (("small", SMALL, 10), ("100 KB", LARGE, 40)):
                given = {"text": text}
                sides = {name: (server, "echo", given) for name, server in servers.items()}
                rows[size].append(cpu_in_turn(sides, times // part))
    for size, limit in (("small", 2.0), ("100 KB", 3.0)):
        beside = [row["ours"] / row["bare"] for row in rows[size]]
        yield figure(f"gateway: a proxied call, {size} / bare call, CPU", beside, limit)
    beside = [row["ours"] / row["fastmcp"] for row in rows["small"]]
    yield figure("gateway: a proxied call, small / FastMCP's proxy, CPU", beside, 1.0)
    large = median(row["ours"] / row["fastmcp"] for row in rows["100 KB"])
    print(f"  100 KB / FastMCP's proxy: {large:.2f}")


def _fastmcp() -> Session:
    return Session(python(str(ROOT / "bench" / "fastmcp_proxy.py"), str(BARE)), ROOT, {})


def connection_figures(folder: Path, count: int) -> Iterator[Figure]:
    """Memory and threads of a gateway per server that is connected over stdio."""
    gateway = before_stubs(folder / "connected", count)
    with gateway.session() as server:
        for number in range(60):  # what is loaded and started once
            server.call(f"stub{number % 2}_echo", {"text": "x"})
        memory, threads = server.resident(), _threads(server)
        for number in range(2, count):
            server.call(f"stub{number}_echo", {"text": "x"})
        each = (server.resident() - memory) * 1024 / (count - 2)
        more = (_threads(server) - threads) / (count - 2)
    yield figure(f"gateway: memory per connected stdio server, {count} of them", [each], 150, " KB")
    # One of those that read, write and validate may come to be needed meanwhile.
    yield figure("gateway: threads per connected stdio server", [more], 0.05)


def _threads(server: Session) -> int:
    return len(list(Path(f"/proc/{server.process.pid}/task").iterdir()))


def kill_figures(folder: Path, seconds: float) -> Iterator[Figure]:
    """Load on twelve servers that are killed at random."""
    outcome = under_kills(before_stubs(folder / "killed", 12, timeout=20), 12, seconds)
    print(f"  {outcome.sent:,} calls, {outcome.kills} kills: {dict(outcome.outcomes)}")
    right = outcome.outcomes["right"] + outcome.outcomes["told of the kill"]
    yield figure("gateway: kills, calls not answered as they should", [outcome.sent - right], 0)
    told = outcome.outcomes["told of the kill"] / max(outcome.kills, 1)
    yield figure("gateway: kills, calls that fail per kill", [told], 8)
    yield figure("gateway: kills, slowest answer", [outcome.slowest], 20, " s")
    yield figure("gateway: kills, processes left", [outcome.left], 0)


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=200, help="calls in a run; default: 200")
    parser.add_argument("--seconds", type=float, default=60, help="of kills; default: 60")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        parts = (
            partial(start_figures, folder, options.pairs),
            partial(call_figures, folder, options.pairs, options.times),
            partial(connection_figures, folder, 100),
            partial(kill_figures, folder, options.seconds),
        )
        are_met = print_figures(chain.from_iterable(part() for part in parts))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
