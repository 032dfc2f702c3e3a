"""Figures of HTTP: progress as on stdio, cancelled calls, and what streams cost.

CPU is of the server process, over raw requests on one connection; a bare low-level SDK server that
answers with JSON is measured in the same run.
"""

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, Self

import anyio
from mcp import Client, StdioServerParameters

from bench.http_load import free_port
from bench.measure import Figure, figure, python, run
from bench.served import BARE, ROOT

Json = dict[str, Any]
Era = Literal["legacy", "2026-07-28"]

ERAS: tuple[Era, ...] = ("legacy", "2026-07-28")
MANIFEST = """
toolfold: 1
server: {name: streams, version: 1.0.0, package: streams_mcp, implementation: "tools:Tools"}
categories: {bench: {}}
tools:
  say: &tool {category: bench, effect: read, summary: Say something}
  report: *tool
  count: *tool
  hang: *tool
  hang_blocking: *tool
"""
IMPLEMENTATION = '''
import asyncio
import os
import time
from pathlib import Path

from toolfold_runtime import is_cancelled, progress


def note(event):
    with Path(os.environ["NOTES"]).open("a") as notes:
        notes.write(f"{event} {time.monotonic()}\\n")


class Tools:
    """Methods that report, and that say when they are cancelled."""

    async def say(self, params):
        return "said"

    async def report(self, params):
        for number in range(3):
            progress(number)
            await asyncio.sleep(0)
        return "said"

    async def count(self, params):
        for number in range(100):
            progress(number, 100, f"step {number}")
            if number % 10 == 0:
                await asyncio.sleep(0.01)
        return "counted"

    async def hang(self, params):
        note("begun")
        try:
            await asyncio.sleep(60)
        finally:
            note("cancelled")

    def hang_blocking(self, params):
        note("begun")
        while not is_cancelled():
            time.sleep(0.005)
        note("cancelled")
'''
META: Json = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class WebServer:
    """A server process over HTTP, and one connection to it."""

    def __init__(self, command: Sequence[str], cwd: Path, env: dict[str, str]) -> None:
        self.port = free_port()
        self.process = subprocess.Popen(
            [*command, str(self.port)],
            cwd=cwd,
            env={**os.environ, **env},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)

    def __enter__(self) -> Self:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                time.sleep(0.05)
            else:
                return self
        raise SystemExit("the server did not come up")

    def __exit__(self, *_: object) -> None:
        self._connection.close()
        self.process.terminate()
        self.process.wait(30)

    def send(self, tool: str, era: Era, meta: Json, **arguments: str) -> http.client.HTTPConnection:
        """Send a call; the connection on which it is answered."""
        meta_of_era = META if era != "legacy" else {}
        params = {"name": tool, "arguments": arguments, "_meta": meta_of_era | meta}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-11-25" if era == "legacy" else era,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        self._connection.request("POST", "/mcp", json.dumps(body), headers)
        return self._connection

    def get(self, path: str) -> bytes:
        """The body at an address, on the one connection; SystemExit where there is none."""
        self._connection.request("GET", path)
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{path}: {answer.status} {body[:300]!r}")
        return body

    def hang_up(self) -> None:
        """Go on with a new connection."""
        self._connection.close()

    def cpu_per_call(self, times: int, tool: str, era: Era, meta: Json, **arguments: str) -> float:
        """CPU of one call in ms, the first calls aside."""
        for _ in range(20):
            self._call(tool, era, meta, **arguments)
        before = self.cpu()
        for _ in range(times):
            self._call(tool, era, meta, **arguments)
        return (self.cpu() - before) / times * 1000

    def _call(self, tool: str, era: Era, meta: Json, **arguments: str) -> None:
        answer = self.send(tool, era, meta, **arguments).getresponse()
        body = answer.read()
        if answer.status != 200 or b'"error"' in body:
            raise SystemExit(f"{tool}: {answer.status} {body[:300]!r}")

    def cpu(self) -> float:
        """CPU seconds of the process so far."""
        return time.clock_gettime((~self.process.pid << 3) | 2)


