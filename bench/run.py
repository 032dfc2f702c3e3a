"""Figures of running tools: the pipeline's CPU, the cache, load, and the Tana example at size.

CPU is of the server process, over raw JSON-RPC on stdio, beside a bare low-level SDK server in the
same run. The tool that is called takes small arguments, has a default, and promises a result, so
everything is validated both ways.
"""

import argparse
import asyncio
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from statistics import median, quantiles
from typing import Any, get_type_hints

from bench.catalogs import draw
from bench.load import Load, under_load
from bench.measure import Figure, figure, print_figures, python, run
from bench.served import ROOT, bare_session
from bench.session import Session, cpu_in_turn
from bench.workspace import calls, database

Json = dict[str, Any]

OWN = """
categories: {bench: {}}
tools:
  say: &tool
    category: bench
    effect: read
    summary: Say something
    parameters:
      text: {type: string, required: true, maxLength: 100}
      times: {type: integer, default: 1, minimum: 1}
    returns: {type: object, properties: {text: {type: string}}, required: [text]}
  say_blocking: {<<: *tool}
  say_cached: {<<: *tool, cache: {ttl: 3600}}
  fail: {<<: *tool}
  hang: {<<: *tool, timeout: 0.5}
  hang_blocking: {<<: *tool, timeout: 0.5}
"""
IMPLEMENTATION = '''
import asyncio
import time


class Tools:
    """Methods that do next to nothing, fail, or hang."""

    async def say(self, params):
        return {"text": params.text}

    say_cached = say

    def say_blocking(self, params):
        return {"text": params.text}

    async def fail(self, params):
        raise ValueError(params.text)

    async def hang(self, params):
        await asyncio.Event().wait()

    def hang_blocking(self, params):
        time.sleep(3)
        return {"text": params.text}
'''
READERS = (
    "tana_search",
    "tana_tagged",
    "tana_semantic_search",
    "tana_field_values",
    "tana_supertags",
    "tana_stats",
    "tana_supertag_info",
    "tana_node",
    "tana_transcript_list",
    "tana_transcript_show",
    "tana_transcript_search",
)
CACHED = {"tana_field_values", "tana_supertags", "tana_stats", "tana_supertag_info"}


class Project:
    """A generated server with the tools above, beside so many real ones."""

    def __init__(self, others: int, folder: Path) -> None:
        self.folder = folder / f"run-{others}"
        self.folder.mkdir()
        listed = draw(others, self.folder)
        run(python("-m", "toolfold", "import", "tools", str(listed)), self.folder)
        manifest = self.folder / "tools.yaml"
        text = manifest.read_text(encoding="utf-8")
        text = text.replace("server:\n", "server:\n  implementation: tools_of:Tools\n", 1)
        manifest.write_text(f"{text}include: [own.yaml]\n", encoding="utf-8")
        (self.folder / "own.yaml").write_text(_plain(OWN), encoding="utf-8")
        (self.folder / "tools_of.py").write_text(IMPLEMENTATION, encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), self.folder)

    def session(self) -> Session:
        """A new server process over stdio, progressive."""
        command = python("-m", "drawn_mcp.server", "--exposure", "progressive")
        return Session(command, self.folder, {"PYTHONPATH": str(self.folder / "generated")})


def _plain(text: str) -> str:
    """The manifest without merge keys, which manifests do not have."""
    import json

    import yaml

    return json.dumps(yaml.safe_load(text))


def suite_figure() -> Iterator[Figure]:
    """The share of the JSON Schema test suite that `run_read` answers correctly."""
    from tests.long import test_json_schema_suite as suite

    with tempfile.TemporaryDirectory() as name:
        served = suite.dispatcher(Path(name))
        count, wrong = asyncio.run(suite.outcomes(served))
    for line in wrong:
        print(f"  {line}")
    right = 100 * (count - len(wrong)) / count
    yield figure(f"run: JSON Schema suite through run_read, {count} values", [right], 100, " %", at_least=True)  # fmt: skip


