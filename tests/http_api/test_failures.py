"""An API that fails: what the agent is told."""

import asyncio
import gzip
import json
import ssl
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.http_api.apis import SECRET, Door, World
from tests.http_api.certificates import self_signed
from tests.http_api.recorder import Reply, Sent, json_reply, recorder

_LIMIT: Final = 16_000_000


@pytest.mark.parametrize(
    ("reply", "lines"),
    [
        (
            json_reply({"message": "Not Found", "documentation_url": "x"}, 404),
            [
                "backend_failed: api answered GET /items/{id} with HTTP 404 (No item has this id).",
                'It says: {"message":"Not Found","documentation_url":"x"}',
                "Look at the names and ids in the arguments.",
            ],
        ),
        (
            Reply(418, b"<html><style>b{}</style><h1>I am a <b>teapot</b></h1></html>",
                  {"content-type": "text/html"}),
            [
                "backend_failed: api answered GET /items/{id} with HTTP 418 (The item is not to be had).",
                "It says: I am a teapot",
                "What the API says above is the reason.",
            ],
        ),
        (
            Reply(500, b"\x89PNG", {"content-type": "image/png"}),
            [
                "backend_failed: api answered GET /items/{id} with HTTP 500 (Reason).",
                "It failed by itself; try again later.",
            ],
        ),
        (
            json_reply(["é" * 100] * 5_000, 400),
            [
                "backend_failed: api answered GET /items/{id} with HTTP 400 (The item is not to be had).",
                "It says: " + ("[" + ('"' + "\\u00e9" * 100 + '", ') * 4)[:2_000] + "…",
                "Look at the arguments: what the API says above is about them.",
            ],
        ),
    ],
)  # fmt: skip
def test_an_error_is_told_with_status_meaning_words_and_way_out(
    world: World, reply: Reply, lines: list[str]
) -> None:
    assert world.call("get_item", lambda sent: reply, id="1").splitlines() == lines


@pytest.mark.parametrize("server", ["bearer", "basic", "header", "query", "cookie"])
@pytest.mark.parametrize("status", [200, 401])
def test_an_api_that_repeats_its_credentials_tells_nobody(
    world: World, server: str, status: int
) -> None:
    def answer(sent: Sent) -> Reply:
        said = [*sent.headers, ["query", sent.query]]
        return json_reply(said, status)

    text = world.call(f"at_{server}", answer, id="1")

    assert "x-trace" in text or "accept" in text
    assert SECRET not in text
    assert "s3cret" not in text
    assert "${SECRET}" in text or "<login>" in text


_ESCAPED: Final = "".join(f"\\u{ord(character):04x}" for character in SECRET)


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("application/json", json.dumps({"key": SECRET}).replace("/", "\\/")),
        ("application/json", f'{{"key":"{_ESCAPED}"}}'),
        ("text/event-stream", f'data: "{_ESCAPED}"'),
        ("text/plain", "?key=s3cret%2fkey%2b4242"),
        ("text/plain", "?key=s3cret/key%2B4242"),
    ],
)
@pytest.mark.parametrize("status", [200, 400])
def test_credentials_are_found_however_they_are_written(
    world: World, kind: str, body: str, status: int
) -> None:
    reply = Reply(status, body.encode(), {"content-type": kind})

    text = world.call("at_header", lambda sent: reply, id="1")

    assert "${SECRET}" in text or (status, kind) == (400, "text/event-stream")
    assert "s3cret" not in text


def test_credentials_are_found_in_headers(world: World) -> None:
    link = f'</list?key={SECRET.replace("+", "%2B")}&page=2>; rel="next"'

    head = world.call("head_header", lambda sent: json_reply({}, link=link), id="1")
    page = world.call("read_on", lambda sent: json_reply([1], link=link))

    assert "key=${SECRET}&page=2" in head
    assert page.endswith('{"key":"${SECRET}","page":2}')


def test_a_slow_api_is_given_up_with_the_call(world: World) -> None:
    async def never(sent: Sent) -> Reply:
        await asyncio.Event().wait()
        return Reply()

    text = world.call("at_hurried", never, id="1")

    assert text.startswith("timeout: at_hurried did not answer within 0.5 s")


