"""Both transports in both eras: the same answers, and a graceful end."""

import http.client
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import anyio
import pytest

from tests.disclosure.catalogs import META, Shelf
from tests.serving.messages import LIST, MODERN_LIST, call_of
from tests.support.clients import ERAS, Answer, Era, answer_of, connected, over_stdio
from tests.support.projects import Json, Project
from tests.support.servers import Listening, Stdio, listening, serve_command
from tests.support.waiting import PATIENCE

# The same answers

CALLS: Final[list[tuple[str, Json]]] = [
    ("capabilities", {}),
    ("capabilities", {"category": "books", "format": "text"}),
    ("tool_schema", {"tool": "find_book", "detail": "full"}),
    ("search_tools", {"query": "burn"}),
    ("run_read", {"tool": "find_book", "arguments": {"title": "dune"}}),
    ("run_write", {"tool": "move_book", "arguments": '{"book": "dune"}'}),
    ("find_book", {"title": "dune", "limit": 1}),
    ("find_book", {"limit": 99}),
    ("run_read", {"tool": "move_book"}),
    ("no_such_tool", {}),
    ("capabilities", {"verbose": True}),
]


async def _talk(server: Any, era: Era) -> tuple[list[Json], list[Answer]]:
    async with connected(server, era) as client:
        listed = [tool.model_dump(by_alias=True) for tool in (await client.list_tools()).tools]
        answers = [answer_of(await client.call_tool(name, given)) for name, given in CALLS]
    return listed, answers


@pytest.fixture(scope="module")
def in_memory(shelf: Project) -> dict[Era, tuple[list[Json], list[Answer]]]:
    """What the server answers without any transport."""
    server = shelf.server(implementation=Shelf())
    return {era: anyio.run(_talk, server, era) for era in ERAS}


@pytest.mark.parametrize("era", ERAS)
def test_stdio_answers_the_same_in_both_eras(
    era: Era, shelf: Project, in_memory: dict[Era, tuple[list[Json], list[Answer]]]
) -> None:
    server = over_stdio(serve_command(shelf))

    assert anyio.run(_talk, server, era) == in_memory[era]


@pytest.mark.parametrize("era", ERAS)
def test_http_answers_the_same_in_both_eras_and_to_every_connection(
    era: Era, web: Listening, in_memory: dict[Era, tuple[list[Json], list[Answer]]]
) -> None:
    first = anyio.run(_talk, web.url, era)
    second = anyio.run(_talk, web.url, era)

    assert first == in_memory[era]
    assert second == first


def test_both_eras_are_shown_the_same_tools_and_texts(
    in_memory: dict[Era, tuple[list[Json], list[Answer]]],
) -> None:
    (legacy, said_then), (modern, said_now) = (in_memory[era] for era in ERAS)

    assert [tool["name"] for tool in legacy] == META
    assert legacy == modern
    assert [answer.text for answer in said_then] == [answer.text for answer in said_now]


# HTTP


def test_http_is_stateless_and_answers_json(web: Listening) -> None:
    answer = web.post(LIST)

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert "mcp-session-id" not in answer.headers
    assert [tool["name"] for tool in answer.json["result"]["tools"]] == META


def test_the_modern_list_over_http_carries_cache_hints(web: Listening) -> None:
    answer = web.post(MODERN_LIST, MCP_Protocol_Version="2026-07-28", Mcp_Method="tools/list")

    assert answer.status == 200
    result = answer.json["result"]
    assert result["ttlMs"] >= 60_000
    assert result["cacheScope"] == "public"
    assert "Server" not in answer.headers


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""])
def test_a_foreign_host_is_misdirected(host: str, web: Listening) -> None:
    assert web.post(LIST, Host=host).status == 421


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "http://localhost.evil.example", "null"]
)
def test_a_foreign_origin_is_forbidden(origin: str, web: Listening) -> None:
    assert web.post(LIST, Origin=origin).status == 403


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Host", "localhost:1234"),
        ("Host", "127.0.0.1"),
        ("Host", "[::1]:8000"),
        ("Host", "books.example"),
        ("Origin", "http://localhost:3000"),
        ("Origin", "https://books.example"),
    ],
)
def test_hosts_and_origins_of_this_machine_and_allowed_ones_are_answered(
    name: str, value: str, web: Listening
) -> None:
    assert web.post(LIST, **{name: value}).status == 200


def test_a_failure_over_http_shows_no_internals(web: Listening) -> None:
    answer = web.post(call_of("run_write", tool="burn_book"))

    assert answer.status == 200
    assert answer.json["result"]["isError"] is True
    assert "secret" not in answer.body
    assert "Traceback" not in answer.body


@pytest.mark.parametrize("body", ["", "nonsense", "[]", "{}", '{"jsonrpc":"2.0"}'])
def test_what_is_no_message_is_refused_and_ends_nothing(body: str, web: Listening) -> None:
    headers = {"Content-Type": "application/json", "Accept": "application/json"}

    assert 400 <= web.request("POST", "/mcp", body, headers).status < 500
    assert web.post(LIST).status == 200


# The end


def test_a_server_that_is_told_to_stop_answers_the_call_under_way_first(shelf: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as gate, ThreadPoolExecutor(1) as caller:
        gate.settimeout(PATIENCE)
        port = str(gate.getsockname()[1])
        with listening(shelf, GATE=port) as server:
            answer = caller.submit(server.post, call_of("run_write", tool="dust"))
            inside, _ = gate.accept()
            with inside:
                inside.settimeout(PATIENCE)
                assert inside.recv(5) == b"begun"
                server.tell_to_stop()
                assert not answer.done()
                inside.sendall(b"!")
                found = answer.result(PATIENCE)
            code = server.end()

    assert found.status == 200
    assert found.json["result"]["content"][0]["text"] == "dusted"
    assert code in (0, -15)
    assert "Traceback" not in server.log


def test_an_idle_server_that_is_told_to_stop_ends_at_once(shelf: Project) -> None:
    with listening(shelf) as server:
        idle = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
        idle.request("GET", "/nothing")
        idle.getresponse().read()  # the connection stays open
        server.process.terminate()
        assert server.end() in (0, -15)
        idle.close()

    assert "Traceback" not in server.log


def test_stdio_says_nothing_but_messages_and_ends_with_its_client(shelf: Project) -> None:
    calls = [
        call_of("run_read", tool="find_book", arguments={"title": "x"}),
        call_of("run_write", tool="burn_book"),
        call_of("capabilities"),
        call_of("no_such_tool"),
        LIST,
    ]
    with Stdio(serve_command(shelf)) as server:
        for number, message in enumerate(calls, 1):
            server.send(message | {"id": number})
        server.wait(*range(1, len(calls) + 1))
        code = server.end()

    assert code == 0
    assert {key: len(answers) for key, answers in server.answers.items()} == dict.fromkeys(
        ("hello", *range(1, len(calls) + 1)), 1
    )
    assert "looking" in server.log
    assert "secret" in server.log
