"""toolfold and FastMCP beside a bare server: CPU of start, direct call, search and run.

For the reader: these have no limits. All sides are measured in turn in each round, and each is
divided by the bare server of the same round: a start by its start, a call by its call.
"""

import json
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple

from bench.fastmcp_server import names
from bench.measure import python
from bench.served import ROOT, Project, bare_session
from bench.session import Session

START = "start to first list"
CALLS = ("a direct call", "a search by name", "a run")
_ENOUGH = 400  # ms of one call that is repeated: FastMCP's take long where there are many tools

Call = tuple[str, dict[str, Any]]


class Side(NamedTuple):
    """A server under measurement, and what is called of it, in the order of CALLS."""

    name: str
    session: Callable[[], Session]
    calls: tuple[Call, ...]


def peer_rows(small: Project, large: Project, rounds: int, times: int) -> Iterator[str]:
    """The lines of a table: what is measured by whose, as multiples of the bare server."""
    projects = {"16": small, "5,000": large}
    sides = [_ours(size, project) for size, project in projects.items()]
    sides += [_fastmcp(size, project) for size, project in projects.items()]
    ratios: dict[tuple[str, str], list[float]] = {}
    for _ in range(rounds):
        bare = Side("bare", bare_session, (("echo", {"text": "x"}),) * len(CALLS))
        reference = _measured(bare, times)
        for side in sides:
            for action, cost in _measured(side, times).items():
                ratios.setdefault((action, side.name), []).append(cost / reference[action])
    yield f"\n{'CPU / bare server, median':<28}" + "".join(f"{side.name:>16}" for side in sides)
    for action in (START, *CALLS):
        cells = [f"{median(ratios[action, side.name]):>16.2f}" for side in sides]
        yield f"{action:<28}" + "".join(cells)


def _ours(size: str, project: Project) -> Side:
    calls = project.calls()
    measured = ("a direct call", "search_tools by name", "run_read")
    return Side(f"toolfold {size}", project.session, tuple(calls[name] for name in measured))


def _fastmcp(size: str, project: Project) -> Side:
    command = python(str(ROOT / "bench" / "fastmcp_server.py"), str(project.listed))
    tools = json.loads(project.listed.read_bytes())["tools"]
    free = [
        name
        for name, tool in zip(names(tools), tools, strict=True)
        if not tool["inputSchema"].get("required")
    ]
    tool = free[len(free) // 2]
    calls: tuple[Call, ...] = (
        (tool, {}),
        ("search_tools", {"query": tool}),
        ("call_tool", {"name": tool, "arguments": {}}),
    )
    return Side(f"FastMCP {size}", lambda: Session(command, ROOT, {}), calls)


def _measured(side: Side, times: int) -> dict[str, float]:
    """CPU of a new process: its start in seconds, and each call in milliseconds."""
    with side.session() as server:
        server.request("tools/list", {})
        costs = {START: server.cpu()}
        for action, call in zip(CALLS, side.calls, strict=True):
            once = server.cpu_per_call(*call, 1)
            costs[action] = server.cpu_per_call(*call, min(times, max(4, int(_ENOUGH / once))))
    return costs
