"""Raw messages to a server, and the events of its streams."""

import json
from typing import Any, Final

from tests.support.clients import MODERN, Era
from tests.support.projects import Json
from tests.support.servers import HEADERS

LIST: Final[Json] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MODERN_META: Final[Json] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
MODERN_LIST: Final[Json] = LIST | {"params": {"_meta": MODERN_META}}
#: What asks for progress.
TOKEN: Final[Json] = {"progressToken": "p"}


def call_of(name: str, /, **arguments: Any) -> Json:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def call_in(era: Era, name: str, meta: Json | None = None, /, **arguments: Any) -> Json:
    """A call with metadata, as a client of that era sends it."""
    call = call_of(name, **arguments)
    call["params"]["_meta"] = (MODERN_META if era == MODERN else {}) | (meta or {})
    return call


def headers_in(era: Era, name: str) -> dict[str, str]:
    """The headers that go with a call in that era, named with underscores."""
    if era != MODERN:
        return {}
    return {"MCP_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": name}


def request_bytes(message: Json, **headers: str) -> bytes:
    """A request as it is sent; a header is named with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = json.dumps(message).encode()
    sent = {"Host": "localhost"} | HEADERS | named | {"Content-Length": str(len(body))}
    head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    return f"POST /mcp HTTP/1.1\r\n{head}\r\n".encode() + body


def events(body: str) -> list[Json]:
    """The messages in a stream of events."""
    return [json.loads(line[6:]) for line in body.splitlines() if line.startswith("data: ")]
