"""Over HTTP a call is answered by JSON, and by a stream where that is asked for; both eras."""

import http.client
import json
from collections.abc import Iterator
from typing import Any, Final

import anyio
import pytest
from toolfold_runtime.serving.streams import Endpoint

from tests.serving.messages import TOKEN, call_in, call_of, events, headers_in
from tests.serving.streaming import IMPLEMENTATION, TOOLS, VERIFIER
from tests.support.clients import ERAS, MODERN, Era, connected, over_stdio
from tests.support.projects import Json, Project, served_by
from tests.support.servers import (
    HEADERS,
    Listening,
    Response,
    listening,
    listening_with_verifier,
    serve_command,
)
from tests.support.waiting import PATIENCE

JSON: Final = "application/json"
STREAM: Final = "text/event-stream"
LIMIT: Final = 4 * 2**20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("streams")
    (folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return served_by(folder, TOOLS, IMPLEMENTATION)


@pytest.fixture(scope="module")
def server(made: Project) -> Iterator[Listening]:
    with listening(made) as server:
        yield server


def kind(answer: Response) -> str:
    return answer.headers.get("content-type", "").partition(";")[0]


# Progress

_Heard = list[tuple[float, float | None, str | None]]


async def _heard(server: Any, era: Era, tool: str) -> _Heard:
    heard: _Heard = []

    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))

    async with connected(server, era) as client:
        await client.call_tool(tool, {}, progress_callback=on_progress)
    return heard


@pytest.mark.parametrize("tool", ["count", "count_blocked"])
@pytest.mark.parametrize("era", ERAS)
def test_progress_over_http_is_that_over_stdio(
    era: Era, tool: str, made: Project, server: Listening
) -> None:
    over_http = anyio.run(_heard, server.url, era, tool)

    assert [done for done, _, _ in over_http] == list(range(1, 21))
    assert over_http == anyio.run(_heard, over_stdio(serve_command(made)), era, tool)


@pytest.mark.parametrize("era", ERAS)
def test_a_stream_has_the_progress_and_then_the_answer(era: Era, server: Listening) -> None:
    answer = server.post(call_in(era, "count", TOKEN), **headers_in(era, "count"))

    assert (answer.status, kind(answer)) == (200, STREAM)
    *notes, last = events(answer.body)
    assert [note["params"]["progress"] for note in notes] == list(range(1, 21))
    assert {note["params"]["progressToken"] for note in notes} == {"p"}
    assert last["id"] == 1
    assert last["result"]["content"][0]["text"] == "counted"


@pytest.mark.parametrize("era", ERAS)
def test_nothing_on_the_way_may_hold_a_stream_back(era: Era, server: Listening) -> None:
    answer = server.post(call_in(era, "count", TOKEN), **headers_in(era, "count"))

    assert answer.headers["cache-control"] == "no-cache, no-transform"
    assert answer.headers["x-accel-buffering"] == "no"


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_takes_too_long_ends_its_stream_with_an_error(
    era: Era, server: Listening
) -> None:
    answer = server.post(call_in(era, "late", TOKEN), **headers_in(era, "late"))

    note, last = events(answer.body)
    assert note["params"]["progress"] == 1
    assert last["result"]["isError"] is True
    assert last["result"]["content"][0]["text"].startswith("timeout: late did not answer")


# Which of the two

BOTH: Final = f"{JSON}, {STREAM}"
CHOSEN: Final[dict[str, tuple[str, Json, str]]] = {
    "no token": (BOTH, {}, JSON),
    "a token": (BOTH, TOKEN, STREAM),
    "the token zero": (BOTH, {"progressToken": 0}, STREAM),
    "a token that is true": (BOTH, {"progressToken": True}, JSON),
    "a token, JSON only": (JSON, TOKEN, JSON),
    "a token, any application": ("application/*;q=0.9", TOKEN, JSON),
    "no token, a stream only": (STREAM, {}, STREAM),
    "a token, a stream only": (STREAM, TOKEN, STREAM),
    "no token, any text": ("Text/*; q=1", {}, STREAM),
    "no token, anything": ("*/*", {}, JSON),
    "a token, anything": ("*/*", TOKEN, STREAM),
    "a token, anything and a page": ("text/html, */*;q=0.1", TOKEN, STREAM),
}


@pytest.mark.parametrize("case", CHOSEN)
@pytest.mark.parametrize("era", ERAS)
def test_what_a_client_accepts_and_asks_for_decides(era: Era, case: str, server: Listening) -> None:
    accept, meta, expected = CHOSEN[case]
    call = call_in(era, "count", meta)
    answer = server.post(call, Accept=accept, **headers_in(era, "count"))

    assert (answer.status, kind(answer)) == (200, expected)
    last = answer.json if expected == JSON else events(answer.body)[-1]
    assert last["result"]["content"][0]["text"] == "counted"


@pytest.mark.parametrize("accept", [BOTH, JSON])
def test_a_modern_request_for_log_messages_asks_for_a_stream(accept: str) -> None:
    body = json.dumps(call_in(MODERN, "count", {"io.modelcontextprotocol/logLevel": "info"}))
    chosen: list[str] = []

    async def plain(*_: object) -> None:
        chosen.append(JSON)

    async def streaming(*_: object) -> None:
        chosen.append(STREAM)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body.encode()}

    async def send(message: object) -> None: ...

    scope = {"type": "http", "method": "POST", "headers": [(b"accept", accept.encode())]}
    anyio.run(Endpoint(plain, streaming, LIMIT), scope, receive, send)

    assert chosen == [STREAM if accept == BOTH else JSON]


