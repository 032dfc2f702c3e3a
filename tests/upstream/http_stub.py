"""A server over HTTP in plain Python, in a thread of the test; of the older era, without a session.

What it does is decided by the path that is asked: `/mcp` answers, the others misbehave.
"""

import base64
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.upstream import stub

Json = dict[str, Any]


class HttpStub(ThreadingHTTPServer):
    """The server, with what it was sent."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        #: Of every POST: path with query, headers in lower case, body.
        self.seen: list[tuple[str, dict[str, str], bytes]] = []
        #: The tokens that are accepted, newest last, and what a new one is worth.
        self.tokens: list[str] = []
        self.lifetime = 3600.0
        self.refuses_tokens = False
        #: The sessions that are known, at the path `/session`.
        self.sessions: set[str] = set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_: object) -> None:
        """A client that goes away is no news."""

    def headers_seen(self, name: str) -> set[str | None]:
        """The values of a header in all requests to the server itself."""
        return {
            headers.get(name) for path, headers, _ in self.seen if not path.startswith("/token")
        }


@contextmanager
def http_stub() -> Iterator[HttpStub]:
    """A server that listens meanwhile."""
    server = HttpStub()
    thread = threading.Thread(target=server.serve_forever, args=[0.01])
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: HttpStub
    protocol_version = "HTTP/1.1"
    session = ""

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""

    def do_GET(self) -> None:
        self.reply(405, b"", "text/plain")

    def do_DELETE(self) -> None:
        self.reply(200, b"", "text/plain")

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.path, headers, body))
        kind = urlsplit(self.path).path.strip("/")
        getattr(self, f"at_{kind}")(body, headers)

    def at_mcp(self, body: bytes, headers: dict[str, str]) -> None:
        message = json.loads(body)
        if "id" not in message:
            return self.reply(202, b"", "text/plain")
        params = message.get("params", {})
        if message["method"] == "tools/call" and params["name"] == "crash":
            self.connection.shutdown(socket.SHUT_RDWR)  # in the middle of a call
            return None
        answer = self.result(message["method"], params)
        return self.send({"jsonrpc": "2.0", "id": message["id"], **answer})

    def result(self, method: str, params: Json) -> Json:
        server = stub.Server()
        if method == "tools/call" and params["name"] == "env":
            return {"result": stub.text(self.path)}
        try:
            return {"result": server.result(1, method, params)}
        except LookupError as error:
            return {"error": {"code": -32601, "message": str(error)}}

    def at_session(self, body: bytes, headers: dict[str, str]) -> None:
        """Answers those whose session it knows."""
        if json.loads(body).get("method") == "initialize":
            self.session = f"session-{len(self.server.seen)}"
            self.server.sessions.add(self.session)
        elif "mcp-session-id" not in headers:
            return self.reply(400, b"no session", "text/plain")
        elif headers["mcp-session-id"] not in self.server.sessions:
            error = {"code": -32600, "message": "Session not found"}
            missing = json.dumps({"jsonrpc": "2.0", "id": None, "error": error}).encode()
            return self.reply(404, missing, "application/json")
        return self.at_mcp(body, headers)

    def at_guarded(self, body: bytes, headers: dict[str, str]) -> None:
        """Answers those who have the newest token."""
        token = headers.get("authorization", "").removeprefix("Bearer ")
        if not self.server.tokens or token != self.server.tokens[-1]:
            return self.reply(401, b"who are you?", "text/plain")
        return self.at_mcp(body, headers)

    def at_token(self, body: bytes, headers: dict[str, str]) -> None:
        """Gives a new token to the client `ada` with the secret `s:1`, encoded as the standard says."""
        pair = base64.b64encode(b"ada:s%3A1").decode()
        form = parse_qs(body.decode())
        if headers["authorization"] != f"Basic {pair}" or self.server.refuses_tokens:
            return self.reply(401, b'{"error": "invalid_client"}', "application/json")
        assert form["grant_type"] == ["client_credentials"]
        self.server.tokens.append(f"token-{len(self.server.tokens)}")
        answer = {"access_token": self.server.tokens[-1], "expires_in": self.server.lifetime}
        return self.reply(200, json.dumps(answer).encode(), "application/json")

    def at_elsewhere(self, body: bytes, headers: dict[str, str]) -> None:
        """Sends the client to another origin: the same machine by another name."""
        self.send_response(307)
        self.send_header("location", f"http://localhost:{self.server.server_port}/mcp")
        self.send_header("content-length", "0")
        self.end_headers()

    def at_down(self, body: bytes, headers: dict[str, str]) -> None:
        self.reply(502, b"<html>bad gateway</html>", "text/html")

    def at_repeating(self, body: bytes, headers: dict[str, str]) -> None:
        """Refuses, and says what it was sent."""
        error = {"code": -32001, "message": f"refused: {headers['authorization']} at {self.path}"}
        self.send({"jsonrpc": "2.0", "id": json.loads(body).get("id"), "error": error})

    def at_endless(self, body: bytes, headers: dict[str, str]) -> None:
        """More than anybody can take."""
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b" " * 1_000_000)
        except OSError:
            self.close_connection = True

    def at_compressed(self, body: bytes, headers: dict[str, str]) -> None:
        """A few kilobytes that become a gigabyte."""
        import zlib

        packer = zlib.compressobj(9, zlib.DEFLATED, 31)
        packed = b"".join(packer.compress(b" " * 1_000_000) for _ in range(1000)) + packer.flush()
        self.reply(200, packed, "application/json", encoding="gzip")

    def send(self, message: Json) -> None:
        self.reply(200, json.dumps(message).encode(), "application/json")

    def reply(self, status: int, body: bytes, kind: str, encoding: str = "") -> None:
        self.send_response(status)
        if self.session:
            self.send_header("mcp-session-id", self.session)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        if encoding:
            self.send_header("content-encoding", encoding)
        self.end_headers()
        self.wfile.write(body)
