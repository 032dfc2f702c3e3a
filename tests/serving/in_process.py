"""Servers over HTTP in this process, with bounds of their own, and clients that send raw bytes."""

import asyncio
import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from functools import partial
from typing import Final

import anyio
from toolfold_runtime.serving.http import Bounds, Listener, http_server

from tests.support.projects import Json, Project
from tests.support.waiting import PATIENCE, wait_until

HEAD: Final = (
    b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2025-11-25\r\n"
)


@contextlib.contextmanager
def serving(
    made: Project,
    implementation: object,
    bounds: Bounds,
    stopping: asyncio.Event | None = None,
) -> Iterator[int]:
    """A server in this process, with bounds of its own, until `stopping` is set; its port."""
    stopping = stopping or asyncio.Event()
    listener = Listener("127.0.0.1", 0, ("127.0.0.1:*", "localhost"), (), bounds=bounds)
    server = http_server(made.server("progressive", implementation), listener, stopping)

    async def stop() -> None:
        while not stopping.is_set():
            await asyncio.sleep(0.02)
        server.should_exit = True

    async def run() -> None:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(stop)
            await server.serve(sockets=[bound])

    with socket.create_server(("127.0.0.1", 0)) as bound:
        thread = threading.Thread(target=partial(anyio.run, run))
        thread.start()
        wait_until(lambda: server.started or not thread.is_alive(), "it does not start")
        try:
            yield bound.getsockname()[1]
        finally:
            stopping.set()
            thread.join(PATIENCE)


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), PATIENCE)


def request_of(message: Json) -> bytes:
    body = json.dumps(message).encode()
    return b"%bContent-Length: %d\r\n\r\n%b" % (HEAD, len(body), body)


def received(connection: socket.socket) -> bytes:
    """All that comes until the connection is closed."""
    parts = []
    with contextlib.suppress(ConnectionResetError):
        while part := connection.recv(1_000_000):
            parts.append(part)
    return b"".join(parts)
