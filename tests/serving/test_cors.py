"""Pages of origins that were named may call from a browser and read every answer; no others may."""

import json
import socket
from collections.abc import Iterator
from typing import Final

import pytest

from tests.serving.messages import LIST, TOKEN, call_in
from tests.support.projects import Json, Project
from tests.support.servers import (
    HEADERS,
    Listening,
    Response,
    free_port,
    listening,
    listening_with_verifier,
)
from tests.support.waiting import PATIENCE

APP: Final = "https://app.example"
DEV: Final = "http://dev.example:5173"
ALLOWED: Final = ["--allow-origin", APP, "--allow-origin", "http://dev.example:*"]
ASKED: Final = "authorization,content-type,mcp-protocol-version,mcp-method,mcp-param-title"
RIGHT: Final = {"Authorization": "Bearer right"}


@pytest.fixture(scope="module")
def secured(shelf: Project) -> Iterator[Listening]:
    """A server that wants tokens, and is called by pages."""
    with listening_with_verifier(shelf, "--scope", "books", *ALLOWED) as server:
        yield server


def preflight(server: Listening, origin: str, path: str = "/mcp", **more: str) -> Response:
    headers = {"Origin": origin, "Access-Control-Request-Method": "POST"}
    named = {name.replace("_", "-"): value for name, value in more.items()}
    return server.request("OPTIONS", path, None, headers | named)


def spoken(answer: Response) -> dict[str, str]:
    """What an answer says to a browser."""
    return {name: value for name, value in answer.headers.items() if name.startswith("access-")}


# Before a request


@pytest.mark.parametrize("origin", [APP, DEV, "http://dev.example", "HTTPS://App.Example:443"])
def test_a_page_of_an_allowed_origin_may_send_its_request_and_needs_no_token_to_ask(
    origin: str, secured: Listening
) -> None:
    answer = preflight(secured, origin, Access_Control_Request_Headers=ASKED)

    assert (answer.status, answer.body) == (204, "")
    assert spoken(answer) == {
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "GET, POST, DELETE",
        "access-control-allow-headers": ASKED,
        "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
        "access-control-max-age": "600",
    }
    assert answer.headers["vary"] == "Origin"


FOREIGN: Final = [
    "https://app.example.evil.example",
    "https://app.example:8443",
    "http://app.example",
    "http://dev.example:5173.evil.example",
    "http://dev.example:*",
    "https://dev.example:5173",
    "null",
    "*",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_origin_is_refused_and_told_nothing(
    origin: str, secured: Listening
) -> None:
    asked = preflight(secured, origin)
    answer = secured.post(LIST, Origin=origin, **RIGHT)

    assert (asked.status, spoken(asked)) == (403, {})
    assert (answer.status, spoken(answer)) == (403, {})
    assert answer.headers["vary"] == "Origin"


def test_a_page_is_told_that_it_may_reach_a_server_on_its_users_machine(secured: Listening) -> None:
    answer = preflight(secured, APP, Access_Control_Request_Private_Network="true")

    assert answer.headers["access-control-allow-private-network"] == "true"


def test_what_a_foreign_host_is_asked_is_refused_readably(secured: Listening) -> None:
    answer = preflight(secured, APP, Host="evil.example")

    assert answer.status == 421
    assert answer.headers["access-control-allow-origin"] == APP


def test_other_requests_for_options_are_as_they_were(secured: Listening) -> None:
    answer = secured.request("OPTIONS", "/mcp", None, {"Origin": APP})

    assert answer.status == 401
    assert answer.headers["access-control-allow-origin"] == APP


# Every answer

MALFORMED: Final = "{"
ANSWERS: Final[dict[str, tuple[str, str, str, dict[str, str], int]]] = {
    "a list": ("POST", "/mcp", json.dumps(LIST), RIGHT, 200),
    "no token": ("POST", "/mcp", json.dumps(LIST), {}, 401),
    "too few scopes": (
        "POST",
        "/mcp",
        json.dumps(LIST),
        {"Authorization": "Bearer powerless"},
        403,
    ),
    "a foreign host": ("POST", "/mcp", json.dumps(LIST), RIGHT | {"Host": "evil.example"}, 421),
    "too large": ("POST", "/mcp", " " * (4 * 2**20 + 1), RIGHT, 413),
    "no JSON": ("POST", "/mcp", MALFORMED, RIGHT, 400),
    "not acceptable": ("POST", "/mcp", json.dumps(LIST), RIGHT | {"Accept": "text/html"}, 406),
    "a stream for nothing": ("GET", "/mcp", "", RIGHT, 405),
    "the end of a session": ("DELETE", "/mcp", "", RIGHT, 405),
    "nothing": ("GET", "/nothing", "", RIGHT, 404),
    "metadata": ("GET", "/.well-known/oauth-protected-resource/mcp", "", {}, 200),
    "a probe": ("GET", "/readyz", "", {}, 200),
}


@pytest.mark.parametrize("case", ANSWERS)
def test_every_answer_can_be_read_by_a_page_of_an_allowed_origin(
    case: str, secured: Listening
) -> None:
    method, path, body, headers, status = ANSWERS[case]
    answer = secured.request(method, path, body, HEADERS | {"Origin": DEV} | headers)

    assert answer.status == status
    assert spoken(answer) == {
        "access-control-allow-origin": DEV,
        "access-control-expose-headers": "Mcp-Session-Id, WWW-Authenticate",
    }
    assert "Origin" in answer.headers["vary"]


def test_a_stream_can_be_read_by_a_page_of_an_allowed_origin(secured: Listening) -> None:
    call: Json = call_in("legacy", "capabilities", TOKEN)
    answer = secured.post(call, Origin=APP, **RIGHT)

    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["access-control-allow-origin"] == APP


def test_an_origin_is_answered_once(secured: Listening) -> None:
    head = (
        "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1\r\nConnection: close\r\n"
        f"Host: 127.0.0.1\r\nOrigin: {APP}\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", secured.port), PATIENCE) as connection:
        connection.sendall(head.encode())
        text = connection.makefile("rb").read().decode().lower()

    assert text.count("access-control-allow-origin") == 1


# Without the option


def test_a_program_is_told_only_that_answers_differ(secured: Listening) -> None:
    answer = secured.post(LIST, **RIGHT)

    assert (answer.status, spoken(answer)) == (200, {})
    assert answer.headers["vary"] == "Origin"


@pytest.mark.parametrize("origin", ["http://localhost:3000", "http://127.0.0.1:1"])
def test_pages_of_this_machine_read_nothing_unless_they_are_named(
    origin: str, guarded: Listening, secured: Listening
) -> None:
    for server in (guarded, secured):
        assert spoken(server.post(LIST, Origin=origin, **RIGHT)) == {}
        assert spoken(preflight(server, origin)) == {}
    assert "vary" not in guarded.post(LIST, **RIGHT).headers


def test_an_open_server_lets_no_page_read_that_was_not_named(shelf: Project) -> None:
    port = free_port()
    given = ["--host", "0.0.0.0", "--open", *ALLOWED]
    with listening(shelf, *given, port=port) as server:
        foreign = preflight(server, "https://evil.example")
        answer = server.post(LIST, Origin="https://evil.example")
        allowed = preflight(server, APP)

    assert foreign.status == 405
    assert spoken(foreign) == spoken(answer) == {}
    assert allowed.headers["access-control-allow-origin"] == APP
