"""What a search costs at 5,000 tools, beside FastMCP's search transform; and the first one."""

import asyncio
import gc
import importlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fastmcp import Client, FastMCP
from fastmcp.server.transforms.search.bm25 import BM25SearchTransform

from bench.catalogs import SEED, draw
from bench.measure import Figure, figure, python, run
from bench.others import fastmcp_tool

TOOLS = 5000
_OF_EACH = 10  # queries of each set, in each round
_CALLS = 7  # whole calls of a FastMCP client, in each round
PACKAGE = "drawn_mcp"


class Rounds:
    """The CPU of every side for the same queries, in many rounds."""

    def __init__(self, project: Path, listed: Path) -> None:
        sys.path.insert(0, str(project / "generated"))
        catalog = importlib.import_module(f"{PACKAGE}.catalog").CATALOG
        self._lexical, self._hybrid = (type(catalog)(catalog.folder, PACKAGE) for _ in range(2))
        self._lexical.choose_search("lexical")
        tools = json.loads(listed.read_bytes())["tools"]
        self._tools = [fastmcp_tool(t, f"{n}_{t['name']}"[:120]) for n, t in enumerate(tools)]
        self._transform = BM25SearchTransform(max_results=5)
        self._server = FastMCP("drawn")
        for tool in self._tools:
            self._server.add_tool(tool)
        self._server.add_transform(BM25SearchTransform(max_results=5))

    async def run(self, rounds: Sequence[Sequence[str]]) -> list[dict[str, float]]:
        """CPU seconds per query of each side, by round; first searches are not counted."""
        found = []
        async with Client(self._server) as client:
            await self._one("warm up", client, {})
            # One process holds both: nobody's garbage collector walks what the other keeps.
            gc.freeze()
            for queries in rounds:
                spent: dict[str, list[float]] = {}
                for number, query in enumerate(queries):
                    await self._one(query, client if number < _CALLS else None, spent)
                found.append({side: sum(times) / len(times) for side, times in spent.items()})
        return found

    async def _one(self, query: str, client: Any, spent: dict[str, list[float]]) -> None:
        started = time.process_time()
        await self._transform._search(self._tools, query)
        spent.setdefault("FastMCP", []).append(time.process_time() - started)
        sides: dict[str, Callable[[], Any]] = {
            "lexical": lambda: self._lexical.search(query),
            "hybrid": lambda: self._hybrid.search(query),
            "FastMCP index": lambda: self._transform._index.query(query, 5),
        }
        for side, search in sides.items():
            started = time.process_time()
            search()
            spent.setdefault(side, []).append(time.process_time() - started)
        if client is not None:
            started = time.process_time()
            await client.call_tool("search_tools", {"query": query})
            spent.setdefault("FastMCP call", []).append(time.process_time() - started)


def cost_figures(sets: Sequence[Sequence[str]], pairs: int, folder: Path) -> Iterator[Figure]:
    """The figures of cost; `sets` are the queries of each labelled set."""
    listed = draw(TOOLS, folder)
    run(python("-m", "toolfold", "import", "tools", str(listed)), folder)
    manifest = folder / "tools.yaml"
    with manifest.open("a", encoding="utf-8") as file:
        file.write("disclosure: {search: hybrid}\n")
    run(python("-m", "toolfold", "generate", "-q"), folder)
    rounds = asyncio.run(Rounds(folder, listed).run(_queries(sets, pairs)))
    _print_costs(rounds)
    for side, limit in (("lexical", 0.08), ("hybrid", 0.12)):
        ratios = [one[side] / one["FastMCP"] for one in rounds]
        yield figure(f"search: {side}, {TOOLS:,} tools, CPU / FastMCP's `_search`", ratios, limit)
    firsts = [_first(folder, "lexical") for _ in range(pairs)]
    yield figure("search: first one, lexical, CPU", [f["ms"] for f in firsts], 150, " ms")
    yield figure("search: memory after it, lexical", [f["mb"] for f in firsts], 40, " MB")
    hybrid = _first(folder, "hybrid")
    print(f"for the reader: first one, hybrid: {hybrid['ms']:.0f} ms, {hybrid['mb']:.0f} MB")


def _queries(sets: Sequence[Sequence[str]], rounds: int) -> list[list[str]]:
    """Different queries in each round if a set has enough, because recent ones are cached."""
    shuffled = [random.Random(SEED).sample(queries, len(queries)) for queries in sets]
    return [
        [one[(number * _OF_EACH + n) % len(one)] for one in shuffled for n in range(_OF_EACH)]
        for number in range(rounds)
    ]


def _print_costs(rounds: Sequence[dict[str, float]]) -> None:
    sides = {side: sorted(one[side] for one in rounds)[len(rounds) // 2] for side in rounds[0]}
    print(f"\nCPU of a search at {TOOLS:,} tools; FastMCP: its transform's `_search`, as a server")
    print("performs it; its index query alone; a whole call of its client in the same process")
    for side, seconds in sides.items():
        ratios = "  ".join(
            f"{seconds / sides[other]:.3f} of {other}"
            for other in ("FastMCP", "FastMCP index", "FastMCP call")
        )
        print(f"{side:<14} {1000 * seconds:8.2f} ms   {ratios}")


def _first(folder: Path, strategy: str) -> dict[str, float]:
    program = Path(__file__).parent / "first_search.py"
    printed: dict[str, float] = json.loads(
        run(python(str(program), PACKAGE, strategy), folder).output
    )
    if printed["lines"] < 2:
        raise SystemExit("the first search found nothing")
    return printed