@pytest.mark.parametrize("token", [None, [1]])
@pytest.mark.parametrize("era", ERAS)
def test_a_token_that_cannot_be_one_is_refused_without_a_stream(
    era: Era, token: object, server: Listening
) -> None:
    answer = server.post(
        call_in(era, "count", {"progressToken": token}), **headers_in(era, "count")
    )

    assert (kind(answer), answer.json["error"]["code"]) == (JSON, -32602)


@pytest.mark.parametrize(("length", "number"), [(1_000, 20), (1_001, 0)])
@pytest.mark.parametrize("era", ERAS)
def test_no_message_repeats_a_token_of_any_length(
    era: Era, length: int, number: int, server: Listening
) -> None:
    call = call_in(era, "count", {"progressToken": "t" * length})
    answer = server.post(call, **headers_in(era, "count"))

    assert answer.body.count("notifications/progress") == number
    assert answer.body.count('"counted"') == 1


@pytest.mark.parametrize("accept", ["text/html", "image/*", ""])
@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_accepts_neither_is_told_so(era: Era, accept: str, server: Listening) -> None:
    call = call_in(era, "count", TOKEN)

    assert server.post(call, Accept=accept, **headers_in(era, "count")).status == 406


@pytest.mark.parametrize(
    ("accepts", "expected"),
    [((JSON, STREAM), STREAM), ((STREAM, JSON), STREAM), (("text/html", JSON), JSON)],
)
def test_headers_that_are_given_twice_count_together(
    accepts: tuple[str, ...], expected: str, server: Listening
) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    body = json.dumps(call_in("legacy", "count", TOKEN))
    connection.putrequest("POST", "/mcp", skip_accept_encoding=True)
    for name, value in (HEADERS | {"Content-Length": str(len(body))}).items():
        if name != "Accept":
            connection.putheader(name, value)
    for accept in accepts:
        connection.putheader("Accept", accept)
    connection.endheaders(body.encode())
    answer = connection.getresponse()

    assert answer.status == 200
    assert answer.headers.get_content_type() == expected
    connection.close()


def test_a_token_that_is_an_argument_asks_for_nothing(server: Listening) -> None:
    answer = server.post(call_of("quick", progressToken="p", text='{"_meta": {"progressToken"'))

    assert kind(answer) == JSON
    assert answer.json["result"]["content"][0]["text"] == "26 characters"


@pytest.mark.parametrize("era", ERAS)
def test_an_only_event_is_the_answer_that_others_get_as_json(era: Era, server: Listening) -> None:
    call, headers = call_in(era, "quick", text="é\n\u2028"), headers_in(era, "quick")
    (event,) = events(server.post(call, Accept=STREAM, **headers).body)

    assert event == server.post(call, Accept=JSON, **headers).json


def test_a_notification_is_accepted_from_whoever_accepts_a_stream_only(server: Listening) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}

    assert server.post(note, Accept=STREAM).status == 202


# Bodies

MALFORMED: Final = {
    "no JSON": '{"_meta": {"progressToken": 1}',
    "a batch": json.dumps([call_in("legacy", "count", TOKEN)]),
    "deep": '{"progressToken":' + "[" * 100_000,
    "text": '"progressToken"',
    "no parameters": '{"jsonrpc": "2.0", "id": 1, "method": "x", "params": "progressToken"}',
    "no metadata": '{"jsonrpc": "2.0", "id": 1, "params": {"_meta": ["progressToken"]}}',
    "half a pair": '{"params": {"_meta": {"progressToken": "\\ud800"}}}',
}


@pytest.mark.parametrize("accept", [BOTH, STREAM])
@pytest.mark.parametrize("case", MALFORMED)
@pytest.mark.parametrize("version", ["2025-11-25", MODERN])
def test_what_is_no_request_is_refused_and_ends_nothing(
    version: str, case: str, accept: str, server: Listening
) -> None:
    headers = HEADERS | {"Accept": accept, "MCP-Protocol-Version": version}
    answer = server.request("POST", "/mcp", MALFORMED[case], headers)

    assert answer.status == 400
    assert "error" in answer.json
    assert server.post(call_of("quick")).status == 200
    assert "Traceback" not in server.log


@pytest.mark.parametrize("meta", [{}, TOKEN], ids=["json", "stream"])
@pytest.mark.parametrize(("over", "status"), [(0, 200), (1, 413)])
def test_a_body_may_be_as_large_as_ever(
    over: int, status: int, meta: Json, server: Listening
) -> None:
    empty = len(json.dumps(call_in("legacy", "quick", meta, text="")))
    call = call_in("legacy", "quick", meta, text="x" * (LIMIT - empty + over))
    answer = server.post(call)

    assert answer.status == status
    assert (f"{LIMIT - empty} characters" in answer.body) == (status == 200)


# Tokens


@pytest.mark.parametrize("meta", [{}, TOKEN], ids=["json", "stream"])
@pytest.mark.parametrize("era", ERAS)
def test_a_stream_needs_a_token_as_json_does(era: Era, meta: Json, made: Project) -> None:
    with listening_with_verifier(made) as guarded:
        call, headers = call_in(era, "who", meta), headers_in(era, "who")
        refused = guarded.post(call, Authorization="Bearer wrong", **headers)
        answer = guarded.post(call, Authorization="Bearer right", **headers)

    assert refused.status == 401
    assert (kind(answer) == STREAM) == bool(meta)
    last = events(answer.body)[-1] if meta else answer.json
    assert last["result"]["content"][0]["text"] == "c"
