"""Figures of code mode: a program beside the calls that it replaces, its stubs, its memory.

CPU is of the server and of the processes of its programs, over raw JSON-RPC on stdio. Every program
differs from the one before by a comment, so that nothing can be remembered of its type check.
"""

import argparse
import json
import random
import re
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import anyio
from toolfold.commands.stubs import stubs_text
from toolfold.plan.disclosure.tokens import count as tokens
from toolfold.plan.names.stub_names import function_name
from toolfold.plan.stubs.build import tool_stub

from bench.catalogs import CATALOGS, SEED
from bench.measure import Figure, figure, print_figures, python, run
from bench.planted import planted
from bench.session import Session
from examples.code import compare
from tests.code.material import IMPLEMENTATION as ORDERS
from tests.code.material import MANIFEST as SETTINGS
from tests.code.material import TOOLS
from tests.code.test_attacks import ATTACKS
from tests.code.test_mistakes import PLANTED, Planted
from tests.code.workers import peak_megabytes, workers_of
from tests.support import clients
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening

Json = dict[str, Any]

MANIFEST = {
    "toolfold": 1,
    "server": {"name": "said", "version": "1", "implementation": "said:Said"},
    "disclosure": {"exposure": "progressive", "code": "read"},
    "execution": {"code": {"calls": 100, "megabytes": 64}},
    "categories": {"all": {}},
    "tools": {
        "say": {
            "category": "all",
            "effect": "read",
            "summary": "Say something",
            "parameters": {
                "text": {"type": "string", "required": True, "maxLength": 100},
                "times": {"type": "integer", "default": 1, "minimum": 1},
            },
            "returns": {
                "type": "object",
                "properties": {"text": {"type": "string"}},
                "required": ["text"],
            },
        }
    },
}
IMPLEMENTATION = """
class Said:
    async def say(self, params):
        return {"text": params.text}
"""
_NUMBERS = count()
#: Real tools over which mistakes are planted at random.
_MOST_REAL = 400


class Server(Session):
    """A server that runs programs; its cost includes that of their processes."""

    def __init__(self, folder: Path) -> None:
        generated = {"PYTHONPATH": str(folder / "generated")}
        super().__init__(python("-m", "said_mcp.server"), folder, generated)

    def program(self, code: str) -> Any:
        """The answer to a program that was never run before."""
        return self.call("run_code", {"code": f"{code}  # {next(_NUMBERS)}"})

    def cpu_of_all(self) -> float:
        """CPU seconds of the server and of the processes of its programs."""
        workers = workers_of(self.process.pid)
        return self.cpu() + sum(time.clock_gettime((~worker << 3) | 2) for worker in workers)


def project(folder: Path) -> Path:
    """A generated server with a tool that does next to nothing."""
    (folder / "tools.yaml").write_text(json.dumps(MANIFEST), encoding="utf-8")
    (folder / "said.py").write_text(IMPLEMENTATION, encoding="utf-8")
    run(python("-m", "toolfold", "generate", "-q"), folder)
    return folder


def cpu_figures(folder: Path, pairs: int, times: int) -> Iterator[Figure]:
    """One call in a program beside the call itself, and a hundred beside a hundred."""
    call = {"tool": "say", "arguments": {"text": "x"}}
    one, hundred = [], []
    with Server(folder) as server:
        for _ in range(10):  # warm: imported, started, and types checked once
            server.program('say(text="x")')
            server.call("run_read", call)
        for _ in range(pairs):
            before = server.cpu_of_all()
            for _ in range(times):
                server.program('say(text="x")')
            between = server.cpu_of_all()
            for _ in range(times):
                server.call("run_read", call)
            after = server.cpu_of_all()
            one.append(1000 * ((between - before) - (after - between)) / times)
        for _ in range(pairs):
            before = server.cpu_of_all()
            server.program('[say(text="x") for n in range(100)]')
            between = server.cpu_of_all()
            for _ in range(100):
                server.call("run_read", call)
            hundred.append((between - before) / (server.cpu_of_all() - between))
    yield figure("code: a program with one call, beyond that call through run_read", one, 45, " ms")
    yield figure("code: 100 calls in one program / 100 calls of run_read, CPU", hundred, 0.6)