def test_a_call_that_is_cancelled_ends_its_request(world: World) -> None:
    async def calls(door: Door) -> int:
        arrived = asyncio.Event()

        async def answer(sent: Sent) -> Reply:
            arrived.set()
            await asyncio.Event().wait()
            return Reply()

        door.server.answer = answer
        task = asyncio.create_task(door.call("get_item", id="1"))
        await arrived.wait()
        task.cancel()
        await asyncio.wait([task])
        # The next call has a connection of its own: the other one was closed, not reused.
        door.server.answer = lambda sent: json_reply({})
        await door.call("get_item", id="2")
        return door.server.accepted

    assert world.run(calls) == 2


def bomb(size: int) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    chunk = b" " * 1_000_000
    return b"".join(packer.compress(chunk) for _ in range(size)) + packer.flush()


TOO_LARGE: Final[dict[str, Callable[[], Reply]]] = {
    "huge": lambda: Reply(body=b"x" * (_LIMIT + 1)),
    "a bomb": lambda: Reply(body=bomb(300), headers={"content-encoding": "gzip"}),
    "two files of which one bomb is made": lambda: Reply(
        body=bomb(10) * 2, headers={"content-encoding": "gzip"}
    ),
}


@pytest.mark.parametrize("case", TOO_LARGE)
def test_an_answer_that_is_too_large_is_refused_before_it_is_whole(world: World, case: str) -> None:
    reply = TOO_LARGE[case]()
    text = world.call("at_once", lambda sent: reply, id="1")

    assert text == (
        "budget_exceeded: once: its answer has more than 16,000,000 bytes. Ask for less."
    )


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("x-gzip", lambda data: gzip.compress(data[:5]) + gzip.compress(data[5:])),
        ("deflate", zlib.compress),
        ("deflate", lambda data: zlib.compress(data, wbits=-15)),
        ("identity", lambda data: data),
    ],
)
def test_a_compressed_answer_is_read(
    world: World, encoding: str, pack: Callable[[bytes], bytes]
) -> None:
    reply = json_reply({"packed": "as " * 20})
    packed = Reply(200, pack(reply.body), {**reply.headers, "content-encoding": encoding})

    assert world.call("at_api", lambda sent: packed, id="1").startswith('{"packed":"as as')


@pytest.mark.parametrize(
    ("reply", "fact"),
    [
        (
            Reply(body=gzip.compress(b"{}")[:-9], headers={"content-encoding": "gzip"}),
            "its answer is truncated",
        ),
        (
            Reply(body=b"{}", headers={"content-encoding": "gzip"}),
            "its answer is not compressed as it says",
        ),
        (
            Reply(body=b"{}", headers={"content-encoding": "br"}),
            "it answers in an encoding that was not asked for: br",
        ),
    ],
)
def test_an_answer_that_is_not_compressed_as_it_says_is_refused(
    world: World, reply: Reply, fact: str
) -> None:
    assert fact in world.call("at_once", lambda sent: reply, id="1")


def test_an_answer_without_a_body_is_not_compressed_whatever_it_says(world: World) -> None:
    text = world.call("head_item", lambda sent: Reply(headers={"content-encoding": "br"}), id="1")

    assert text.startswith('{"status":200')


def test_what_is_not_http_is_said_to_be_none(world: World) -> None:
    text = world.call("at_once", lambda sent: Reply(raw=b"220 mail.example ESMTP\r\n\r\n"), id="1")

    assert text.startswith("backend_failed: once: what it answers is not HTTP.")


def test_nobody_there_is_an_outage(world: World) -> None:
    async def nobody() -> list[str]:
        async with recorder() as server:
            pass
        with world.door(server) as door:
            try:
                return [await door.call("at_once", id="1"), await door.call("create_item")]
            finally:
                await door.backend.close()

    read, write = asyncio.run(nobody())

    assert read.startswith("backend_failed: once: unreachable: no connection")
    assert "carried out" not in write  # nothing was sent


def test_a_certificate_that_nobody_vouches_for_is_refused(world: World, tmp_path: Path) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(self_signed(tmp_path))

    async def calls() -> tuple[str, int]:
        async with recorder(context=context) as server:
            with world.door(server) as door:
                text = await door.call("at_tls", id="1")
                await door.backend.close()
                return text, len(server.sent)

    text, sent = asyncio.run(calls())

    assert text.startswith("backend_failed: tls: unreachable: no connection: [SSL")
    assert "SSL_CERT_FILE names authorities of your own." in text
    assert sent == 0
