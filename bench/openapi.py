"""Figures of HTTP APIs: what importing one costs, what agents read of it, and what a call costs.

CPU is of the serving process over raw JSON-RPC on stdio; beside it stands the same request by
httpx2 alone, in a process of its own, and a call of a bare SDK server, all in turn.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Any, Self

from bench.gateways import Gateway
from bench.measure import Figure, figure, print_figures, python
from bench.openapi_documents import import_figures, token_figures
from bench.served import ROOT, bare_session
from bench.session import Session

_PROGRAM = str(ROOT / "bench" / "http_api.py")
_TURNS = 10


class Process:
    """A program that takes lines, and its CPU."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            python(_PROGRAM, *arguments), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(30)

    def read(self) -> str:
        """The next line."""
        return self.process.stdout.readline() if self.process.stdout else ""

    def requests(self, times: int) -> None:
        """Have it make so many requests."""
        if self.process.stdin:
            self.process.stdin.write(f"{times}\n")
            self.process.stdin.flush()
        self.read()

    def cpu(self) -> float:
        """CPU seconds so far."""
        return time.clock_gettime((~self.process.pid << 3) | 2)


def call_figures(folder: Path, pairs: int, times: int) -> Iterator[Figure]:
    """A call that is one request, beside that request alone and a call of a bare server."""
    rows = []
    with Process("serve") as api:
        url = f"http://127.0.0.1:{api.read().strip()}"
        project = _project(folder / "api", url)
        for _ in range(pairs):
            with (
                project.session() as ours,
                bare_session() as bare,
                Process("call", f"{url}/v1/items") as alone,
            ):
                rows.append(_in_turn(ours, bare, alone, times // _TURNS))
    ratios = [ours / (bare + alone) for ours, bare, alone in rows]
    ours, bare, alone = (median(column) / times * 1000 for column in zip(*rows, strict=True))
    print(f"  a call {ours:.2f} ms; bare call {bare:.2f} ms, httpx2 alone {alone:.2f} ms")
    yield figure("openapi: a call / httpx2 alone + bare SDK call, CPU", ratios, 1.3)


def _in_turn(ours: Session, bare: Session, alone: Process, times: int) -> tuple[float, ...]:
    """CPU of each side, so many calls of each in turn."""
    given = {"limit": 50, "expand": ["tags"]}
    total = [0.0, 0.0, 0.0]
    for turn in range(_TURNS + 1):
        starts = [ours.cpu(), bare.cpu(), alone.cpu()]
        for _ in range(times):
            ours.call("list_items", given)
        for _ in range(times):
            bare.call("echo", {"text": "x"})
        alone.requests(times)
        if turn:  # the first is for warming up
            ends = [ours.cpu(), bare.cpu(), alone.cpu()]
            spent = (end - start for end, start in zip(ends, starts, strict=True))
            total = [before + seconds for before, seconds in zip(total, spent, strict=True)]
    return tuple(total)


def _project(folder: Path, url: str) -> Gateway:
    """A server with one tool, as an import writes it."""
    item = {
        "type": "object",
        "properties": {
            "id": {"type": "integer"},
            "name": {"type": "string"},
            "price": {"type": "number"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["id"],
    }
    answer: dict[str, Any] = {
        "type": "object",
        "properties": {
            "data": {"type": "array", "items": item},
            "has_more": {"type": "boolean"},
        },
    }
    key = {"name": "X-API-Key", "value": {"plain": "secret"}}
    server = {"openapi": "api.json", "url": f"{url}/v1", "auth": {"api_key": key}}
    tool = {
        "id": "api::items/list",
        "category": "all",
        "effect": "read",
        "summary": "List items",
        "input_schema": {
            "type": "object",
            "properties": {
                "limit": {"type": "integer"},
                "expand": {"type": "array", "items": {"type": "string"}},
            },
            "additionalProperties": False,
        },
        "backend": {
            "server": "api",
            "operation": "GET /items",
            "answer": {"schema": answer},
            "pages": {"style": "cursor", "argument": "after", "next": "next", "more": "has_more"},
        },
    }
    return Gateway(folder, {"api": server}, {"list_items": tool})


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=500, help="calls in a run; default: 500")
    parser.add_argument("--imports", type=int, default=9, help="imports of each; default: 9")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        # Imports first: the memory of a new process is at least that of the process that starts it.
        parts = (
            partial(import_figures, folder, options.imports),
            partial(token_figures, folder),
            partial(call_figures, folder, options.pairs, options.times),
        )
        are_met = print_figures(chain.from_iterable(part() for part in parts))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