def surface_figure(folder: Path) -> Figure:
    """The tokens that `run_code` adds to the list of meta-tools."""
    costs = []
    for mode in ("off", "read"):
        manifest = MANIFEST | {"disclosure": {"exposure": "progressive", "code": mode}}
        mode_folder = folder / mode
        mode_folder.mkdir()
        (mode_folder / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")
        done = run(python("-m", "toolfold", "budget"), mode_folder).output
        match = re.search(r"^surface +([\d,]+)", done, re.MULTILINE)
        if match is None:
            raise SystemExit(done)
        costs.append(int(match[1].replace(",", "")))
    return figure("code: run_code on the surface, tokens more", [costs[1] - costs[0]], 120)


def stub_figure() -> Figure:
    """A tool's stub beside its compact JSON schema, over the tools of real servers."""
    listed = json.loads((CATALOGS / "mcp-servers.json").read_bytes())["tools"]
    ratios = []
    for tool in listed:
        schema, returns = tool.get("inputSchema") or {}, tool.get("outputSchema")
        shown = {
            "name": tool["name"],
            "description": tool.get("description", ""),
            "inputSchema": schema,
        }
        shown |= {"outputSchema": returns} if returns else {}
        name = function_name(tool["name"])
        stub = tool_stub(name, tool.get("description") or name, schema, returns, {})
        compact = json.dumps(shown, ensure_ascii=False, separators=(",", ":"))
        ratios.append(tokens(stub.text) / tokens(compact))
    return figure(
        f"code: stub / compact schema, tokens, median of {len(ratios):,} tools", ratios, 0.35
    )


def example_figures() -> Iterator[Figure]:
    """The task of the example by code and by calls."""
    calls, code = anyio.run(compare)
    yield figure("code: the example task by code / by calls, tokens", [code.tokens / calls.tokens], 0.25)  # fmt: skip
    yield figure("code: the example task by code, round trips", [code.round_trips], 3)


def mistake_figures(folder: Path) -> Iterator[Figure]:
    """How many planted mistakes are found before any call: of those of the tests, and of others."""
    with tempfile.TemporaryDirectory() as name:
        project_served = served_by(Path(name), TOOLS, ORDERS, **SETTINGS)
        with listening(project_served) as server:
            yield _found_figure("planted mistakes", server, "run_code", PLANTED)
    with listening(real_tools(folder)) as server:
        stubs = stubs_text(folder / "tools.yaml")
        name = "mistakes planted at random over real tools"
        yield _found_figure(name, server, "run_code_write", planted(stubs))


def real_tools(folder: Path) -> Project:
    """Some tools of real MCP servers, which programs may name; none is ever called."""
    listed = json.loads((CATALOGS / "mcp-servers.json").read_bytes())["tools"]
    drawn = random.Random(SEED).sample(listed, _MOST_REAL)
    (folder / "saved.json").write_text(json.dumps({"tools": drawn}), encoding="utf-8")
    run(python("-m", "toolfold", "import", "tools", "saved.json", "--name", "real"), folder)
    path = folder / "tools.yaml"
    text = path.read_text(encoding="utf-8")
    text = text.replace("server:\n", "server:\n  implementation: nothing:Nothing\n", 1)
    text = text.replace("\ncategories:", "\ndisclosure: {code: write}\ncategories:", 1)
    path.write_text(text, encoding="utf-8")
    (folder / "nothing.py").write_text("class Nothing: ...\n", encoding="utf-8")
    run(python("-m", "toolfold", "generate", "-q"), folder)
    return Project(folder, "real_mcp")


def _found_figure(name: str, server: Listening, tool: str, programs: Sequence[Planted]) -> Figure:
    found_early = 0
    for mistake in programs:
        text = clients.call(server.url, tool, {"code": mistake.code}).text
        is_early = text.startswith("invalid_program: nothing was called.")
        found_early += is_early and f"line {mistake.line}: " in text and mistake.way_out in text
    return figure(f"code: {name} found before any call, of {len(programs)}", [100 * found_early / len(programs)], 90, " %", at_least=True)  # fmt: skip


def memory_figure(folder: Path) -> Figure:
    """The most memory that a process of programs takes while all attacks are tried."""
    peaks: dict[int, int] = {}
    has_ended = threading.Event()

    def watch(server: int) -> None:
        while not has_ended.wait(0.005):
            for worker in workers_of(server):
                peaks[worker] = max(peaks.get(worker, 0), peak_megabytes(worker))

    manifest = MANIFEST | {"execution": {"code": {"megabytes": 64, "seconds": 3}}}
    (folder / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")
    run(python("-m", "toolfold", "generate", "-q"), folder)
    with Server(folder) as server:
        watching = threading.Thread(target=watch, args=(server.process.pid,))
        watching.start()
        for code, _ in ATTACKS.values():
            params = {"name": "run_code", "arguments": {"code": code}}
            server._send({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": params})
            server.read()
        has_ended.set()
        watching.join()
    return figure(f"code: peak memory of a worker under {len(ATTACKS)} attacks, 64 MB allowed", [max(peaks.values())], 128, " MB")  # fmt: skip


def figures(quick: bool) -> Iterator[Figure]:
    """Every figure, each as soon as it is measured."""
    pairs, times = (3, 5) if quick else (9, 20)
    with tempfile.TemporaryDirectory() as name:
        folder = project(Path(name))
        yield from example_figures()
        yield surface_figure(folder)
        yield from cpu_figures(folder, pairs, times)
        (folder / "real").mkdir()
        yield from mistake_figures(folder / "real")
        yield memory_figure(folder)
        yield stub_figure()


def main() -> int:
    """Print the figures; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer runs")
    return 0 if print_figures(figures(parser.parse_args().quick)) else 1


if __name__ == "__main__":
    sys.exit(main())
