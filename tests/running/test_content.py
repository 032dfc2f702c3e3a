"""Pictures, sound, files and links: as the protocol has them, whoever calls, beside values and alone."""

from base64 import b64encode
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import mcp_types as types
import pytest
from toolfold_runtime import (
    Audio,
    Content,
    File,
    Image,
    Link,
    Text,
    ToolError,
    ToolResult,
)

from tests.running.material import Returns, Served, tool
from tests.running.media_samples import BEGINNINGS, png, wav
from tests.support.projects import Json

PROMISED: Final = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "note": {"type": "string"}},
    "required": ["name"],
}
TOOLS: Final = {
    "any": tool(),
    "picture": tool(content="image"),
    "sound": tool(content="audio"),
    "file": tool(content="file"),
    "link": tool(content="link"),
    "mixed": tool(content="mixed"),
    "promised": tool(returns=PROMISED),
    "both": tool(returns=PROMISED, content="image"),
    "wrapped": tool(returns={"type": "array"}, content="mixed"),
    "base64": tool(
        returns={"type": "object", "properties": {"raw": {"contentEncoding": "base64"}}}
    ),
}
PNG: Final = png()
WAV: Final = wav(0.01)
ENCODED: Final = b64encode(PNG).decode()
PICTURE: Final = {"type": "image", "data": ENCODED, "mimeType": "image/png"}
NOTES: Final[Json] = {
    "annotations": {
        "audience": ["user", "assistant"],
        "priority": 0.5,
        "lastModified": "2026-01-31T09:30:00Z",
    },
    "meta": {"example.com/page": {"number": 3}},
}
SENT_NOTES: Final = {"annotations": NOTES["annotations"], "_meta": NOTES["meta"]}
ICON: Final = {
    "src": "https://example.com/a.png",
    "mimeType": "image/png",
    "sizes": ["48x48"],
    "theme": "dark",
}
#: By what they are: content with all that it can say of itself, and the block for it.
FULL: Final[dict[str, tuple[Content, Json]]] = {
    "text": (Text("words", **NOTES), {"type": "text", "text": "words", **SENT_NOTES}),
    "image": (Image(PNG, **NOTES), {**PICTURE, **SENT_NOTES}),
    "audio": (
        Audio(WAV, **NOTES),
        {
            "type": "audio",
            "data": b64encode(WAV).decode(),
            "mimeType": "audio/wav",
            **SENT_NOTES,
        },
    ),
    "text file": (
        File("a;b\n", "file:///table.csv", "text/csv", file_meta={"rows": 1}, **NOTES),
        {
            "type": "resource",
            "resource": {
                "uri": "file:///table.csv",
                "mimeType": "text/csv",
                "text": "a;b\n",
                "_meta": {"rows": 1},
            },
            **SENT_NOTES,
        },
    ),
    "binary file": (
        File(b"\x00\xff", "urn:example:7", "application/pdf", file_meta={"pages": 2}, **NOTES),
        {
            "type": "resource",
            "resource": {
                "uri": "urn:example:7",
                "mimeType": "application/pdf",
                "blob": "AP8=",
                "_meta": {"pages": 2},
            },
            **SENT_NOTES,
        },
    ),
    "link": (
        Link("toolfold://a", "a", "A", "The first", "text/plain", 12, icons=[ICON], **NOTES),
        {
            "type": "resource_link",
            "uri": "toolfold://a",
            "name": "a",
            "title": "A",
            "description": "The first",
            "mimeType": "text/plain",
            "size": 12,
            "icons": [ICON],
            **SENT_NOTES,
        },
    ),
}
#: The same with nothing that need not be said.
SHORT: Final[dict[str, tuple[Content, Json]]] = {
    "text": (Text("words"), {"type": "text", "text": "words"}),
    "image": (Image(PNG), PICTURE),
    "text file": (
        File("", "file:///empty"),
        {"type": "resource", "resource": {"uri": "file:///empty", "text": ""}},
    ),
    "binary file": (
        File(b"", "file:///empty"),
        {"type": "resource", "resource": {"uri": "file:///empty", "blob": ""}},
    ),
    "picture file": (
        File(PNG, "file:///a"),
        {
            "type": "resource",
            "resource": {"uri": "file:///a", "mimeType": "image/png", "blob": ENCODED},
        },
    ),
    "link": (Link("x:y", "a"), {"type": "resource_link", "uri": "x:y", "name": "a"}),
}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("content"), TOOLS)


