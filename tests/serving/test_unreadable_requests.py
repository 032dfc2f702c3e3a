"""On stdio every request is answered: one that cannot be read, with an error that says why."""

import itertools
import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from tests.support.projects import Json, Project
from tests.support.servers import Stdio, serve_command

NUMBERS: Final = itertools.count(1)
PARSE, REQUEST, METHOD, PARAMS = -32700, -32600, -32601, -32602
NESTED: Final = b"[" * 500 + b"]" * 500
DEEP: Final = b"[" * 50_000 + b"]" * 50_000
BATCH: Final = "a message is one object on a line of its own; there are no batches"
WRONG_ID: Final = "`id` must be a text or a whole number"
LEVELS: Final = "more than 200 levels; send flatter values"
HALF: Final = "half of a surrogate pair in a text; send the whole character"


def call_with(arguments: bytes, name: bytes = b"find_book") -> bytes:
    params = b'{"name":"%b","arguments":%b}' % (name, arguments)
    return b'{"jsonrpc":"2.0","id":"call","method":"tools/call","params":%b}' % params


#: A line, and the code, the id and the beginning of the message of what is answered.
REFUSED: Final[dict[str, tuple[bytes, int, Any, str]]] = {
    "text": (b"garbage", PARSE, None, "no JSON: expected value"),
    "half an object": (b"{", PARSE, None, "no JSON: EOF"),
    "two objects": (b"{}{}", PARSE, None, "no JSON: trailing characters"),
    "no character": (b"\x00", PARSE, None, "no JSON: "),
    "no UTF-8": (b'{"jsonrpc":"2.0","id":1,"method":"\xff"}', PARSE, None, "no JSON: invalid uni"),
    "an array": (b"[]", REQUEST, None, BATCH),
    "a batch": (b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', REQUEST, None, BATCH),
    "a number": (b"5", REQUEST, None, BATCH),
    "null": (b"null", REQUEST, None, BATCH),
    "nothing in it": (b"{}", REQUEST, None, '`jsonrpc` must be "2.0"'),
    "no version": (b'{"id":7,"method":"ping"}', REQUEST, 7, '`jsonrpc` must be "2.0"'),
    "no method": (b'{"jsonrpc":"2.0","id":"x"}', REQUEST, "x", "`method` must be a text"),
    "a method of 5": (b'{"jsonrpc":"2.0","id":7,"method":5}', REQUEST, 7, "`method` must be a"),
    "params in a list": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}',
        PARAMS,
        7,
        "`params` must be an object",
    ),
    "params of a text": (
        b'{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}',
        PARAMS,
        7,
        "`params` must be an object",
    ),
    "an id of null": (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', REQUEST, None, WRONG_ID),
    "half an id": (b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}', REQUEST, None, WRONG_ID),
    "a true id": (b'{"jsonrpc":"2.0","id":true,"method":"ping"}', REQUEST, None, WRONG_ID),
    "an id in a list": (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', REQUEST, None, WRONG_ID),
    "a broken id": (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', REQUEST, None, WRONG_ID),
    "half a character": (call_with(b'{"title":"\\ud800"}'), REQUEST, "call", HALF),
    "the other half": (call_with(b'{"title":"\\udc00"}'), REQUEST, "call", HALF),
    "500 levels": (call_with(b'{"title":%b}' % NESTED), REQUEST, "call", LEVELS),
    "50,000 levels": (call_with(b'{"title":%b}' % DEEP), REQUEST, "call", LEVELS),
    "50,000 levels before the id": (
        b'{"method":"tools/call","params":{"x":%b},"jsonrpc":"2.0","id":"last"}' % DEEP,
        REQUEST,
        "last",
        LEVELS,
    ),
    "digits": (
        call_with(b'{"title":%b}' % (b"9" * 100_000)),
        REQUEST,
        "call",
        "a number of too many digits; send a shorter one",
    ),
    "too long": (
        call_with(b'{"title":"%b"}' % (b"x" * 17_000_000)),
        REQUEST,
        "call",
        "a line has more than 16,000,000 bytes; send less at once",
    ),
    "too long before the id": (
        b'{"method":"ping","params":{"x":"%b"},"id":3}' % (b"x" * 17_000_000),
        REQUEST,
        3,
        "a line has more than 16,000,000 bytes",
    ),
    "too long, and no request": (b"x" * 17_000_000, REQUEST, None, "a line has more than 16,000"),
    # What only the SDK looks into.
    "an unknown method": (b'{"jsonrpc":"2.0","id":7,"method":"x"}', METHOD, 7, "Method not found"),
    "arguments in a list": (call_with(b"[]"), PARAMS, "call", "Invalid request parameters"),
    "no arguments but text": (call_with(b'"x"'), PARAMS, "call", "Invalid request parameters"),
}


@pytest.fixture(scope="module")
def server(shelf: Project) -> Iterator[Stdio]:
    with Stdio(serve_command(shelf)) as process:
        yield process


def answers_to(server: Stdio, *lines: bytes) -> list[Json]:
    """What a server answers to lines before it answers the next request."""
    number = f"ping {next(NUMBERS)}"
    first = len(server.out.lines)
    ping = b'{"jsonrpc":"2.0","id":"%b","method":"ping"}' % number.encode()
    server.write_bytes(b"".join(line + b"\n" for line in (*lines, ping)))
    server.wait(number)
    answers = [json.loads(line) for line in server.out.lines[first:]]
    return [answer for answer in answers if answer["id"] != number]


@pytest.mark.parametrize("case", REFUSED)
def test_a_request_that_cannot_be_read_is_answered_with_its_id(case: str, server: Stdio) -> None:
    line, code, request_id, words = REFUSED[case]
    (answer,) = answers_to(server, line)

    assert answer["jsonrpc"] == "2.0"
    assert answer["id"] == request_id
    assert answer["error"]["code"] == code
    assert answer["error"]["message"].startswith(words)
    assert len(json.dumps(answer)) < 500


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"  \t ",
        b"\r",
        b'{"jsonrpc":"2.0","method":"notifications/unknown","params":[]}',
        b'{"jsonrpc":"1.0","method":"x"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"id":1}}}',
        b'{"jsonrpc":"2.0","id":7,"result":5}',
        b'{"jsonrpc":"2.0","id":7,"error":5}',
        b'{"id":7,"result":{}}',
    ],
)
def test_what_is_no_request_gets_no_answer(line: bytes, server: Stdio) -> None:
    assert answers_to(server, line) == []


def test_arguments_that_the_parser_lets_through_and_json_does_not_have_are_invalid(
    server: Stdio,
) -> None:
    (answer,) = answers_to(server, call_with(b'{"title":"x","limit":NaN}'))

    assert answer["result"]["isError"] is True
    assert answer["result"]["content"][0]["text"].startswith("invalid_arguments: limit: NaN ")


def test_what_is_unreadable_before_the_first_request_is_answered_too(shelf: Project) -> None:
    unreadable = Stdio(serve_command(shelf))
    for line in ("garbage", "[]", *["{}"] * 20):
        unreadable.write(f"{line}\n")
    with unreadable:  # which says hello
        unreadable.write("no line end")
        assert unreadable.end() == 0

    codes = [answer["error"]["code"] for answer in unreadable.answers[None]]
    assert codes == [PARSE, REQUEST, *[REQUEST] * 20, PARSE]
    assert unreadable.log == ""


def test_a_line_without_end_is_not_stored(server: Stdio) -> None:
    before = server.resident()
    answers = answers_to(server, b"x" * 100_000_000)

    assert [answer["error"]["code"] for answer in answers] == [REQUEST]
    assert server.resident() - before < 60_000
