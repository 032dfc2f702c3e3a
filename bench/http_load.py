"""Requests per second of a server over HTTP on loopback, for a fixed number of requests."""

import os
import socket
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import httpx2

HEADERS = {
    "accept": "application/json, text/event-stream",
    "mcp-protocol-version": "2025-11-25",
}


def requests_per_second(
    command: Sequence[str],
    cwd: Path,
    env: dict[str, str],
    tool: str,
    arguments: dict[str, Any],
    times: int,
) -> float:
    """Start the server on a free port, call one tool many times, end it."""
    port = free_port()
    process = subprocess.Popen(
        [*command, str(port)],
        cwd=cwd,
        env={**os.environ, **env},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        with httpx2.Client(base_url=f"http://127.0.0.1:{port}", headers=HEADERS) as client:
            _wait(client, tool, arguments)
            started = time.perf_counter()
            for _ in range(times):
                _call(client, tool, arguments)
            return times / (time.perf_counter() - started)
    finally:
        process.terminate()
        process.wait(30)


def _call(client: httpx2.Client, tool: str, arguments: dict[str, Any]) -> None:
    params = {"name": tool, "arguments": arguments}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answer = client.post("/mcp", json=body).json()
    if "error" in answer or answer["result"].get("isError"):
        raise SystemExit(f"{tool}: {answer}")


def _wait(client: httpx2.Client, tool: str, arguments: dict[str, Any]) -> None:
    deadline = time.monotonic() + 30
    while True:
        try:
            return _call(client, tool, arguments)
        except httpx2.TransportError:
            if time.monotonic() > deadline:
                raise SystemExit("the server did not come up") from None
            time.sleep(0.05)


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
