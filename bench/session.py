"""A raw JSON-RPC session with a server process, and what the server costs meanwhile."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Self


class Session:
    """A server over stdio, asked one request after the other."""

    def __init__(self, command: Sequence[str], cwd: Path, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **env},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._id = 0

    def __enter__(self) -> Self:
        client = {"name": "bench", "version": "1"}
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
        self.request("initialize", params)
        self._send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait(30)

    def request(self, method: str, params: dict[str, Any]) -> Any:
        """The result of one request; SystemExit where it is an error."""
        self._id += 1
        self._send({"jsonrpc": "2.0", "id": self._id, "method": method, "params": params})
        if self.process.stdout is None:
            raise SystemExit("no pipe")
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer or answer["result"].get("isError"):
            raise SystemExit(f"{method} {params}: {answer}")
        return answer["result"]

    def call(self, tool: str, arguments: dict[str, Any]) -> Any:
        """The result of calling a tool."""
        return self.request("tools/call", {"name": tool, "arguments": arguments})

    def send_call(self, number: int, tool: str, arguments: dict[str, Any]) -> None:
        """Send a call under an id of the caller's, without waiting."""
        params = {"name": tool, "arguments": arguments}
        self._send({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})

    def read(self) -> dict[str, Any] | None:
        """The next message, or None at the end."""
        if self.process.stdout is None:
            raise SystemExit("no pipe")
        line = self.process.stdout.readline()
        message: dict[str, Any] | None = json.loads(line) if line else None
        return message

    def cpu(self) -> float:
        """CPU seconds of the server so far."""
        return cpu_of(self.process.pid)

    def cpu_per_call(self, tool: str, arguments: dict[str, Any], times: int) -> float:
        """CPU of one call in ms, the first calls aside."""
        for _ in range(min(times, 20)):
            self.call(tool, arguments)
        before = self.cpu()
        for _ in range(times):
            self.call(tool, arguments)
        return (self.cpu() - before) / times * 1000

    def round_trips(self, tool: str, arguments: dict[str, Any], times: int) -> list[float]:
        """Wall time of each of many calls, in ms."""
        found = []
        for _ in range(times):
            started = time.perf_counter()
            self.call(tool, arguments)
            found.append((time.perf_counter() - started) * 1000)
        return found

    def resident(self) -> float:
        """Resident memory of the server, in MB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        line = next(row for row in status.splitlines() if row.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def _send(self, message: dict[str, Any]) -> None:
        if self.process.stdin is None:
            raise SystemExit("no pipe")
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()


def cpu_of(process: int) -> float:
    """CPU seconds of a process so far."""
    # The kernel's clock of that process, to the nanosecond; /proc has ticks of 10 ms.
    return time.clock_gettime((~process << 3) | 2)


def cpu_in_turn(
    sides: Mapping[str, tuple[Session, str, dict[str, Any]]], times: int, turns: int = 10
) -> dict[str, float]:
    """CPU of each side's calls, so many of each in turn, so that a busy machine is busy for all."""
    total = dict.fromkeys(sides, 0.0)
    for turn in range(turns + 1):
        for name, (server, tool, given) in sides.items():
            before = server.cpu()
            for _ in range(times):
                server.call(tool, given)
            if turn:  # the first is for warming up
                total[name] += server.cpu() - before
    return total
