"""A real stdio session with a generated server, in raw JSON-RPC: nothing is modelled on our side."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

Json = dict[str, Any]


def listed_tools(output: Path, package: str) -> list[Json]:
    """Every tool of every page that the server lists, exactly as it was sent."""
    with subprocess.Popen(
        [sys.executable, "-m", f"{package}.server"],
        env={**os.environ, "PYTHONPATH": str(output), "PYTHONDONTWRITEBYTECODE": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        tools = _all_pages(process.stdin, process.stdout)
        process.stdin.close()
        assert process.wait(timeout=60) == 0
    return tools


def _all_pages(to: IO[str], back: IO[str]) -> list[Json]:
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    _answer(to, back, 0, "initialize", hello)
    to.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\n")
    tools: list[Json] = []
    params: Json = {}
    while True:
        page = _answer(to, back, len(tools) + 1, "tools/list", params)
        assert page["tools"], "an empty page"
        tools += page["tools"]
        if page.get("nextCursor") is None:
            return tools
        params = {"cursor": page["nextCursor"]}


def _answer(to: IO[str], back: IO[str], number: int, method: str, params: Json) -> Json:
    to.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
    to.write("\n")
    to.flush()
    while True:
        line = back.readline()
        assert line, f"the server left without an answer to {method}"
        message = json.loads(line)
        if message.get("id") == number:
            assert "result" in message, line
            result: Json = message["result"]
            return result