def content_of(served: Served, returned: object, name: str = "any") -> list[Json]:
    return list(served.call(Returns(returned), name).content)


# The form


@pytest.mark.parametrize("kind", FULL)
def test_all_that_content_says_of_itself_is_sent(served: Served, kind: str) -> None:
    content, block = FULL[kind]

    assert content_of(served, content) == [block]
    # The protocol's own types know each field, and there is none that we lack.
    parsed = types.CallToolResult.model_validate({"content": [block]}).content[0]
    assert parsed.model_dump(by_alias=True, exclude_none=True) == block
    filled = parsed.model_dump(by_alias=True)
    assert [key for key, value in filled.items() if value is None] == []


@pytest.mark.parametrize("kind", SHORT)
def test_what_is_not_given_is_not_sent(served: Served, kind: str) -> None:
    content, block = SHORT[kind]

    assert content_of(served, content) == [block]


@pytest.mark.parametrize("mime_type", BEGINNINGS)
def test_a_media_type_is_recognised_by_the_first_bytes(served: Served, mime_type: str) -> None:
    kind = Image if mime_type.startswith("image/") else Audio

    (block,) = content_of(served, kind(BEGINNINGS[mime_type]))

    assert block["mimeType"] == mime_type


def test_a_media_type_that_is_given_is_sent_as_it_is(served: Served) -> None:
    blocks = content_of(
        served,
        [
            Image(b"<svg/>", "image/svg+xml"),
            Image(BEGINNINGS["image/jpeg"], "image/jpg"),
            Audio(b"?", "audio/L16; rate=8000"),
            File(PNG, "file:///a", "application/octet-stream"),
        ],
    )

    given = [block.get("mimeType") or block["resource"]["mimeType"] for block in blocks]
    assert given == [
        "image/svg+xml",
        "image/jpg",
        "audio/L16; rate=8000",
        "application/octet-stream",
    ]


def test_what_a_file_of_this_machine_holds_is_sent_under_another_name(
    served: Served, tmp_path: Path
) -> None:
    for name, data in (("a.png", PNG), ("a.wav", WAV), ("a.txt", "é\n".encode())):
        (tmp_path / name).write_bytes(data)
    content = [
        Image.from_file(tmp_path / "a.png"),
        Audio.from_file(str(tmp_path / "a.wav"), "audio/x-wav"),
        File.from_file(tmp_path / "a.txt", "report://today", "text/plain"),
        File.from_file(tmp_path / "a.png", "report://chart"),
    ]

    blocks = content_of(served, content)

    assert blocks[0] == PICTURE
    assert blocks[1]["mimeType"] == "audio/x-wav"
    assert blocks[2]["resource"]["text"] == "é\n"
    assert blocks[3]["resource"]["blob"] == ENCODED
    assert str(tmp_path) not in str(blocks)


def test_any_mapping_serves_for_what_is_said_about_a_block(served: Served) -> None:
    meta = MappingProxyType({"example.com/a": 1})

    assert content_of(served, Image(PNG, meta=meta))[0]["_meta"] == {"example.com/a": 1}


def test_a_picture_is_not_printed_whole() -> None:
    assert repr(Image(bytes(1_000_000), "image/png")) == (
        "Image(annotations=None, meta=None, mime_type='image/png')"
    )


# Alone, in lists, beside values


