"""What APIs answer, by media type and character set; and how lists are read on."""

from base64 import b64encode
from typing import Any

import pytest

from tests.http_api.apis import Door, World
from tests.http_api.recorder import Answering, Reply, json_reply
from tests.running.media_samples import png, wav


def replied(body: bytes, kind: str = "", status: int = 200) -> Answering:
    headers = {"content-type": kind} if kind else {}
    return lambda sent: Reply(status, body, headers)


@pytest.mark.parametrize(
    ("body", "kind", "text"),
    [
        ('{"a": "ä"}'.encode(), "application/json", '{"a":"ä"}'),
        ('{"a": "ä"}'.encode("latin-1"), "application/json; charset=latin-1", '{"a":"ä"}'),
        ('{"a": "ä"}'.encode("utf-16"), "application/vnd.api+json", '{"a":"ä"}'),
        (b'\xef\xbb\xbf{"a":1}', "application/json", '{"a":1}'),
        (b'{"a":1}', "", '{"a":1}'),
        (b'{"a":1}', "text/plain", '{"a":1}'),
        (b"7", "application/json", "7"),
        (b'"x"', "application/json", "x"),
        ("ä".encode("latin-1"), "text/plain; charset=ISO-8859-1", "ä"),
        ("漢".encode("shift_jis"), 'text/csv; charset="Shift_JIS"', "漢"),
        (b"<a/>", "application/xml", "<a/>"),
        (b"a: 1", "application/yaml", "a: 1"),
        (b"<svg/>", "image/svg+xml", "<svg/>"),
        ("ä".encode(), "text/plain; charset=rot13", "ä"),
        ("ä".encode(), "text/plain; charset=nonsense", "ä"),
        (b"xn--a-", "text/plain; charset=idna", "xn--a-"),
        (b"a-b9", "text/plain; charset=punycode", "a-b9"),
        (b"a", "text/plain; charset=undefined", "a"),
        (b"+2AA-", "text/plain; charset=utf-7", "+2AA-"),
        (b"\\ud800", "text/plain; charset=unicode_escape", "\\ud800"),
        (b"hi", 'text/plain; charset="' + ";" * 50_000, "hi"),
        (b'data: "\\ud800b"', "text/event-stream", '["?b"]'),
        (b"plain", "", "plain"),
        (b'["\\ud83d\\ude00", "a\\ud800b"]', "application/json", '["\U0001f600","a?b"]'),
        (b"[1e300]", "application/json", "[1e+300]"),
    ],
)
def test_json_and_text_are_read_in_their_character_set(
    world: World, body: bytes, kind: str, text: str
) -> None:
    assert world.call("at_api", replied(body, kind), id="1") == text


@pytest.mark.parametrize(
    ("body", "kind", "lines"),
    [
        (
            b"a\xffb",
            "text/plain",
            [
                "a�b",
                "note: the answer is not the UTF-8 that it should be; what cannot be read is �",
            ],
        ),
        (
            b"\xff",
            "text/plain; charset=utf8",
            [
                "�",
                "note: the answer is not the UTF-8 that it should be; what cannot be read is �",
            ],
        ),
        (
            b"<html>",
            "application/json",
            ["<html>", "note: the answer should be JSON, and is not: it is passed on as text"],
        ),
        (
            b'{"a": NaN}',
            "application/json",
            ['{"a": NaN}', "note: the answer should be JSON, and is not: it is passed on as text"],
        ),
        (
            b"[1e999]",
            "application/json",
            ["[1e999]", "note: the answer should be JSON, and is not: it is passed on as text"],
        ),
        (
            b"[" * 100_000,
            "application/json",
            ["[" * 100_000, "note: the answer should be JSON, and is not: it is passed on as text"],
        ),
    ],
)
def test_what_is_not_as_it_says_is_passed_on_with_a_note(
    world: World, body: bytes, kind: str, lines: list[str]
) -> None:
    assert world.call("at_api", replied(body, kind), id="1").splitlines() == lines


@pytest.mark.parametrize("status", [200, 202, 204])
def test_nothing_is_said_to_be_done(world: World, status: int) -> None:
    text = world.call("delete_item", replied(b"", status=status), id="1")

    assert f"HTTP {status}: done; the API answers with nothing." in text


def test_a_head_tells_its_headers(world: World) -> None:
    text = world.call("head_item", lambda sent: Reply(200, b"xyz", {"etag": '"7"'}), id="1")

    assert text == '{"status":200,"headers":{"content-length":"3","etag":"\\"7\\""}}'


