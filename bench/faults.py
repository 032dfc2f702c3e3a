"""Figures of isolation: tools that hang, flood, sleep, exit and fork, beside good ones.

First 500 calls of a tool that never ends, and every other tool after them; then a minute of all of
them at once, 64 calls under way.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path
from statistics import median

import yaml

from bench.load import Json, Load, under_load
from bench.measure import Figure, figure, python, run
from bench.session import Session

GOOD = ("say", "say_blocking", "model", "cached")
# What each faulty tool may answer; every one of them has an answer that names its fault.
FAULTY = {
    "hang": ("timeout: hang ",),
    "hang_blocking": ("timeout: hang_blocking ",),
    "sleepy_serializer": ("timeout: sleepy_serializer ",),
    "flood": ("budget_exceeded: the result of flood ",),
    "endless": ("invalid_result: endless returned what is not JSON.",),
    "leave": ("backend_failed: leave failed with SystemExit",),
    "fork": ("forked",),
}
IMPLEMENTATION = '''
import asyncio, itertools, os, sys, threading, time
from pydantic import BaseModel, field_serializer
from faults_mcp.models.model import ModelResult

FOREVER = threading.Event()


class Sleepy(BaseModel):
    text: str

    @field_serializer("text")
    def sleep(self, text):
        time.sleep(1)
        return text


class Tools:
    """Tools that work, and tools that do what tools should not."""

    async def say(self, params):
        return params.text

    def say_blocking(self, params):
        return params.text

    async def model(self, params):
        return ModelResult(text=params.text, parts=params.text.split())

    async def cached(self, params):
        return params.text

    async def hang(self, params):
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                pass

    def hang_blocking(self, params):
        FOREVER.wait()

    async def sleepy_serializer(self, params):
        return {"inside": Sleepy(text=params.text)}

    def flood(self, params):
        return {"inside": [params.text] * 1_100_000}

    async def endless(self, params):
        return {"inside": itertools.count()}

    def leave(self, params):
        sys.exit(params.text)

    def fork(self, params):
        child = os.fork()
        if child:
            os.waitpid(child, 0)
        return "forked"
'''


def manifest() -> Json:
    """All of the tools above; the faulty ones have little time."""
    text = {"type": "string", "required": True}
    tool: Json = {"category": "all", "effect": "read", "summary": "Do it"}
    tool["parameters"] = {"text": text}
    parts = {"type": "array", "items": {"type": "string"}}
    returned = {"type": "object", "properties": {"text": {"type": "string"}, "parts": parts}}
    tools = {name: dict(tool) for name in GOOD} | {
        name: tool | {"timeout": 0.5 if "timeout" in FAULTY[name][0] else 30} for name in FAULTY
    }
    tools["model"]["returns"] = returned
    tools["cached"]["cache"] = {"ttl": 60}
    server = {"name": "faults", "version": "1", "implementation": "tools_of:Tools"}
    return {"toolfold": 1, "server": server, "categories": {"all": {}}, "tools": tools}


def session(folder: Path) -> Session:
    """A new server process over stdio."""
    command = python("-m", "faults_mcp.server")
    path = os.pathsep.join([str(folder / "generated"), os.environ.get("PYTHONPATH", "")])
    return Session(command, folder, {"PYTHONPATH": path})


def hanging(folder: Path, times: int) -> list[Figure]:
    """The time of each good tool after 500 calls that hang, as a multiple of its usual time."""
    ratios: dict[str, list[float]] = {name: [] for name in GOOD}
    with session(folder) as server:
        for name in GOOD:
            server.round_trips(name, {"text": "warm"}, 50)
        usual = {name: _median(server, name, times) for name in GOOD}
        for attempt in range(3):
            for number in range(500):
                server.send_call(1_000_000 + 1000 * attempt + number, "hang", {"text": "x"})
            for _ in range(500):
                answer = server.read()
                if answer is None or not answer["result"].get("isError"):
                    raise SystemExit(f"a call that hangs was answered with {answer}")
            for name in GOOD:
                ratios[name].append(_median(server, name, times) / usual[name])
    return [
        figure(f"500 calls hang, then {name}: time over its usual time", ratios[name], 1.5)
        for name in GOOD
    ]


def _median(server: Session, name: str, times: int) -> float:
    return median(server.round_trips(name, {"text": "a b"}, times))


def a_minute(folder: Path, seconds: float) -> tuple[list[Figure], Load]:
    """Everything at once: each call held to what it should be answered, and the server's memory."""
    names = [*GOOD, *FAULTY]

    def call_of(number: int) -> tuple[str, Json]:
        return names[number % len(names)], {"text": f"n{number}"}

    def verdict(number: int, text: str, is_error: bool) -> str:
        name = names[number % len(names)]
        if name in FAULTY:
            return "ok" if text.startswith(FAULTY[name]) else f"{name}: {text[:60]}"
        return "ok" if f"n{number}" in text and not is_error else f"{name}: {text[:60]}"

    with session(folder) as server:
        load = under_load(server, seconds, 64, call_of, verdict)
    wrong = load.sent - load.outcomes["ok"]
    growth = _typical(load, 0.75 * seconds, seconds) / _typical(load, seconds / 4, seconds / 2)
    return [
        figure(f"{load.sent:,} calls in {seconds:g} s: wrong, lost or twice", [wrong], 0),
        figure("memory in the last quarter over that in the second", [growth], 1.1),
    ], load


def _typical(load: Load, start: float, end: float) -> float:
    """The median memory over a time, as floods hold memory only for moments."""
    return median(size for at, size in load.memory if start <= at <= end)


def main() -> int:
    """Print the figures; 1 where one is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--times", type=int, default=100, help="calls of each good tool")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tools.yaml").write_text(yaml.safe_dump(manifest()), encoding="utf-8")
        (folder / "tools_of.py").write_text(IMPLEMENTATION, encoding="utf-8")
        run(python("-m", "toolfold", "generate", "-q"), folder)
        figures = hanging(folder, options.times)
        more, load = a_minute(folder, options.seconds)
    for each in (*figures, *more):
        print(each.row())
    for outcome, count in load.outcomes.items():
        if outcome != "ok":
            print(f"  {count} x {outcome}")
    return 0 if all(each.is_met for each in (*figures, *more)) else 1


if __name__ == "__main__":
    sys.exit(main())