@pytest.mark.parametrize("several", [list, tuple])
def test_a_list_of_content_and_texts_keeps_its_order(served: Served, several: Any) -> None:
    returned = several(["before", Image(PNG), "after", Link("x:y", "a")])

    kinds = [block["type"] for block in content_of(served, returned)]

    assert kinds == ["text", "image", "text", "resource_link"]


def test_a_list_of_texts_is_content_only_where_content_is_declared(served: Served) -> None:
    assert content_of(served, ["a", "b"]) == [{"type": "text", "text": '["a","b"]'}]
    assert content_of(served, ["a", "b"], "mixed") == [
        {"type": "text", "text": "a"},
        {"type": "text", "text": "b"},
    ]
    assert content_of(served, [], "mixed") == []
    assert content_of(served, "a", "mixed") == [{"type": "text", "text": "a"}]
    assert content_of(served, {"a": 1}, "mixed") == [{"type": "text", "text": '{"a":1}'}]


def test_a_promised_value_is_sent_with_content_beside_it(served: Served) -> None:
    for name in ("both", "promised"):
        result = ToolResult({"name": "Ada"}, [Image(PNG), "a caption"])
        reply = served.call(Returns(result), name)

        assert reply.structured == {"name": "Ada"}
        assert list(reply.content) == [
            {"type": "text", "text": '{"name":"Ada"}'},
            PICTURE,
            {"type": "text", "text": "a caption"},
        ]


def test_the_value_beside_content_is_mended_and_wrapped_like_any_other(served: Served) -> None:
    mended = served.call(Returns(ToolResult({"name": "Ada", "note": None}, [Image(PNG)])), "both")
    wrapped = served.call(Returns(ToolResult([1, 2], [Image(PNG)])), "wrapped")
    raw = served.call(Returns(ToolResult({"raw": b"\xff"}, [Image(PNG)])), "base64")

    assert mended.structured == {"name": "Ada"}
    assert wrapped.structured == {"result": [1, 2]}
    assert raw.structured == {"raw": "/w=="}
    assert [reply.content[1] for reply in (mended, wrapped, raw)] == [PICTURE] * 3


def test_a_value_without_a_schema_may_have_content_beside_it(served: Served) -> None:
    reply = served.call(Returns(ToolResult({"a": 1}, [Image(PNG)])), "any")

    assert reply.structured is None
    assert list(reply.content) == [{"type": "text", "text": '{"a":1}'}, PICTURE]


@pytest.mark.parametrize(
    ("name", "returned"),
    [
        ("picture", "a text"),
        ("picture", Audio(WAV)),
        ("picture", ["a text"]),
        ("picture", []),
        ("sound", Image(PNG)),
        ("file", Link("x:y", "a")),
        ("link", {"uri": "x:y"}),
        ("both", {"name": "Ada"}),
        ("both", ToolResult({"name": "Ada"}, ["a caption"])),
    ],
)
def test_declared_content_that_is_missing_is_the_author_s_mistake(
    served: Served, name: str, returned: object, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ToolError) as caught:
        served.call(Returns(returned), name)

    assert caught.value.code == "invalid_result"
    assert "declares; return " in vars(caplog.records[-1])["facts"]["problem"]


# Through runners


def test_a_runner_gives_the_same_blocks_and_notes_after_them(served: Served) -> None:
    asked = {"tool": "both", "verbose": True, "fields": "name"}
    reply = served.call(
        Returns(ToolResult({"name": "Ada", "note": "n"}, [Image(PNG)])), "run_read", asked
    )

    assert reply.structured is None
    assert list(reply.content) == [
        {"type": "text", "text": '{"name":"Ada"}'},
        PICTURE,
        {"type": "text", "text": "warning: ignored unknown parameters: verbose"},
    ]


def test_fields_of_nothing_but_content_are_a_warning(served: Served) -> None:
    reply = served.call(Returns(Image(PNG)), "run_read", {"tool": "picture", "fields": "name"})

    warning = "warning: picture returned no fields to choose from"
    assert list(reply.content) == [PICTURE, {"type": "text", "text": warning}]