@pytest.mark.parametrize(
    ("body", "kind", "block"),
    [
        (png(), "image/png", {"type": "image", "mimeType": "image/png"}),
        (png(), "image/jpeg", {"type": "image", "mimeType": "image/png"}),
        (png(), "application/octet-stream", {"type": "image", "mimeType": "image/png"}),
        (wav(0.01), "audio/x-wav", {"type": "audio", "mimeType": "audio/wav"}),
        (b"PK\3\4", "application/zip", {"mimeType": "application/zip"}),
        (b"not a picture", "image/png", {"mimeType": "image/png"}),
        (b"\xff\xfe\xfd", "", {"mimeType": "application/octet-stream"}),
        (b"\0", "what/is;this", {"mimeType": "what/is"}),
        (b"\0", "nonsense", {"mimeType": "application/octet-stream"}),
    ],
)
def test_pictures_sound_and_files_are_blocks_by_what_they_are(
    world: World, body: bytes, kind: str, block: dict[str, str]
) -> None:
    async def calls(door: Door) -> tuple[dict[str, Any], int]:
        reply = await door.reply("at_api", id="1")
        return reply.content[0], door.server.port

    sent, port = world.run(calls, replied(body, kind))

    data = b64encode(body).decode()
    if "type" in block:
        assert sent == {**block, "data": data}
    else:
        uri = f"http://127.0.0.1:{port}/v1/items/1"
        assert sent == {"type": "resource", "resource": {"uri": uri, **block, "blob": data}}


EVENTS = b': hello\n\ndata: {"n": 1}\n\nevent: x\ndata: two\ndata: lines\n\ndata: [DONE]\n\n'


def test_events_are_read_to_their_end(world: World) -> None:
    text = world.call("at_api", replied(EVENTS, "text/event-stream"), id="1")

    assert text == '[{"n":1},"two\\nlines","[DONE]"]'


def test_events_without_end_are_read_for_a_while(world: World) -> None:
    raw = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\ndata: 1\n\ndata: 2\n\ndata: 3"

    async def calls(door: Door) -> str:
        door.server.answer = lambda sent: Reply(raw=raw, stays_open=True)
        return await door.call("at_hurried", id="1")

    assert world.run(calls).splitlines() == [
        "[1,2]",
        "note: the stream goes on: these are the events that came first",
    ]


@pytest.mark.parametrize(
    ("tool", "arguments", "reply", "note"),
    [
        ("by_cursor", {}, {"meta": {"next": "abc"}}, 'There is more: call it again with {"cursor":"abc"}'),
        ("by_cursor", {"cursor": "abc"}, {"meta": {"next": "abc"}}, ""),
        ("by_cursor", {}, {"meta": {"next": 17}}, 'There is more: call it again with {"cursor":"17"}'),
        ("by_cursor", {}, {"meta": {"next": None}}, ""),
        ("by_cursor", {}, {"meta": {"next": ""}}, ""),
        ("by_cursor", {}, {"meta": []}, ""),
        ("by_cursor", {}, {"meta": {"next": "https://x/list?cursor=c%2F1&limit=5&key=s"}}, 'There is more: call it again with {"cursor":"c/1","limit":5}'),
        ("after_last", {}, {"data": [{"id": "a"}, {"id": "b"}], "has_more": True}, 'There is more: call it again with {"starting_after":"b"}'),
        ("after_last", {}, {"data": [{"id": "a"}], "has_more": False}, ""),
        ("after_last", {}, {"data": [], "has_more": True}, ""),
        ("by_page", {}, [1, 2], 'There may be more: call it again with {"page":1}'),
        ("by_page", {"page": 4}, {"items": [1], "total": 9}, 'There may be more: call it again with {"page":5}'),
        ("by_page", {"page": 4}, [], ""),
        ("by_offset", {}, {"rows": [1, 2], "more": True}, 'There is more: call it again with {"offset":2}'),
        ("by_offset", {"offset": 6}, {"rows": [1, 2], "more": 1}, 'There is more: call it again with {"offset":8}'),
        ("by_offset", {"offset": 6}, {"rows": [1, 2], "more": False}, ""),
        ("by_link", {}, [1], ""),
    ],
)  # fmt: skip
def test_the_answer_says_how_to_read_on(
    world: World, tool: str, arguments: dict[str, Any], reply: Any, note: str
) -> None:
    text = world.call(tool, lambda sent: json_reply(reply), **arguments)

    assert "\n".join(text.splitlines()[1:]) == note


@pytest.mark.parametrize(
    ("link", "note"),
    [
        (
            '<https://api.example.com/list?per_page=30&page=2>; rel="next",'
            ' <https://api.example.com/list?page=9>; rel="last"',
            'There is more: call it again with {"per_page":30,"page":2}',
        ),
        ('</list?page=1>; rel="prev first", </list?page=3>; rel=next', 'There is more: call it again with {"page":3}'),
        ('<https://api.example.com/list?page=1>; rel="prev"', ""),
        ("garbage <<<>>> ;;; rel=next", ""),
        ("<" * 50_000, ""),
        ('</list?page=3>; title="rel=next"; rel="last"', ""),
    ],
)  # fmt: skip
def test_a_link_header_says_how_to_read_on(world: World, link: str, note: str) -> None:
    text = world.call("by_link", lambda sent: json_reply([1], link=link))

    assert "\n".join(text.splitlines()[1:]) == note