class Project:
    """A generated server of the tools above."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notes = folder / "notes.txt"
        (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
        (folder / "tools.py").write_text(IMPLEMENTATION, encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), folder)
        self.env = {"PYTHONPATH": str(folder / "generated"), "NOTES": str(self.notes)}

    def web(self) -> WebServer:
        """A new process over HTTP."""
        command = python("-m", "streams_mcp.server", "--http", "--port")
        return WebServer(command, self.folder, self.env)

    def stdio(self) -> StdioServerParameters:
        """How a client starts it."""
        program, *arguments = python("-m", "streams_mcp.server")
        return StdioServerParameters(
            command=program, args=arguments, cwd=self.folder, env={**os.environ, **self.env}
        )

    def noted(self, event: str) -> float:
        """When an event was last noted; waits until it is."""
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            lines = self.notes.read_text().split("\n")[:-1] if self.notes.exists() else []
            if lines and lines[-1].startswith(event):
                return float(lines[-1].split()[1])
            time.sleep(0.002)
        raise SystemExit(f"{event} was never noted")


async def events(server: Any, era: Era) -> int:
    """The number of progress notifications that a client of the SDK gets in one call."""
    heard = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)

    async with Client(server, mode=era, read_timeout_seconds=30) as client:
        await client.call_tool("count", {}, progress_callback=on_progress)
    return len(heard)


def progress_figures(project: Project, pairs: int) -> Iterator[Figure]:
    """The progress notifications of a client over HTTP, compared with stdio."""
    with project.web() as server:
        url = f"http://127.0.0.1:{server.port}/mcp"
        for era in ERAS:
            ratios = [
                anyio.run(events, url, era) / anyio.run(events, project.stdio(), era)
                for _ in range(pairs)
            ]
            name = f"http: progress events, {era}, HTTP / stdio"
            yield figure(name, ratios, 1, at_least=True)


def cancelling_figures(project: Project, pairs: int) -> Iterator[Figure]:
    """How long a call goes on after its client has left: the longest of all kinds of calls."""
    seconds = []
    with project.web() as server:
        for _ in range(pairs):
            for era in ERAS:
                for meta in ({}, {"progressToken": 1}):
                    for tool in ("hang", "hang_blocking"):
                        connection = server.send(tool, era, meta)
                        project.noted("begun")
                        left_at = time.monotonic()
                        connection.close()
                        seconds.append(project.noted("cancelled") - left_at)
    yield figure("http: until a call is cancelled, the longest of all", [max(seconds)], 1, " s")


def cost_figures(project: Project, pairs: int, times: int) -> Iterator[Figure]:
    """What calls cost the server, in JSON and in streams."""
    token = {"progressToken": 1}
    cases: dict[str, tuple[Era, str, Json, float]] = {
        "a stream without an event": ("legacy", "say", token, 2.5),
        "a stream of three events": ("legacy", "report", token, 3.5),
        "a stream without an event, modern": ("2026-07-28", "say", token, 2.5),
        "a stream of three events, modern": ("2026-07-28", "report", token, 3.5),
    }
    plain: dict[Era, list[float]] = {era: [] for era in ERAS}
    bare, costs = [], {name: [] for name in cases}  # type: ignore[var-annotated]
    with project.web() as ours, WebServer(python(str(BARE)), ROOT, {}) as theirs:
        for _ in range(pairs):
            bare.append(theirs.cpu_per_call(times, "echo", "legacy", {}, text="x"))
            for era in ERAS:
                plain[era].append(ours.cpu_per_call(times, "say", era, {}))
            for name, (era, tool, meta, _limit) in cases.items():
                costs[name].append(ours.cpu_per_call(times, tool, era, meta))
    ratios = [with_server / other for with_server, other in zip(plain["legacy"], bare, strict=True)]
    yield figure("http: a call / bare call, CPU", ratios, 1.3)
    for name, (era, _, _, limit) in cases.items():
        ratios = [
            with_server / other for with_server, other in zip(costs[name], plain[era], strict=True)
        ]
        yield figure(f"http: {name} / JSON, CPU", ratios, limit)


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    parser.add_argument("--times", type=int, default=200, help="calls in a run; default: 200")
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as name:
        project = Project(Path(name))
        figures = [
            *progress_figures(project, options.pairs),
            *cancelling_figures(project, options.pairs),
            *cost_figures(project, options.pairs, options.times),
        ]
        for measured in figures:
            print(measured.row(), flush=True)
            missed += not measured.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
