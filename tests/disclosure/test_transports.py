"""Both transports in both eras: the same answers, safe by default, and a graceful end."""

import argparse
import http.client
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import anyio
import pytest
from toolfold_runtime.serving.http import listening_on
from toolfold_runtime.serving.serve import add_options

from tests.disclosure.catalogs import META, SHELF, Shelf, changed
from tests.support.clients import ERAS, Answer, Era, answer_of, connected, over_stdio
from tests.support.commands import Result, run
from tests.support.projects import Json, Project, project
from tests.support.servers import Listening, Response, Stdio, free_port, listening, serve_command
from tests.support.waiting import PATIENCE

IMPLEMENTATION: Final = """
import os, socket

class Shelf:
    def find_book(self, params):
        print("looking", flush=True)
        return [f"{params.title} x{params.limit}"]

    def move_book(self, params):
        return f"moved {params.book}"

    def burn_book(self, params):
        raise ValueError("/home/me/secret")

    def dust(self, params):
        # Says that it has begun, and ends when it is told to.
        with socket.create_connection(("127.0.0.1", int(os.environ["GATE"])), 30) as gate:
            gate.sendall(b"begun")
            gate.recv(1)
        return "dusted"
"""
VERIFIER: Final = """
import os
from mcp.server.auth.provider import AccessToken

HERE = os.environ["HERE"]
TOKENS = {
    "right": AccessToken(token="right", client_id="c", scopes=["books"], resource=HERE),
    "elsewhere": AccessToken(
        token="elsewhere", client_id="c", scopes=["books"], resource="https://other.example/mcp"
    ),
    "nowhere": AccessToken(token="nowhere", client_id="c", scopes=["books"]),
    "powerless": AccessToken(token="powerless", client_id="c", scopes=["none"], resource=HERE),
    "expired": AccessToken(
        token="expired", client_id="c", scopes=["books"], resource=HERE, expires_at=1
    ),
}

class Verifier:
    async def verify_token(self, token):
        return TOKENS.get(token)

verifier = Verifier()
"""
LIST: Final[Json] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
MODERN_LIST: Final[Json] = LIST | {
    "params": {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        }
    }
}


def call_of(name: str, /, **arguments: Any) -> Json:
    params = {"name": name, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("shelf")
    made = project(folder, changed(SHELF, exposure="progressive"))
    (folder / "implementation.py").write_text(IMPLEMENTATION, encoding="utf-8")
    (folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def web(shelf: Project) -> Iterator[Listening]:
    extra = ("--allow-host", "books.example", "--allow-origin", "https://books.example")
    with listening(shelf, *extra) as server:
        yield server


@pytest.fixture(scope="module")
def guarded(shelf: Project) -> Iterator[Listening]:
    port = free_port()
    here = f"http://127.0.0.1:{port}/mcp"
    options = ["--verifier", "checks:verifier", "--issuer", "https://login.example"]
    options += ["--resource", here, "--scope", "books"]
    with listening(shelf, *options, port=port, HERE=here) as server:
        yield server


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


# Where it may listen


def options(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_options(parser)
    return parser.parse_args(["--http", *arguments])


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "example.org"])
def test_listening_to_other_machines_wants_a_verifier_or_to_be_told(
    host: str, tmp_path: Path
) -> None:
    with pytest.raises(Exception, match="reachable from other machines") as caught:
        listening_on(options("--host", host), tmp_path)

    assert str(caught.value) == (
        f"{host} is reachable from other machines: give a token verifier"
        " (--verifier, --issuer, --resource), or say --open"
    )
    assert listening_on(options("--host", host, "--open"), tmp_path).host == host


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.0.0.2"])
def test_a_loopback_host_is_among_those_that_are_answered(host: str, tmp_path: Path) -> None:
    found = listening_on(options("--host", host), tmp_path)
    named = f"[{host}]" if ":" in host else host

    assert f"{named}:*" in found.hosts


def test_the_host_of_the_resource_is_answered(shelf: Project) -> None:
    given = ["--host", "0.0.0.0", "--verifier", "implementation:Shelf"]
    given += ["--issuer", "https://login.example", "--resource", "https://books.example/mcp"]
    found = listening_on(options(*given), shelf.folder)

    assert "books.example" in found.hosts


REFUSED: Final[dict[str, tuple[list[str], str]]] = {
    "other machines": (["--host", "0.0.0.0"], "0.0.0.0 is reachable from other machines"),
    "verifier alone": (["--verifier", "checks:verifier"], "goes with --issuer and --resource"),
    "no verifier": (
        ["--verifier", "checks:none", "--issuer", "https://a.example", "--resource", "http://b"],
        "verifier checks:none: ",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_would_be_unsafe_is_refused_before_anything_listens(
    case: str, shelf: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HERE", "http://b")
    given, words = REFUSED[case]
    done = started(shelf, *given)

    assert (done.code, done.out) == (1, "")
    assert words in done.err
    assert "Traceback" not in done.err


def test_a_port_that_is_taken_is_named(shelf: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = started(shelf, "--port", str(port))

    assert (done.code, done.out) == (1, "")
    assert str(port) in done.err
    assert "Traceback" not in done.err


def test_a_port_that_cannot_be_is_wrong_use(shelf: Project) -> None:
    done = started(shelf, "--port", "99999")

    assert (done.code, done.out) == (2, "")
    assert "Traceback" not in done.err


def test_a_port_that_was_left_open_is_told(shelf: Project) -> None:
    with Listening(serve_command(shelf, "--http", "--port", "0"), 0) as server:
        server.err.wait_until(lambda: "http://127.0.0.1:" in server.log, "the port is not told")
        server.port = int(server.log.split("http://127.0.0.1:")[1].split("/")[0])
        assert server.post(LIST).status == 200


def started(shelf: Project, *given: str) -> Result:
    """A server that is expected to end by itself."""
    command = serve_command(shelf, "--http", "--port", str(free_port()), *given)
    return run(shelf.folder, *command)


# Tokens


def asked_with(guarded: Listening, token: str | None) -> Response:
    return (
        guarded.post(LIST) if token is None else guarded.post(LIST, Authorization=f"Bearer {token}")
    )


def test_the_metadata_of_the_protected_resource_is_public(guarded: Listening) -> None:
    answer = guarded.get("/.well-known/oauth-protected-resource/mcp")

    assert answer.status == 200
    assert answer.json["resource"] == guarded.url
    assert [url.rstrip("/") for url in answer.json["authorization_servers"]] == [
        "https://login.example"
    ]
    assert answer.json["scopes_supported"] == ["books"]


@pytest.mark.parametrize("token", [None, "unknown", "expired", "elsewhere", "nowhere"])
def test_a_token_that_is_missing_wrong_or_for_another_server_is_401(
    token: str | None, guarded: Listening
) -> None:
    answer = asked_with(guarded, token)

    assert answer.status == 401
    assert "/.well-known/oauth-protected-resource/mcp" in answer.headers["www-authenticate"]
    assert "tools" not in answer.body


def test_a_token_without_the_scope_is_403(guarded: Listening) -> None:
    answer = asked_with(guarded, "powerless")

    assert answer.status == 403
    assert 'error="insufficient_scope"' in answer.headers["www-authenticate"]


def test_the_right_token_is_answered(guarded: Listening) -> None:
    answer = asked_with(guarded, "right")

    assert answer.status == 200
    assert [tool["name"] for tool in answer.json["result"]["tools"]] == META


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
