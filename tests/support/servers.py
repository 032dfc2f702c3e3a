"""Generated servers in processes of their own: over stdio in raw messages, and over HTTP."""

import contextlib
import http.client
import json
import os
import signal
import socket
import sys
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Self

from tests.support.commands import process_environment
from tests.support.processes import start
from tests.support.projects import Json, Project, import_path
from tests.support.waiting import PATIENCE, wait_until

HEADERS: Final = {
    "Content-Type": "application/json",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-11-25",
}
_HELLO: Final = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


def serve_command(project: Project, *options: str) -> list[str]:
    """The command that serves a project by its manifest."""
    return [sys.executable, "-m", "toolfold", "serve", "-m", str(project.manifest), *options]


def package_command(package: str, *options: str) -> list[str]:
    """The command that serves a generated package on the path."""
    return [sys.executable, "-m", f"{package}.server", *options]


class Lines:
    """The lines of a stream as they come, and ways to wait for them."""

    def __init__(self, stream: IO[str], take: Callable[[str], None] = lambda line: None) -> None:
        self.lines: list[str] = []
        self._stream = stream
        self._take = take
        self._next = 0
        self._has_ended = False
        self._changed = threading.Condition()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def wait_until(self, is_so: Callable[[], bool], complaint: str) -> None:
        """Come back once a claim about the lines holds; fail if the stream ends before."""
        with self._changed:
            self._changed.wait_for(lambda: is_so() or self._has_ended, PATIENCE)
            assert is_so(), f"{complaint}; the last lines: {self.lines[-5:]}"

    def until(self, start: str) -> list[str]:
        """The lines since the last call, up to the first that starts so."""
        first = self._next

        def places() -> list[int]:
            return [
                place
                for place, line in enumerate(self.lines[first:], first)
                if line.startswith(start)
            ]

        self.wait_until(lambda: bool(places()), f"no line starts with {start!r}")
        self._next = places()[0] + 1
        return [line.rstrip("\n") for line in self.lines[first : self._next]]

    def close(self) -> None:
        """Read what is left of a stream that ends."""
        self._reader.join(PATIENCE)
        self._stream.close()

    def _read(self) -> None:
        try:
            for line in self._stream:
                with self._changed:
                    self.lines.append(line)
                    self._take(line)
                    self._changed.notify_all()
        finally:
            with self._changed:
                self._has_ended = True
                self._changed.notify_all()


class Running:
    """A process whose output is collected as it comes; it ends with its block at the latest."""

    def __init__(self, command: Sequence[str], folder: Path | None = None, /, **more: str) -> None:
        # As clients start servers: what is printed is buffered, unless a test says otherwise.
        environment = {"PYTHONUNBUFFERED": "", **more}
        (stdin, given), (out, stdout), (err, stderr) = os.pipe(), os.pipe(), os.pipe()
        streams = (stdin, stdout, stderr)
        self.process = start(command, folder, process_environment(environment), streams)
        for stream in streams:
            os.close(stream)
        #: Our ends of its pipes.
        self.descriptors = {"stdin": given, "stdout": out, "stderr": err}
        self._input = os.fdopen(given, "w", encoding="utf-8")
        self.out = Lines(os.fdopen(out, encoding="utf-8"), self.take)
        self.err = Lines(os.fdopen(err, encoding="utf-8"))

    @property
    def log(self) -> str:
        """What it wrote to its standard error so far."""
        return "".join(self.err.lines)

    def take(self, line: str) -> None:
        """Called with each line of the standard output."""

    def write(self, text: str) -> None:
        """Write to its standard input."""
        self._input.write(text)
        self._input.flush()

    def write_bytes(self, data: bytes) -> None:
        """Write to its standard input what need not be text."""
        self._input.flush()
        self._input.buffer.write(data)
        self._input.buffer.flush()

    def end(self) -> int:
        """Close its standard input and wait for the end; the exit code."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        try:
            code = self.process.wait(PATIENCE)
        finally:
            self._kill()
        self.out.close()
        self.err.close()
        return code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            self._kill()
        self.end()

    def _kill(self) -> None:
        """End whatever is left of the process and of those that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)


