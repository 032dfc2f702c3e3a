"""An MCP server in one thread: while it asks, it reads no answer; run as a program."""

import json
import sys
from typing import Any

Json = dict[str, Any]

TOOL = {"name": "ask", "description": "Asks 50,000 times", "inputSchema": {"type": "object"}}


def answer(method: str) -> Json:
    if method == "initialize":
        info = {"name": "deaf", "version": "1"}
        capabilities: Json = {"tools": {}}
        version = {"protocolVersion": "2025-11-25"}
        return {"result": {**version, "capabilities": capabilities, "serverInfo": info}}
    if method == "tools/list":
        return {"result": {"tools": [TOOL]}}
    if method == "tools/call":
        return {"result": {"content": [{"type": "text", "text": "asked"}]}}
    return {"error": {"code": -32601, "message": "no such method"}}


def send(message: Json) -> None:
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")


def main() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "method" not in message or "id" not in message:
            continue
        if message["method"] == "tools/call":
            for at in range(50_000):
                send({"id": f"ping {at}", "method": "ping"})
        send({"id": message["id"], **answer(message["method"])})
        sys.stdout.flush()


if __name__ == "__main__":
    main()
