"""Foreign hosts and origins are refused before anything else is looked at: compared as a whole."""

import argparse
import socket
from pathlib import Path
from typing import Final

import pytest
from toolfold_runtime.errors import StartError
from toolfold_runtime.serving.http import listener_for
from toolfold_runtime.serving.options import add_options, serve_options

from tests.serving.messages import LIST
from tests.support.servers import Listening
from tests.support.waiting import PATIENCE

FOREIGN_HOSTS: Final = [
    "localhost:8000.evil.example",
    "127.0.0.1:80.evil.example",
    "127.0.0.1:80@evil.example",
    "localhost:80@evil.example:80",
    "localhost:",
    "localhost:8000:8000",
    "localhost:80a",
    "localhost:*",
    "localhost:123456",
    "localhost.",
    "localhost.:8000",
    "localhost/evil.example",
    "localhost evil.example",
    "localhost,evil.example",
    "user@localhost",
    "user:password@localhost:8000",
    "xlocalhost",
    "localhost\\evil.example",
    "127.0.0.1.evil.example",
    "127.1",
    "2130706433",
    "0.0.0.0",
    "::1",
    "[::1",
    "[::1]evil.example",
    "[::1].evil.example:80",
    "[::1]:80@evil.example",
    "[::2]:80",
    "books.example:443",
    "books.example.evil.example",
    "evil.books.example",
    "books.example@evil.example",
    "*",
]
OWN_HOSTS: Final = [
    "LOCALHOST:8000",
    "Localhost",
    "localhost:1",
    "127.0.0.1:65535",
    "[::1]",
    "[::1]:8000",
    "Books.Example",
    "port.example:8443",
]
FOREIGN_ORIGINS: Final = [
    "http://localhost:8000.evil.example",
    "http://localhost:80@evil.example",
    "http://localhost:3000/evil.example",
    "http://localhost:3000/",
    "http://localhost:*",
    "http://localhost.",
    "http://user@localhost:3000",
    "https://localhost:3000",
    "http:localhost",
    "localhost:3000",
    "file://",
    "null",
    "http://localhost:1 http://evil.example",
    "http://[::1].evil.example",
    "http://127.0.0.1.evil.example",
    "https://books.example.evil.example",
    "https://books.example:8443",
    "http://books.example",
]
OWN_ORIGINS: Final = [
    "http://localhost",
    "HTTP://LOCALHOST:3000",
    "http://[::1]:5173",
    "http://127.0.0.1:1",
    "https://books.example",
    "https://BOOKS.example:443",
]


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
def test_a_host_that_only_begins_or_looks_like_an_own_one_is_misdirected(
    host: str, web: Listening
) -> None:
    assert web.post(LIST, Host=host).status == 421


@pytest.mark.parametrize("host", OWN_HOSTS)
def test_an_own_host_is_answered_in_any_case_and_at_any_port(host: str, web: Listening) -> None:
    assert web.post(LIST, Host=host).status == 200


@pytest.mark.parametrize("origin", FOREIGN_ORIGINS)
def test_an_origin_that_only_begins_or_looks_like_an_own_one_is_forbidden(
    origin: str, web: Listening
) -> None:
    assert web.post(LIST, Origin=origin).status == 403


@pytest.mark.parametrize("origin", OWN_ORIGINS)
def test_an_own_origin_is_answered(origin: str, web: Listening) -> None:
    assert web.post(LIST, Origin=origin).status == 200


@pytest.mark.parametrize(
    ("head", "status"),
    [
        (b"GET /mcp HTTP/1.0\r\n\r\n", b"421"),
        (b"GET /mcp HTTP/1.1\r\n\r\n", b"400"),
        (b"GET /mcp HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"GET /mcp HTTP/1.0\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", b"400"),
        (b"GET /mcp HTTP/1.0\r\nHost:\r\n\r\n", b"421"),
        (
            b"GET /mcp HTTP/1.0\r\nHost: localhost\r\nOrigin: http://localhost\r\n"
            b"Origin: http://evil.example\r\n\r\n",
            b"403",
        ),
        (b"GET http://evil.example/mcp HTTP/1.0\r\nHost: localhost\r\n\r\n", b"404"),
    ],
)
def test_a_host_that_is_missing_or_given_twice_is_refused(
    head: bytes, status: bytes, web: Listening
) -> None:
    with socket.create_connection(("127.0.0.1", web.port), PATIENCE) as connection:
        connection.sendall(head)
        connection.shutdown(socket.SHUT_WR)

        assert connection.recv(1000).split()[1] == status


@pytest.mark.parametrize("path", ["/mcp", "/.well-known/oauth-protected-resource/mcp", "/nothing"])
def test_every_path_is_behind_the_check(path: str, guarded: Listening) -> None:
    for headers, status in (
        ({"Host": "localhost:1.evil.example"}, 421),
        ({"Origin": "http://localhost:1.evil.example"}, 403),
    ):
        assert guarded.request("GET", path, None, headers).status == status


@pytest.mark.parametrize(
    ("header", "option"), [("Host", "--allow-host"), ("Origin", "--allow-origin")]
)
def test_whoever_is_refused_reads_which_option_would_help(
    header: str, option: str, web: Listening
) -> None:
    refusal = web.post(LIST, **{header: "https://other.example"})

    assert refusal.body == f"Invalid {header} header; {option} allows it"


def test_a_stream_that_would_never_carry_anything_is_not_opened(web: Listening) -> None:
    answer = web.request("GET", "/mcp", None, {"Accept": "text/event-stream"})

    assert (answer.status, answer.headers["allow"]) == (405, "POST")


@pytest.mark.parametrize(
    ("option", "value", "words"),
    [
        ("--allow-host", "https://books.example", "is no host; write it like books.example:8000"),
        ("--allow-host", "bücher.example", "is no host"),
        ("--allow-host", "*", "is no host"),
        ("--allow-origin", "books.example", "is no origin; write it like https://books.example"),
        ("--allow-origin", "https://books.example/", "is no origin"),
    ],
)
def test_what_can_never_match_is_refused_at_the_start(
    option: str, value: str, words: str, tmp_path: Path
) -> None:
    parser = argparse.ArgumentParser()
    add_options(parser)
    options = serve_options(parser.parse_args(["--http", option, value]))

    with pytest.raises(StartError) as caught:
        listener_for(options, tmp_path)

    assert f"{option} {value!r} {words}" in str(caught.value)
