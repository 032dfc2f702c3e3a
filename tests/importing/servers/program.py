"""An MCP server in plain Python that publishes the tools of a file; run as a program.

It starts in milliseconds. Environment variables say what else it does: PUBLISHED_NAME what it is
called, PUBLISHED_NEEDS a variable without which it ends, PUBLISHED_ENDS and PUBLISHED_HANGS.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

Json = dict[str, Any]


def answer(message: Json, tools: list[Json]) -> Json:
    """The answer to a request."""
    if message["method"] == "initialize":
        name = os.environ.get("PUBLISHED_NAME", "published")
        result: Json = {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": name, "version": "3.1"},
        }
    elif message["method"] == "tools/list":
        result = {"tools": tools}
    elif message["method"] == "tools/call":
        given = {key: os.environ.get(key) for key in ("TOKEN", "MODE")}
        text = json.dumps([message["params"]["name"], message["params"].get("arguments"), given])
        result = {"content": [{"type": "text", "text": text}]}
    else:
        return {"error": {"code": -32601, "message": "Method not found"}}
    return {"result": result}


def main() -> None:
    """Answer until the input ends."""
    needed = os.environ.get("PUBLISHED_NEEDS")
    if "PUBLISHED_ENDS" in os.environ or (needed and not os.environ.get(needed)):
        sys.exit(f"cannot go on without {needed or 'a reason'}")
    tools = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "method" in message and "PUBLISHED_HANGS" not in os.environ:
            reply = {"jsonrpc": "2.0", "id": message["id"], **answer(message, tools)}
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
