"""An HTTP server for a test, which notes what it was sent and answers as it is told."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, TypeAlias


@dataclass
class Sent:
    """A request as it came: nothing is decoded."""

    method: str
    target: str
    headers: list[tuple[str, str]]
    body: bytes

    @property
    def path(self) -> str:
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        return self.target.partition("?")[2]

    def header(self, name: str) -> str:
        """The values of a header, with commas between; empty where it was not sent."""
        return ", ".join(value for key, value in self.headers if key == name)


@dataclass
class Reply:
    """What is answered: a whole message, or raw bytes and the end of the connection."""

    status: int = 200
    body: bytes = b"{}"
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    #: Whether the connection is left open after that.
    stays_open: bool = False


Answering: TypeAlias = Callable[[Sent], Reply | Awaitable[Reply]]


def json_reply(value: Any, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): text for name, text in headers.items()}
    return Reply(status, json.dumps(value).encode(), {"content-type": "application/json", **named})


@dataclass
class Recorder:
    """The server: what it was sent, and how it answers."""

    answer: Answering = field(default=lambda sent: json_reply({"ok": True}))
    sent: list[Sent] = field(default_factory=list)
    port: int = 0
    #: Connections that are open, and how many there have been.
    connections: "set[asyncio.Task[None]]" = field(default_factory=set)
    accepted: int = 0
    #: Takes no more connections; set when it is served.
    stop: Callable[[], None] = field(default=lambda: None)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer requests on one connection until its end."""
        self.accepted += 1
        if (task := asyncio.current_task()) is not None:
            self.connections.add(task)
            task.add_done_callback(self.connections.discard)
        try:
            while (sent := await _request(reader)) is not None:
                self.sent.append(sent)
                reply = self.answer(sent)
                reply = reply if isinstance(reply, Reply) else await reply
                if reply.raw is not None:
                    writer.write(reply.raw)
                    await writer.drain()
                    if reply.stays_open:
                        await reader.read()
                    return
                writer.write(_written(sent, reply))
                await writer.drain()
                if reply.headers.get("connection") == "close":
                    return
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the test, or its client, is done
        finally:
            writer.close()


@asynccontextmanager
async def recorder(
    answer: Answering | None = None, context: ssl.SSLContext | None = None
) -> AsyncIterator[Recorder]:
    """A server on a free port of this machine."""
    recording_server = Recorder() if answer is None else Recorder(answer)
    server = await asyncio.start_server(recording_server.serve, "127.0.0.1", 0, ssl=context)
    recording_server.stop = server.close
    recording_server.port = server.sockets[0].getsockname()[1]
    try:
        yield recording_server
    finally:
        server.close()
        for task in [*recording_server.connections]:
            task.cancel()
        await asyncio.gather(*recording_server.connections)


async def _request(reader: asyncio.StreamReader) -> Sent | None:
    head = await reader.readuntil(b"\r\n\r\n") if not reader.at_eof() else b""
    if not head:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")[:-2]
    method, target, _ = first.split(" ")
    pairs = [(name.lower(), value.strip()) for name, _, value in (x.partition(":") for x in lines)]
    headers = dict(pairs)
    if headers.get("transfer-encoding") == "chunked":
        body = b""
        while size := int(await reader.readline(), 16):
            body += await reader.readexactly(size)
            await reader.readline()
        await reader.readline()
    else:
        body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Sent(method, target, pairs, body)


def _written(sent: Sent, reply: Reply) -> bytes:
    body = b"" if sent.method == "HEAD" else reply.body
    headers = {"content-length": str(len(reply.body)), **reply.headers}
    lines = [f"HTTP/1.1 {reply.status} Reason", *(f"{k}: {v}" for k, v in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode("latin-1") + body
