"""Concurrent calls over stdio for a time: every answer is counted and checked."""

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bench.session import Session

Json = dict[str, Any]


@dataclass
class Load:
    """The outcomes of the calls, and the server's memory over time."""

    sent: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    memory: list[tuple[float, float]] = field(default_factory=list)

    def memory_at(self, second: float) -> float:
        """Resident memory when a second had passed, in MB."""
        return next(size for at, size in self.memory if at >= second)


def under_load(
    server: Session,
    seconds: float,
    at_once: int,
    call_of: Callable[[int], tuple[str, Json]],
    verdict: Callable[[int, str, bool], str],
) -> Load:
    """Keep `at_once` calls under way for so long, then wait for the last of them."""
    load, places = Load(), threading.Semaphore(at_once)
    waiting: dict[int, float] = {}

    def listen() -> None:
        while load.sent == 0 or waiting or not done.is_set():
            message = server.read()
            if message is None:
                return
            number = message.get("id")
            if number == -1:
                return
            if number not in waiting:
                load.outcomes["answered twice or unasked"] += 1
                continue
            del waiting[number]
            result = message.get("result", {"content": [{"text": json.dumps(message)}]})
            text = result["content"][0]["text"]
            load.outcomes[verdict(number, text, bool(result.get("isError")))] += 1
            places.release()

    done = threading.Event()
    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    started = last = time.monotonic()
    while (now := time.monotonic()) - started < seconds:
        places.acquire()
        number = load.sent
        waiting[number] = now
        load.sent += 1
        server.send_call(number, *call_of(number))
        if now - last >= 0.5:
            last = now
            load.memory.append((now - started, server.resident()))
    for _ in range(at_once):  # every place is free again: every call was answered
        if not places.acquire(timeout=30):
            load.outcomes["never answered"] += 1
    load.memory.append((time.monotonic() - started, server.resident()))
    done.set()
    server.send_call(-1, "capabilities", {})
    listener.join(30)
    return load
