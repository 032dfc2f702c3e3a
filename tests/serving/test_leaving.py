"""A client that goes away cancels its call, whether that is answered by JSON or by a stream."""

import contextlib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from mcp.shared.exceptions import MCPError

from tests.serving.in_process import connected as open_socket
from tests.serving.in_process import received
from tests.serving.messages import TOKEN, call_in, call_of, headers_in, request_bytes
from tests.serving.streaming import IMPLEMENTATION, TOOLS
from tests.support.clients import ERAS, MODERN, Era, connected
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Listening, listening
from tests.support.waiting import PATIENCE, wait_until

MODES: list[Json] = [{}, TOKEN]


@pytest.fixture(scope="module")
def gate() -> Iterator[socket.socket]:
    """What the tool `gated` waits for."""
    with socket.create_server(("127.0.0.1", 0)) as gate:
        gate.settimeout(PATIENCE)
        yield gate


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("leaving"), TOOLS, IMPLEMENTATION)


@pytest.fixture
def server(made: Project, gate: socket.socket) -> Iterator[Listening]:
    with listening(made, GATE=str(gate.getsockname()[1])) as server:
        yield server
        assert "Traceback" not in server.log
        assert '"level": "error"' not in server.log


def heard(server: Listening, words: str) -> None:
    """Wait for words in the log."""
    server.err.wait_until(lambda: words in server.log, f"{words!r} was not logged")


def tasks_of(server: Listening) -> int:
    return int(server.post(call_of("tasks")).json["result"]["content"][0]["text"])


@pytest.mark.parametrize("is_abrupt", [False, True], ids=["closed", "reset"])
@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
@pytest.mark.parametrize("tool", ["hang", "hang_blocked"])
@pytest.mark.parametrize("era", ERAS)
def test_a_connection_that_is_closed_cancels_its_call(
    era: Era, tool: str, meta: Json, is_abrupt: bool, server: Listening
) -> None:
    server.post(call_in("legacy", "count", TOKEN))  # what the first stream starts stays
    before = tasks_of(server)
    with open_socket(server.port) as connection:
        connection.sendall(request_bytes(call_in(era, tool, meta), **headers_in(era, tool)))
        heard(server, f"{tool} begins")
        if is_abrupt:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")

    heard(server, f"{tool} is cancelled")
    wait_until(lambda: tasks_of(server) <= before, "something of the call goes on")


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
@pytest.mark.parametrize("era", ERAS)
def test_a_client_of_the_sdk_that_leaves_cancels_its_call(
    era: Era, meta: Json, server: Listening
) -> None:
    async def on_progress(progress: float, total: float | None, message: str | None) -> None: ...

    async def talk() -> None:
        async with connected(server.url, era) as client, anyio.create_task_group() as tasks:
            listener = on_progress if meta else None
            tasks.start_soon(lambda: client.call_tool("hang", {}, progress_callback=listener))
            await anyio.to_thread.run_sync(heard, server, "hang begins")
            tasks.cancel_scope.cancel()

    anyio.run(talk)

    heard(server, "hang is cancelled")


def test_a_modern_client_that_waits_no_longer_cancels_its_call(server: Listening) -> None:
    async def talk() -> None:
        async with connected(server.url, MODERN) as client:
            with pytest.raises(MCPError, match="timed out"):
                await client.call_tool("hang", {}, read_timeout_seconds=0.5)
            await anyio.to_thread.run_sync(heard, server, "hang is cancelled")
            await client.call_tool("quick", {})  # the client is still there

    anyio.run(talk)


@pytest.mark.parametrize("era", ERAS)
def test_a_notification_cancels_no_call_of_whoever_has_the_same_number(
    era: Era, server: Listening
) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}
    with open_socket(server.port) as connection:
        connection.sendall(request_bytes(call_in(era, "hang"), **headers_in(era, "hang")))
        heard(server, "hang begins")
        assert server.post(note, **headers_in(era, "hang")).status == 202
        assert server.post(call_of("quick")).status == 200
        assert "cancelled" not in server.log

    heard(server, "hang is cancelled")


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
@pytest.mark.parametrize("era", ERAS)
def test_of_two_that_wait_for_the_same_the_other_is_answered(
    era: Era, meta: Json, server: Listening, gate: socket.socket
) -> None:
    call, headers = call_in(era, "gated", meta), headers_in(era, "gated")
    with ThreadPoolExecutor(1) as pool, contextlib.ExitStack() as stack:
        with open_socket(server.port) as first:
            first.sendall(request_bytes(call, **headers))
            inside = stack.enter_context(gate.accept()[0])
            before = tasks_of(server)
            second = pool.submit(server.post, call, **headers)
            wait_until(lambda: tasks_of(server) > before, "the second did not arrive")
        server.post(call_of("quick"))
        assert not second.done()
        inside.sendall(b"!")
        answer = second.result(PATIENCE)

    assert "opened" in answer.body
    assert server.log.count("gated begins") == 1
    assert "gated is cancelled" not in server.log


@pytest.mark.parametrize("meta", MODES, ids=["json", "stream"])
def test_the_last_one_that_leaves_cancels_what_was_shared(
    meta: Json, server: Listening, gate: socket.socket
) -> None:
    request = request_bytes(call_in("legacy", "gated", meta))
    with open_socket(server.port) as first, open_socket(server.port) as second:
        first.sendall(request)
        inside, _ = gate.accept()
        second.sendall(request)
    with inside:
        heard(server, "gated is cancelled")


def test_whoever_sends_more_before_the_answer_can_leave_as_well(server: Listening) -> None:
    with open_socket(server.port) as connection:
        connection.sendall(request_bytes(call_in("legacy", "hang", TOKEN)))
        heard(server, "hang begins")
        connection.sendall(request_bytes(call_of("quick")) * 3)
        server.post(call_of("quick"))
        connection.sendall(b"POST /mcp HTTP/1.1\r\n")

    heard(server, "hang is cancelled")


@pytest.mark.parametrize("era", ERAS)
def test_requests_behind_a_stream_are_answered_after_it(era: Era, server: Listening) -> None:
    stream = request_bytes(call_in(era, "count", TOKEN), **headers_in(era, "count"))
    plain = request_bytes(call_of("quick", text="four"), Connection="close")
    with open_socket(server.port) as connection:
        connection.sendall(stream * 3 + plain)
        text = received(connection).decode()

    assert text.count("HTTP/1.1 200") == 4
    assert text.count('"progress":20') == 3
    assert text.count('"counted"') == 3
    assert text.rindex('"counted"') < text.index("4 characters")