def cpu_figures(small: Project, large: Project, pairs: int, times: int) -> Iterator[Figure]:
    """A call through the whole pipeline, and through the cache."""
    arguments = {"text": "x"}
    rows = []
    for _ in range(pairs):
        with bare_session() as bare, small.session() as few, large.session() as many:
            sides: dict[str, tuple[Session, str, Json]] = {
                "bare": (bare, "echo", arguments),
                "async": (few, "say", arguments),
                "blocking": (few, "say_blocking", arguments),
                "cached": (few, "say_cached", arguments),
                "runner": (many, "run_read", {"tool": "say", "arguments": arguments}),
            }
            rows.append(cpu_in_turn(sides, times // 10))
    for name, ours, theirs, limit in (
        ("an async tool over stdio / bare call", "async", "bare", 1.4),
        ("a blocking tool over stdio / bare call", "blocking", "bare", 1.4),
        ("run_read, 5,000 tools / bare call", "runner", "bare", 1.5),
        ("a cached answer / a trivial async method", "cached", "async", 1.1),
    ):
        yield figure(f"run: {name}, CPU", [row[ours] / row[theirs] for row in rows], limit)


def load_figures(small: Project, seconds: float) -> Iterator[Figure]:
    """64 calls at once, one in ten failing, one in fifty hanging."""
    with small.session() as server:
        load = under_load(server, seconds, 64, _call, _verdict)
    print(f"  {load.sent:,} calls in {seconds:g} s: {dict(load.outcomes)}")
    right = sum(load.outcomes[kind] for kind in ("right", "failed as told", "timed out as told"))
    yield figure("run: load, calls not answered as declared", [load.sent - right], 0)
    yield figure("run: load, memory at the end / after 10 s", [_growth(load)], 1.2)


def _growth(load: Load) -> float:
    return load.memory[-1][1] / load.memory_at(min(10, load.memory[-1][0] / 6))


def _call(number: int) -> tuple[str, Json]:
    if number % 50 == 1:
        name = "hang" if number % 100 == 1 else "hang_blocking"
    elif number % 10 == 3:
        name = "fail"
    else:
        name = ("say", "say_blocking", "say_cached")[number % 3]
    return name, {"text": f"text {number}"}


def _verdict(number: int, text: str, is_error: bool) -> str:
    name, given = _call(number)
    if name.startswith("hang"):
        is_right = is_error and text.startswith("timeout: ")
        return "timed out as told" if is_right else f"wrong: {name}: {text[:60]}"
    if name == "fail":
        is_right = is_error and text.startswith("backend_failed: ")
        return "failed as told" if is_right else f"wrong: {name}: {text[:60]}"
    is_right = not is_error and text == f'{{"text":"{given["text"]}"}}'
    return "right" if is_right else f"wrong: {name}: {text[:60]}"


def tana_figures(folder: Path, nodes: int, times: int) -> Iterator[Figure]:
    """Every tool of the example that reads: its round trip, and what the same SQL costs alone."""
    path = database(folder, nodes)
    copy = folder / "direct.db"
    shutil.copy(path, copy)
    command = python("-m", "tana_mcp.server")
    with Session(command, ROOT, {"TANA_DATABASE": str(path)}) as server:
        for tool in READERS:
            trips, alone = [], []
            for given in calls(tool, nodes, times):
                if tool in CACHED:
                    server.call("tana_cache_clear", {})
                started = time.perf_counter()
                server.call(tool, given)
                trips.append(1000 * (time.perf_counter() - started))
                alone.append(_direct(copy, tool, given))
            p95 = quantiles(trips, n=20)[-1]
            yield figure(f"run: {tool}, {nodes:,} nodes, p95", [p95], 50, " ms")
            ratio = median(trips) / median(alone)
            print(f"  {tool}: {ratio:.1f} times the same SQL alone ({median(alone):.2f} ms)")


def _direct(path: Path, tool: str, given: Json) -> float:
    """The time that a call's own statements take on a plain connection, in ms."""
    statements = _statements(str(path), tool, given)
    connection = _connection(str(path))
    started = time.perf_counter()
    for statement in statements:
        connection.execute(statement).fetchall()
    return 1000 * (time.perf_counter() - started)


_OPEN: dict[str, Any] = {}


def _connection(path: str) -> sqlite3.Connection:
    if "plain" not in _OPEN:
        _OPEN["plain"] = sqlite3.connect(path)
    connection: sqlite3.Connection = _OPEN["plain"]
    return connection


def _statements(path: str, tool: str, given: Json) -> list[str]:
    """What a call sends to the database, with its values in place."""
    from examples.tana.workspace import Workspace

    if "workspace" not in _OPEN:
        _OPEN["workspace"] = Workspace(path)
    workspace = _OPEN["workspace"]
    method = getattr(workspace, tool)
    params = get_type_hints(method)["params"](**given)
    seen: list[str] = []
    workspace._store._db.set_trace_callback(seen.append)
    method(params)
    workspace._store._db.set_trace_callback(None)
    return [statement for statement in seen if not statement.startswith("--")]


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=500, help="calls in a run; default: 500")
    parser.add_argument("--seconds", type=float, default=60, help="of load; default: 60")
    parser.add_argument("--nodes", type=int, default=100_000, help="default: 100000")
    options = parser.parse_args()
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        small, large = Project(16, folder), Project(5000, folder)
        parts = (
            suite_figure,
            partial(cpu_figures, small, large, options.pairs, options.times),
            partial(load_figures, small, options.seconds),
            partial(tana_figures, folder, options.nodes, 200),
        )
        are_met = print_figures(chain.from_iterable(part() for part in parts))
    print(f"{time.perf_counter() - started:.0f} s")
    return 0 if are_met else 1


if __name__ == "__main__":
    sys.exit(main())
