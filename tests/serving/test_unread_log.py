"""A client that never reads the server's log, as many do not."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.support.commands import process_environment
from tests.support.projects import import_path, served_by
from tests.support.servers import package_command
from tests.support.waiting import PATIENCE

TOOL: Final = {"category": "all", "effect": "read", "summary": "One"}
IMPLEMENTATION: Final = """
class Tools:
    async def fails(self, params):
        raise ValueError("x" * 10_000)

    async def works(self, params):
        return "worked"
"""
HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def test_a_full_pipe_of_log_lines_stops_no_call(tmp_path: Path) -> None:
    made = served_by(tmp_path, {"fails": TOOL, "works": TOOL}, IMPLEMENTATION)
    pipe = subprocess.PIPE
    with subprocess.Popen(
        package_command(made.package),
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
        env=process_environment(import_path(made.output)),
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        assert server.stderr is not None
        messages: list[dict[str, Any]] = [{"id": 0, "method": "initialize", "params": HELLO}]
        messages += [call(number, "fails") for number in range(1, 31)]
        messages += [call(31, "works")]
        for message in messages:
            server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
        server.stdin.close()
        assert answer["result"]["content"][0]["text"] == "worked"
        assert server.wait(PATIENCE) == 0
        lines = server.stderr.read().splitlines()
    # What there was room for is whole, but for the line where the room ended.
    assert all(json.loads(line)["event"] == "the method failed" for line in lines[:-1])
    assert 1 < len(lines) < 30


def call(number: int, name: str) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": {}}}
