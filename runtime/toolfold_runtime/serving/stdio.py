"""One client over standard input and output.

In place of the SDK's own transport, which drops a request that it cannot read, stores a line of
any length, and fails where its client stops reading. Reading and writing block, in threads that
are not waited for.
"""

import asyncio
import contextlib
import os
import sys
from collections.abc import Iterator
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.lowlevel import Server
from mcp.shared.message import SessionMessage
from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic_core import PydanticSerializationError

from toolfold_runtime import server_log
from toolfold_runtime.errors import StartError
from toolfold_runtime.running.threads import Threads
from toolfold_runtime.serving.lines import Lines, Refusal

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]

# For calls under way when a client sends no more, as `printf … | server` does, and for it to read.
_CALL_SECONDS: Final = 0.5
_READ_SECONDS: Final = 2.0


async def run_stdio(server: Server[Any], stopping: asyncio.Event) -> None:
    """Serve until the client goes away, or until it is time to stop."""
    if sys.__stdin__ is None or sys.__stdout__ is None:
        closed = "input" if sys.__stdin__ is None else "output"
        raise StartError(f"standard {closed} is closed; a client speaks over it, or use --http")
    loop = asyncio.get_running_loop()
    # What methods print goes to stderr, buffered or not: stdout belongs to the protocol.
    with _private_descriptors() as wire, contextlib.redirect_stdout(sys.stderr):
        serve, stop = loop.create_task(_serve(server, *wire)), loop.create_task(stopping.wait())
        await asyncio.wait([serve, stop], return_when=asyncio.FIRST_COMPLETED)
        stop.cancel()
        if serve.done():
            serve.result()


async def _serve(server: Server[Any], source: int, target: int) -> None:
    wire = _Wire(source, target)
    to_server, sessions = anyio.create_memory_object_stream[Incoming](0)
    outgoing, to_client = anyio.create_memory_object_stream[SessionMessage](0)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.read, to_server, outgoing.clone())
        writing = asyncio.get_running_loop().create_task(wire.write(to_client))
        writing.add_done_callback(lambda _: tasks.cancel_scope.cancel())
        async with outgoing, sessions:
            async for incoming in sessions:
                options = server.create_initialization_options()
                await server.run(incoming, outgoing.clone(), options)
        await asyncio.wait([writing], timeout=_READ_SECONDS)
        if writing.done() and not writing.cancelled():
            writing.result()
        tasks.cancel_scope.cancel()


class _Wire:
    """The connection to a client on stdio, and the requests that it waits for."""

    def __init__(self, source: int, target: int) -> None:
        self._lines = Lines(source)
        self._target = target
        self._threads = Threads()
        self._pending: set[object] = set()
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        #: Whether the client has requested nothing but what the server speaks; None before that.
        self._only_probes: bool | None = None

    async def read(
        self,
        to_server: MemoryObjectSendStream[Incoming],
        to_client: MemoryObjectSendStream[SessionMessage],
    ) -> None:
        """Pass on the client's messages, until its input ends and all requests are answered."""
        async with to_server, to_client, contextlib.AsyncExitStack() as stack:
            session = await _open_session(to_server, stack)
            while messages := await self._threads.begin(self._lines.read):
                for message in messages:
                    if isinstance(message, Refusal):
                        await to_client.send(SessionMessage(message.answer))
                        continue
                    if self._begins_anew(message):
                        await session.aclose()
                        self._pending.clear()
                        session = await _open_session(to_server, stack)
                    self._note(message)
                    await session.send(SessionMessage(message))
            with anyio.move_on_after(_CALL_SECONDS):
                await self._is_idle.wait()

    async def write(self, to_client: MemoryObjectReceiveStream[SessionMessage]) -> None:
        """Send answers to the client, until there are no more or it stops reading."""
        async with to_client:
            with contextlib.suppress(OSError):
                async for message in to_client:
                    await self._threads.begin(_send, self._target, message.message)
                    if isinstance(message.message, JSONRPCResponse | JSONRPCError):
                        self._settle(message.message.id)

    def _begins_anew(self, message: JSONRPCMessage) -> bool:
        """Whether a client sends `initialize` after nothing but a probe for the protocol's version.

        Some clients wait only a second for the answer to the probe, less than a start may take; the
        SDK would refuse them, because the first request decides which protocol a session has.
        """
        if not isinstance(message, JSONRPCRequest):
            return False
        is_anew = message.method == "initialize" and self._only_probes is True
        self._only_probes = message.method == "server/discover" and self._only_probes is not False
        return is_anew

    def _note(self, message: JSONRPCMessage) -> None:
        if isinstance(message, JSONRPCRequest):
            self._pending.add(message.id)
            self._is_idle.clear()
        elif isinstance(message, JSONRPCNotification):
            cancelled = (message.params or {}).get("requestId")
            if isinstance(cancelled, str | int):  # which is not answered any more
                self._settle(cancelled)

    def _settle(self, request_id: str | int | None) -> None:
        self._pending.discard(request_id)
        if not self._pending:
            self._is_idle.set()


async def _open_session(
    to_server: MemoryObjectSendStream[Incoming], stack: contextlib.AsyncExitStack
) -> MemoryObjectSendStream[SessionMessage | Exception]:
    """Start a new session of the server; the stream to send its messages to."""
    to_session, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    await stack.enter_async_context(to_session)
    await to_server.send(incoming)
    return to_session


def _send(target: int, message: JSONRPCMessage) -> None:
    """Write one line; OSError where nobody reads."""
    try:
        text = message.model_dump_json(by_alias=True, exclude_unset=True)
    except PydanticSerializationError as error:
        server_log.failure("an answer cannot be sent", error)
        failed = ErrorData(code=INTERNAL_ERROR, message="the answer cannot be sent")
        number = getattr(message, "id", None)
        text = JSONRPCError(jsonrpc="2.0", id=number, error=failed).model_dump_json()
    remaining = memoryview(text.encode() + b"\n")
    while remaining:
        remaining = remaining[os.write(target, remaining) :]


@contextlib.contextmanager
def _private_descriptors() -> Iterator[tuple[int, int]]:
    """Duplicates of the client's pipes; meanwhile stdin is empty and stdout goes to stderr.

    Neither a method nor a process that it starts can take a request or send a line.
    """
    source, target = _duplicate(0), _duplicate(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
        # Not closed: a thread may still read or write.
        os.dup2(source, 0)
        os.dup2(target, 1)


def _duplicate(descriptor: int) -> int:
    """A copy that no process inherits, and that is not one of the three standard ones."""
    if sys.platform == "win32":
        return os.dup(descriptor)
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