class Stdio(Running):
    """A server over stdio, spoken to in raw messages; answers are collected by id, in any order.

    As a context manager it says hello first.
    """

    def __init__(self, command: Sequence[str], folder: Path | None = None, /, **more: str) -> None:
        self.answers: dict[Any, list[Json]] = defaultdict(list)
        super().__init__(command, folder, **more)

    @classmethod
    def of(cls, project: Project, *options: str, **environment: str) -> Self:
        """The generated package of a project, started by its own module."""
        path = import_path(project.output)
        return cls(package_command(project.package, *options), **(path | environment))

    def __enter__(self) -> Self:
        try:
            self.greet()
        except BaseException:
            self._kill()
            self.end()
            raise
        return self

    def greet(self, **capabilities: Json) -> Json:
        """The handshake of a client with these capabilities; what the server says of itself."""
        result = self.request("hello", "initialize", **(_HELLO | {"capabilities": capabilities}))
        self.send({"method": "notifications/initialized"})
        return result

    def take(self, line: str) -> None:
        message = json.loads(line)  # every line is a message, or this thread says so
        assert message["jsonrpc"] == "2.0", line
        self.answers[message.get("id")].append(message)

    def send(self, message: Json) -> None:
        self.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")

    def call(self, number: Any, name: str, /, **arguments: Any) -> None:
        """Send a call without waiting for its answer."""
        params = {"name": name, "arguments": arguments}
        self.send({"id": number, "method": "tools/call", "params": params})

    def request(self, number: Any, method: str, /, **params: Any) -> Json:
        """The result of a request; fails where it is an error."""
        self.send({"id": number, "method": method, "params": params})
        (answer,) = self.wait(number)
        assert "result" in answer, answer
        result: Json = answer["result"]
        return result

    def wait(self, *numbers: Any) -> list[Json]:
        """The answers to these calls, once all are there."""
        self.out.wait_until(
            lambda: all(self.answers[number] for number in numbers), f"no answer to {numbers[:5]}"
        )
        return [self.answers[number][0] for number in numbers]

    def wait_for_word(self, word: str) -> None:
        """Come back once the server's log holds a word."""
        self.err.wait_until(lambda: word in self.log, f"{word!r} was never logged")

    def listed_tools(self) -> list[Json]:
        """Every tool of every page of the list, exactly as it was sent."""
        tools: list[Json] = []
        params: Json = {}
        while True:
            page = self.request(f"page {len(tools)}", "tools/list", **params)
            assert page["tools"], "an empty page"
            tools += page["tools"]
            if page.get("nextCursor") is None:
                return tools
            params = {"cursor": page["nextCursor"]}

    def resident(self) -> int:
        """Memory in use, in kB."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="utf-8")
        return int(next(row for row in status.splitlines() if row.startswith("VmRSS")).split()[1])


def listed_tools(output: Path, package: str) -> list[Json]:
    """Every tool that a generated package lists over stdio, exactly as it was sent."""
    with Stdio(package_command(package), **import_path(output)) as server:
        tools = server.listed_tools()
        assert server.end() == 0
    return tools


def text_of(answer: Json) -> str:
    """The first text of an answer to a call."""
    return str(answer["result"]["content"][0]["text"])


@dataclass(frozen=True)
class Response:
    """An answer over HTTP."""

    status: int
    headers: Mapping[str, str]
    body: str

    @property
    def json(self) -> Json:
        parsed: Json = json.loads(self.body)
        return parsed


def post(port: int, message: Json, path: str = "/mcp", **headers: str) -> Response:
    """One message to a server on loopback; a header is named with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return request(port, "POST", path, json.dumps(message), HEADERS | named)


def request(
    port: int, method: str, path: str, body: str | None, headers: Mapping[str, str]
) -> Response:
    """One request to a server on loopback."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    with contextlib.closing(connection):
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        text = answer.read().decode()
        named = {name.lower(): value for name, value in answer.getheaders()}
        return Response(answer.status, named, text)


class Listening(Running):
    """A server over HTTP on a port of its own."""

    def __init__(self, command: Sequence[str], port: int, **environment: str) -> None:
        super().__init__(command, **environment)
        self.port = port

    def __exit__(self, failure: type[BaseException] | None, *more: object) -> None:
        if failure is None:
            self.process.terminate()
        super().__exit__(failure, *more)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def post(self, message: Json, path: str = "/mcp", **headers: str) -> Response:
        """One message; a header is named with underscores."""
        return post(self.port, message, path, **headers)

    def get(self, path: str) -> Response:
        return self.request("GET", path, None, {})

    def request(
        self, method: str, path: str, body: str | None, headers: Mapping[str, str]
    ) -> Response:
        return request(self.port, method, path, body, headers)

    def is_open(self) -> bool:
        """Whether new connections are taken."""
        return is_open(self.port)

    def tell_to_stop(self) -> None:
        """Ask it to end, and come back once it takes nothing new."""
        self.process.send_signal(signal.SIGTERM)
        wait_until(lambda: not self.is_open(), "the server goes on listening")


@contextlib.contextmanager
def listening(
    project: Project, *options: str, port: int | None = None, **environment: str
) -> Iterator[Listening]:
    """`toolfold serve --http`, ended afterwards if it did not end before."""
    port = port or free_port()
    command = serve_command(project, "--http", "--port", str(port), *options)
    with once_open(Listening(command, port, **environment)) as server:
        yield server


@contextlib.contextmanager
def package_listening(package: str, output: Path, *options: str) -> Iterator[Listening]:
    """A generated package over HTTP, without the command line and its manifest."""
    port = free_port()
    command = package_command(package, "--http", "--port", str(port), *options)
    with once_open(Listening(command, port, **import_path(output))) as server:
        yield server


@contextlib.contextmanager
def once_open(server: Listening) -> Iterator[Listening]:
    """A server that was started, once it takes connections."""
    with server:
        has_ended = server.process.poll
        wait_until(lambda: server.is_open() or has_ended() is not None, "nothing listens")
        assert has_ended() is None, server.log
        yield server


def is_open(port: int) -> bool:
    """Whether a port of this machine takes connections."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return int(bound.getsockname()[1])


@contextlib.contextmanager
def listening_with_verifier(project: Project, *options: str) -> Iterator[Listening]:
    """The same with the project's `checks:verifier`, which gets the server's address as HERE."""
    port = free_port()
    here = f"http://127.0.0.1:{port}/mcp"
    given = ["--verifier", "checks:verifier", "--issuer", "https://login.example"]
    given += ["--resource", here, *options]
    with listening(project, *given, port=port, HERE=here) as server:
        yield server
