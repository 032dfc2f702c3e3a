"""Connections over HTTP are bounded: in number, in what they wait for, and in what they hold."""

import asyncio
import contextlib
import json
import logging
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any, Final

import pytest
from toolfold_runtime.serving.http import Bounds

from tests.serving.in_process import HEAD, connected, received, request_of, serving
from tests.serving.messages import LIST, call_of
from tests.support.projects import Project
from tests.support.servers import post
from tests.support.waiting import PATIENCE, wait_until

ANSWER: Final = 12_000_000  # bytes, more than the system buffers for a connection


class Slow:
    """Answers much, and late."""

    def move_book(self, params: Any) -> str:
        return "x" * ANSWER

    async def dust(self, params: Any) -> str:
        await asyncio.sleep(1.2)
        return "dusted"


@pytest.fixture(scope="module")
def hasty(shelf: Project) -> Iterator[int]:
    """A server that waits for half a second, or less."""
    with serving(shelf, Slow(), Bounds(head=0.3, body=0.5, idle=1, unread=0.5)) as port:
        yield port


HALF_SENT: Final = {
    "nothing": (b"", b""),
    "half a line": (b"POST /mc", b""),
    "half a head": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\n", b""),
    "a head byte by byte": (b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nX: ", b"x"),
    "no body": (HEAD + b"Content-Length: 10\r\n\r\n", b""),
    "half a body": (HEAD + b"Content-Length: 10\r\n\r\n{", b""),
    "a body byte by byte": (HEAD + b"Content-Length: 1000000\r\n\r\n{", b" "),
    "chunks without end": (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
    "half a request behind a whole one": (request_of(LIST) + b"POST /mc", b""),
    "a body that was refused": (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", b" "),
}


@pytest.mark.parametrize("case", HALF_SENT)
def test_a_half_sent_request_is_closed_after_a_time(
    case: str, hasty: int, caplog: pytest.LogCaptureFixture
) -> None:
    sent, more = HALF_SENT[case]
    with connected(hasty) as connection:
        connection.sendall(sent)
        ended = threading.Event()
        drip = threading.Thread(target=_drip, args=(connection, more, ended))
        drip.start()
        started = time.monotonic()
        received(connection)
        seconds = time.monotonic() - started
        ended.set()
        drip.join(PATIENCE)

    assert seconds < 8  # the default for a head is ten
    assert post(hasty, LIST).status == 200
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def _drip(connection: socket.socket, more: bytes, ended: threading.Event) -> None:
    """Send a little again and again, as if there were more to come."""
    with contextlib.suppress(OSError):
        while more and not ended.wait(0.05):
            connection.sendall(more)


def test_a_connection_that_is_idle_after_its_answer_is_closed(hasty: int) -> None:
    with connected(hasty) as connection:
        connection.sendall(request_of(LIST))

        assert received(connection).startswith(b"HTTP/1.1 200 ")


def test_a_call_may_take_longer_than_a_client_may(hasty: int) -> None:
    answer = post(hasty, call_of("run_write", tool="dust"))

    assert answer.json["result"]["content"][0]["text"] == "dusted"


def test_an_answer_that_nobody_reads_is_dropped(hasty: int) -> None:
    book = request_of(call_of("run_write", tool="move_book", arguments={"book": "dune"}))
    with connected(hasty) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.sendall(book * 20)
        # Nothing is read, until the server has closed the connection.
        wait_until(lambda: not _is_writable(connection), "the connection stays open")

        assert len(received(connection)) < ANSWER
    assert post(hasty, LIST).status == 200


def _is_writable(connection: socket.socket) -> bool:
    with contextlib.suppress(OSError):
        connection.send(b" ")
        return True
    return False


def test_unread_answers_of_all_connections_together_are_bounded(shelf: Project) -> None:
    book = request_of(call_of("run_write", tool="move_book", arguments={"book": "dune"}))
    with (
        serving(shelf, Slow(), Bounds(head=1, unread=PATIENCE, pending=10_000_000)) as port,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(connected(port)) for _ in range(4)]
        for client in clients:
            client.sendall(book)
        wait_until(lambda: not all(map(_is_writable, clients)), "all connections stay open")

        assert post(port, LIST).status == 200


def test_half_sent_requests_of_all_connections_together_are_bounded(shelf: Project) -> None:
    part = HEAD + b"Content-Length: 4000000\r\n\r\n" + b" " * 3_000_000
    with (
        serving(shelf, Slow(), Bounds(body=PATIENCE, pending=10_000_000)) as port,
        contextlib.ExitStack() as stack,
    ):
        clients = [stack.enter_context(connected(port)) for _ in range(5)]
        for client in clients:
            with contextlib.suppress(OSError):
                client.sendall(part)
        wait_until(lambda: not all(map(_is_writable, clients)), "all connections stay open")

        assert post(port, LIST).status == 200


def test_too_many_connections_are_refused_and_those_there_go_on(shelf: Project) -> None:
    with serving(shelf, Slow(), Bounds(connections=3)) as port, contextlib.ExitStack() as stack:
        first = [stack.enter_context(connected(port)) for _ in range(3)]
        with connected(port) as fourth:
            refusal = received(fourth)
        for client in first:
            client.sendall(request_of(LIST))
        answers = [client.recv(100) for client in first]
        first[0].close()
        wait_until(lambda: _status(port) == 200, "there is room, and nobody is let in")

    assert refusal.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert refusal.endswith(b"too many connections")
    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)


def _status(port: int) -> int:
    with contextlib.suppress(OSError):
        return post(port, LIST).status
    return 0


def test_requests_behind_each_other_are_answered_in_order(hasty: int) -> None:
    numbers = range(30)
    sent = b"".join(request_of(call_of("capabilities") | {"id": n}) for n in numbers)
    with connected(hasty) as connection:
        connection.sendall(sent)
        text = received(connection).decode()

    places = [text.index(f'"id":{n},') for n in numbers]
    assert places == sorted(places)


@pytest.mark.parametrize(
    "sent",
    [
        HEAD + b"Content-Length: 5000000\r\n\r\n",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + b"4c4b40\r\n" + b" " * 5_000_000 + b"\r\n",
    ],
    ids=["length", "chunks"],
)
def test_a_body_that_is_too_large_is_refused(sent: bytes, hasty: int) -> None:
    with connected(hasty) as connection:
        connection.sendall(sent)

        assert connection.recv(100).split()[1] == b"413"


@pytest.mark.parametrize("length", [0, 10, 5_000_000])
def test_a_request_with_two_ends_is_refused_and_nothing_behind_it_is_read(
    length: int, hasty: int
) -> None:
    body = json.dumps(LIST).encode()
    head = HEAD + b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n" % length
    with connected(hasty) as connection:
        connection.sendall(head + b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body))
        connection.sendall(request_of(LIST))
        text = received(connection)

    assert text.startswith(b"HTTP/1.1 400 ")
    assert text.count(b"HTTP/1.1 ") == 1
