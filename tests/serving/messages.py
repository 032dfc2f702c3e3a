"""Raw messages to a server."""

from typing import Any, Final

from tests.support.projects import Json

LIST: Final[Json] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MODERN_LIST: Final[Json] = LIST | {
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }
}


def call_of(name: str, /, **arguments: Any) -> Json:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
