"""Load on a gateway while its servers are killed at random: the outcome of every call."""

import os
import random
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.gateways import Gateway
from bench.load import under_load

Json = dict[str, Any]

#: What a call that was under way at a kill is told; and one that came before the server was up again.
_CLEAR = ("ended during the call", "ended before it said who it is", "it has failed since")


@dataclass
class Outcome:
    """The outcomes of the calls, and the processes that were left over."""

    sent: int = 0
    kills: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    left: int = 0


def under_kills(
    gateway: Gateway, servers: int, seconds: float, at_once: int = 48, every: float = 0.25
) -> Outcome:
    """Call servers at random while one of them is killed every now and then."""
    outcome, started = Outcome(), dict[int, float]()
    ended = threading.Event()
    seen: set[int] = set()

    def call_of(number: int) -> tuple[str, Json]:
        started[number] = time.monotonic()
        return f"stub{number % servers}_echo", {"text": f"text {number}"}

    def verdict(number: int, text: str, is_error: bool) -> str:
        outcome.slowest = max(outcome.slowest, time.monotonic() - started.pop(number))
        if not is_error:
            return "right" if text == f"text {number}" else f"wrong: {text[:60]}"
        return "told of the kill" if any(words in text for words in _CLEAR) else f"wrong: {text}"

    with gateway.session() as server:

        def kill() -> None:
            chosen = random.Random(16)
            while not ended.wait(every):
                children = _children(server.process.pid)
                seen.update(children)
                if children:
                    outcome.kills += 1
                    _kill(chosen.choice(children))

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            load = under_load(server, seconds, at_once, call_of, verdict)
        finally:
            ended.set()
            killer.join()
        seen.update(_children(server.process.pid))
    outcome.sent, outcome.outcomes = load.sent, load.outcomes
    outcome.left = sum(Path(f"/proc/{pid}").exists() for pid in seen)
    return outcome


def _children(pid: int) -> list[int]:
    """The servers that a gateway has started."""
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    pids = [int(child) for task in tasks for child in task.read_text().split()]
    return [child for child in pids if b"stub.py" in _command(child)]


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return
