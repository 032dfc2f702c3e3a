"""Streams of clients that read slowly or not at all, of calls that say nothing, and of too many."""

import asyncio
import contextlib
import socket
import threading
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import pytest
from sse_starlette import EventSourceResponse
from toolfold_runtime import progress
from toolfold_runtime.serving.http import Bounds

from tests.serving.in_process import connected, received, serving
from tests.serving.messages import TOKEN, call_in, call_of, headers_in, request_bytes
from tests.serving.streaming import IMPLEMENTATION, TOOLS
from tests.support.clients import ERAS, Era
from tests.support.projects import Json, Project, served_by
from tests.support.servers import post
from tests.support.waiting import PATIENCE, wait_until

ANSWER: Final = 12_000_000
MODES: Final[list[Json]] = [{}, TOKEN]


class Methods:
    """Reports without end, waits, and answers much; its caller says when that is enough."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._is_enough = asyncio.Event()

    def let_go(self) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self._is_enough.set)

    async def count(self, params: Any) -> str:
        self._begin()
        number = 0
        try:
            while not self._is_enough.is_set():
                progress(number := number + 1, None, "x" * 1000)
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "counted"

    async def hang(self, params: Any) -> str:
        self._begin()
        await self._is_enough.wait()
        return "let go"

    async def quick(self, params: Any) -> str:
        return "x" * ANSWER

    def _begin(self) -> None:
        self.begun += 1
        self._loop = asyncio.get_running_loop()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("slow"), TOOLS, IMPLEMENTATION)


def call_bytes(era: Era, tool: str, meta: Json, **headers: str) -> bytes:
    return request_bytes(call_in(era, tool, meta), **headers_in(era, tool), **headers)


def read_slowly(connection: socket.socket, size: int, at_once: int = 65_536) -> bytes:
    """So many bytes, a few in each moment."""
    parts, left = [], size
    while left > 0:
        threading.Event().wait(0.01)
        parts.append(connection.recv(min(at_once, left)))
        assert parts[-1], "the connection was closed"
        left -= len(parts[-1])
    return b"".join(parts)


# Slow clients


@pytest.mark.parametrize("era", ERAS)
def test_a_stream_that_nobody_reads_is_dropped_and_its_call_cancelled(
    era: Era, made: Project
) -> None:
    methods = Methods()
    with serving(made, methods, Bounds(head=0.3, unread=0.5)) as port, connected(port) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.sendall(call_bytes(era, "count", TOKEN))

        assert methods.cancelled.wait(PATIENCE)
        assert post(port, call_of("capabilities")).status == 200


def test_a_stream_that_is_read_slowly_goes_on(made: Project) -> None:
    methods = Methods()
    with serving(made, methods, Bounds(head=0.3, unread=2)) as port, connected(port) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        client.sendall(call_bytes("legacy", "count", TOKEN, Connection="close"))
        read_slowly(client, 1_500_000, 2_700)
        methods.let_go()
        rest = received(client)

    assert b"counted" in rest
    assert not methods.cancelled.is_set()


def test_a_large_answer_that_is_read_slowly_arrives_whole(made: Project) -> None:
    with serving(made, Methods(), Bounds(head=0.3, unread=2)) as port, connected(port) as client:
        client.sendall(call_bytes("legacy", "quick", {}))

        assert read_slowly(client, ANSWER, 30_000).count(b"x") > ANSWER - 1000


def test_an_answer_that_is_being_read_is_not_cut_off_by_the_end(made: Project) -> None:
    with ThreadPoolExecutor(1) as pool, contextlib.ExitStack() as stack:
        with serving(made, Methods(), Bounds()) as port:
            client = stack.enter_context(connected(port))
            client.sendall(call_bytes("legacy", "quick", {}))
            client.recv(1, socket.MSG_PEEK)
            answer = pool.submit(read_slowly, client, ANSWER)

        assert answer.result(PATIENCE).count(b"x") > ANSWER - 1000


# Silent calls


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pings every moment instead of every fifteen seconds."""
    monkeypatch.setattr(EventSourceResponse, "DEFAULT_PING_INTERVAL", 0.05)
    monkeypatch.setattr("mcp.server._streamable_http_modern._SSE_PING_INTERVAL", 0.05)


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(("accept", "meta"), [("*/*", TOKEN), ("text/event-stream", {})])
@pytest.mark.parametrize("era", ERAS)
def test_the_stream_of_a_silent_call_is_kept_alive(
    era: Era, accept: str, meta: Json, made: Project
) -> None:
    methods = Methods()
    with serving(made, methods, Bounds()) as port, connected(port) as client:
        client.sendall(call_bytes(era, "hang", meta, Accept=accept, Connection="close"))
        text = b""
        while text.count(b"\r\n: ping") < 3:
            text += client.recv(1000)
        methods.let_go()
        text += received(client)

    assert text.count(b"data: ") == 1
    assert b"let go" in text


# Many


@contextlib.contextmanager
def streams(port: int, number: int, meta: Json) -> Iterator[list[socket.socket]]:
    """So many clients that wait for the end of a call each."""
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connected(port)) for _ in range(number)]
        for client in clients:
            client.sendall(call_bytes("legacy", "hang", meta, Connection="close"))
        yield clients


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
def test_no_more_streams_than_connections_are_open(meta: Json, made: Project) -> None:
    methods = Methods()
    with serving(made, methods, Bounds(connections=10)) as port, streams(port, 10, meta) as clients:
        wait_until(lambda: methods.begun == 10, "not all calls begin")
        with connected(port) as refused:
            refusal = received(refused).decode()
        methods.let_go()
        answers = [received(client).decode() for client in clients]

    assert refusal.startswith("HTTP/1.1 503 ")
    assert all(answer.startswith("HTTP/1.1 200 ") and "let go" in answer for answer in answers)


def test_of_a_thousand_streams_each_is_answered(made: Project) -> None:
    methods = Methods()
    with serving(made, methods, Bounds()) as port, streams(port, 990, TOKEN) as clients:
        wait_until(lambda: methods.begun == 16, "not as many begin as may run at once")
        assert post(port, call_of("capabilities")).status == 200
        methods.let_go()
        answers = [received(client).decode() for client in clients]

    # Of one tool 512 calls may wait; whoever comes while they do is told so at once.
    assert all(answer.startswith("HTTP/1.1 200 OK") for answer in answers)
    outcomes = Counter(("let go" in answer, "is busy" in answer) for answer in answers)
    assert outcomes.keys() <= {(True, False), (False, True)}
    assert outcomes[True, False] >= 512
