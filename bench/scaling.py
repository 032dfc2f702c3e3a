"""Figures of docs/how-to/scaling.md: memory of workers, and what one of them answers."""

import argparse
import http.client
import json
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from bench.http_load import HEADERS
from bench.measure import Figure, figure, print_figures, python, resident, tree
from bench.served import Project
from bench.session import cpu_of
from bench.streams import WebServer

_SIZES = (16, 1641)
_WORKERS = 4
_CLIENTS, _TIMES = 8, 150


def main() -> int:
    """Print every figure; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=5, help="runs of each; default: 5")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if print_figures(_figures(Path(folder), options.times)) else 1


def _figures(folder: Path, times: int) -> Iterator[Figure]:
    for size in _SIZES:
        project = Project(size, folder)
        runs = [_memory(project) for _ in range(times)]
        name = f"scaling: {_WORKERS} workers and their parent, {size:,} tools, each used"
        yield figure(name, [sum(run) for run in runs], 300, " MB")
        name = f"scaling: one of these workers, {size:,} tools, shared pages divided"
        yield figure(name, [max(run[1:]) for run in runs], 60, " MB")
        rates = [_rate(project) for _ in range(times)]
        name = f"scaling: run_read in a second of CPU, {size:,} tools, {_CLIENTS} clients"
        yield figure(name, rates, 300, at_least=True)


def _server(project: Project, workers: int) -> WebServer:
    command = python("-m", "drawn_mcp.server", "--exposure", "progressive", "--http")
    env = {"PYTHONPATH": str(project.folder / "generated")}
    return WebServer([*command, "--workers", str(workers), "--port"], project.folder, env)


def _memory(project: Project) -> list[float]:
    """Memory of the parent and of each worker, after all views and calls were asked for, in MB."""
    with _server(project, _WORKERS) as server:
        for _ in range(20):  # connections; each of which some worker takes
            _ask(server.port, list(project.calls().values()))
        return [resident(process) for process in tree(server.process.pid)]


def _rate(project: Project) -> float:
    """Calls that one process answers in a second of CPU, which a busy machine does not change."""
    call = project.calls()["run_read"]
    with _server(project, 1) as server, ThreadPoolExecutor(_CLIENTS) as pool:
        _ask(server.port, [call] * _TIMES)
        before = cpu_of(server.process.pid)
        running = [pool.submit(_ask, server.port, [call] * _TIMES) for _ in range(_CLIENTS)]
        for one in running:
            one.result()
        return _CLIENTS * _TIMES / (cpu_of(server.process.pid) - before)


def _ask(port: int, calls: list[tuple[str, dict[str, Any]]]) -> None:
    """Make calls on one connection, each of which must succeed."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with closing(connection):
        for name, arguments in calls:
            params = {"name": name, "arguments": arguments}
            body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
            connection.request("POST", "/mcp", json.dumps(body), _JSON)
            answer = json.loads(connection.getresponse().read())
            if "error" in answer or answer["result"].get("isError"):
                raise SystemExit(f"{name}: {answer}")


_JSON = HEADERS | {"content-type": "application/json"}


if __name__ == "__main__":
    sys.exit(main())
