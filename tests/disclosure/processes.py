"""Generated servers in processes of their own, over HTTP, and plain requests to them."""

import contextlib
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.disclosure.catalogs import Json, Project

_SECONDS: Final = 30
_HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}


@dataclass(frozen=True)
class Response:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Json:
        found: Json = json.loads(self.body)
        return found


@dataclass
class Listening:
    """A server over HTTP."""

    process: subprocess.Popen[str]
    port: int
    said: list[str] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def post(self, message: Json, path: str = "/mcp", **headers: str) -> Response:
        """One message; a header is named with underscores."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.request("POST", path, json.dumps(message), _HEADERS | named)

    def get(self, path: str) -> Response:
        return self.request("GET", path, None, {})

    def request(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> Response:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=_SECONDS)
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            text = answer.read().decode()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return Response(answer.status, found, text)

    def is_open(self) -> bool:
        """Whether new connections are taken."""
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
            return True
        return False

    def tell_to_stop(self) -> None:
        """Ask it to end, and come back once it takes nothing new."""
        self.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not self.is_open(), "the server goes on listening")

    def end(self) -> int:
        """Wait for the end; the exit code."""
        return self.process.wait(_SECONDS)


def wait_until(is_so: Any, complaint: str) -> None:
    """Poll until a claim holds; a claim that never does fails the test."""
    deadline = time.monotonic() + _SECONDS
    while not is_so():
        assert time.monotonic() < deadline, complaint
        threading.Event().wait(0.02)


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


def serve_command(project: Project, *options: str) -> list[str]:
    command = [sys.executable, "-m", "toolfold", "serve", "-m", str(project.manifest)]
    return [*command, *options]


@contextlib.contextmanager
def listening(
    project: Project, *options: str, port: int | None = None, **environment: str
) -> Iterator[Listening]:
    """`toolfold serve --http`, ended afterwards if it did not end before."""
    port = port or free_port()
    process = subprocess.Popen(
        serve_command(project, "--http", "--port", str(port), *options),
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    server = Listening(process, port)
    reader = threading.Thread(target=_read, args=(server,), daemon=True)
    reader.start()
    try:
        wait_until(lambda: server.is_open() or process.poll() is not None, "nothing listens")
        assert process.poll() is None, "".join(server.said)
        yield server
    finally:
        process.terminate()
        process.wait(_SECONDS)
        reader.join(_SECONDS)
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()


def _read(server: Listening) -> None:
    assert server.process.stderr is not None
    server.said.extend(server.process.stderr)
