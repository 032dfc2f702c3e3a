"""What content costs: pictures by their pixels; over a budget the rest is read on, by its caller."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolfold_runtime import Audio, Caller, File, Image, Link, Text, ToolError, ToolResult
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.media import audio_tokens, image_size, image_tokens
from toolfold_runtime.running.result_parts import parts_of
from toolfold_runtime.running.tokens import estimated
from toolfold_runtime.running.truncate_blocks import truncate_blocks

from tests.running.material import Returns, Served, tool, value_of
from tests.running.media_samples import (
    BEGINNINGS,
    gif,
    jpeg,
    png,
    wav,
    webp_extended,
    webp_lossless,
    webp_lossy,
)

TOOLS: Final = {
    "mixed": tool(content="mixed", budget=1000),
    "both": tool(budget=1000, content="mixed", returns={"type": "array"}),
    "change": tool(content="mixed", budget=1000, effect="write"),
    "endless": tool(content="mixed"),
    "cached": tool(cache={"ttl": 60}, content="image"),
    "shared": tool(cache={"ttl": 60, "shared": True}),
}
LARGE: Final = png(600, 500)  # 400 tokens
HUGE: Final = png(1200, 1000)  # 1,600 tokens
WORDS: Final = "\n\n".join(f"This is paragraph {number} of many." for number in range(400))
ADA, EVE = (CallContext(Caller(subject=name, client="desk")) for name in ("ada", "eve"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("content_budget"), TOOLS)


# Tokens


@pytest.mark.parametrize(
    "make", [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended], ids=lambda m: m.__name__
)
def test_a_picture_costs_what_its_pixels_do(make: Any) -> None:
    assert image_size(make(640, 480)) == (640, 480)
    assert image_tokens(make(640, 480)) == 410  # 409.6
    assert image_tokens(make(1, 1)) == 1
    assert image_tokens(make(16_000, 16_000)) == 1600


@pytest.mark.parametrize(
    "before",
    [
        b"\xff" * 20,  # fills up
        b"\xff\xd0\xff\x01",  # without a length
        b"\xff\xe1\xff\xff" + bytes(65533),
        b"\xff\xc4\x00\x06abcd",  # a table whose marker looks like a frame's
    ],
)
def test_the_size_of_a_jpeg_stands_behind_other_segments(before: bytes) -> None:
    assert image_size(jpeg(300, 200, before)) == (300, 200)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"no picture",
        png(0, 10),
        png(10, 0),
        gif(0, 0),
        *(picture[:-1] for picture in (webp_lossy(), webp_lossless(), webp_extended())),
        BEGINNINGS["image/png"][:20],
        b"GIF89a\x01",
        b"RIFF\x00\x00\x00\x00WEBPVP9 ",
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xe0\x00\x00" * 1000,  # segments that claim to have no length
        b"\xff\xd8" + b"\xff\xe0\x00\x02" * 2000 + jpeg()[2:],
        jpeg()[:-8],
    ],
)
def test_a_picture_whose_header_makes_no_sense_costs_the_most(data: bytes) -> None:
    assert image_size(data) is None
    assert image_tokens(data) == 1600


@given(data=st.binary(max_size=200), start=st.sampled_from([*BEGINNINGS.values(), b""]))
@settings(max_examples=500)
def test_no_bytes_break_the_readers_of_headers(data: bytes, start: bytes) -> None:
    for hostile in (start[:12] + data, start + data):
        assert 1 <= image_tokens(hostile) <= 1600
        assert audio_tokens(hostile) >= 1


def test_sound_costs_by_its_seconds() -> None:
    assert audio_tokens(wav(10, rate=44_100)) == pytest.approx(320, abs=1)
    assert audio_tokens(b"ID3" + bytes(80_000)) == pytest.approx(320, abs=1)
    assert audio_tokens(wav(0)) == 1
    assert audio_tokens(wav(10, rate=0)) == 1  # without a rate, as if it were compressed


def tokens_of(served: Served, content: object) -> int:
    (block,) = parts_of(served.project.catalog.entry("endless"), [content, Image(LARGE)]).blocks[:1]
    return block.tokens


def test_everything_else_costs_what_its_words_do(served: Served) -> None:
    assert tokens_of(served, WORDS) == tokens_of(served, Text(WORDS)) == estimated(WORDS)
    uri = "https://example.com/report"
    words = estimated(f"{uri} report The report All of it")
    assert tokens_of(served, Link(uri, "report", "The report", "All of it")) == words
    assert tokens_of(served, File(WORDS, uri)) == estimated(uri) + estimated(WORDS)
    assert tokens_of(served, File(LARGE, uri)) == estimated(uri) + 400
    assert tokens_of(served, File(wav(10), uri)) >= 320
    assert tokens_of(served, File(b"%PDF-" + bytes(100_000), uri)) == estimated(uri)


# Budgets


def cursor_in(reply: Reply) -> str | None:
    """The cursor in the last note of an answer."""
    note = reply.texts[-1] if reply.texts else ""
    if "Read on" not in note:
        return None
    return str(json.loads(note[note.index("run_read(") + len("run_read(") : -1])["cursor"])


async def pages(door: Dispatcher, name: str, context: CallContext = ADA) -> list[Reply]:
    """The whole answer, read on to its end."""
    replies = [await door.call(name, {}, context)]
    while cursor := cursor_in(replies[-1]):
        replies.append(await door.call("run_read", {"tool": name, "cursor": cursor}, context))
        assert len(replies) < 100
    return replies


def kinds(reply: Reply) -> list[str]:
    return [block["type"] for block in reply.content]


def test_pictures_over_the_budget_are_counted_and_read_on(served: Served) -> None:
    pictures = [Image(LARGE, meta={"number": number}) for number in range(5)]

    replies = served.run(Returns(pictures), lambda door: pages(door, "mixed"))

    assert [kinds(reply)[:2] for reply in replies] == [["image"] * 2, ["image"] * 2, ["image"]]
    assert replies[0].texts[0].startswith("left out: 3 of 5 images. Read on within 10 minutes: ")
    assert replies[1].texts[0].startswith("left out: 1 of 3 images. Read on")
    assert replies[2].texts == ()
    sent = [block for reply in replies for block in reply.content if block["type"] == "image"]
    assert [block["_meta"]["number"] for block in sent] == [0, 1, 2, 3, 4]


def test_texts_between_blocks_are_cut_as_texts_are(served: Served) -> None:
    returned = ["first", WORDS, Image(LARGE), File(WORDS, "file:///words"), Link("x:y", "end")]

    replies = served.run(Returns(returned), lambda door: pages(door, "mixed"))

    assert replies[0].texts[1].endswith("\n\n")
    note = replies[0].texts[2]
    assert "characters; 1 of 1 image; 1 of 1 file; 1 of 1 link. Read on" in note
    texts = (text for reply in replies for text in reply.texts)
    assert "".join(text for text in texts if "Read on" not in text) == f"first{WORDS}"
    files = (block.get("resource", {}) for reply in replies for block in reply.content)
    assert "".join(file.get("text", "") for file in files) == WORDS
    assert kinds(replies[-1])[-1] == "resource_link"


def test_a_value_comes_before_the_content_beside_it(served: Served) -> None:
    rows = [f"row number {number}" for number in range(300)]
    result = ToolResult(rows, [Image(LARGE), Image(LARGE)])

    replies = served.run(Returns(result), lambda door: pages(door, "both"))

    assert "of 300 items; 2 of 2 images. Read on" in replies[0].texts[1]
    assert replies[0].structured is not None
    assert replies[0].structured["left_out"] == replies[0].texts[1]
    shown = [reply for reply in replies if reply.texts and reply.texts[0].startswith("[")]
    assert [row for reply in shown for row in value_of(reply)] == rows
    assert sum(kinds(reply).count("image") for reply in replies) == 2


def test_a_short_value_is_whole_although_its_pictures_are_not(served: Served) -> None:
    reply = served.call(Returns(ToolResult([1], [Image(LARGE)] * 3)), "both")

    assert reply.structured == {"result": [1]}
    assert kinds(reply) == ["text", "image", "image", "text"]
    assert "left out: 1 of 3 images" in reply.texts[1]


def test_what_fits_no_answer_is_named_and_what_follows_it_is_sent(served: Served) -> None:
    reply = served.call(Returns(["before", Image(HUGE), "after"]), "mixed")

    assert reply.texts == (
        "before",
        "after",
        "not sent, because the budget is 1,000 tokens: "
        f"image/png, {len(HUGE)} bytes, about 1,600 tokens.",
    )


def test_content_none_of_which_fits_is_refused(served: Served) -> None:
    with pytest.raises(
        ToolError, match=r"cannot be cut: image/png, .* about 1,600 tokens"
    ) as caught:
        served.call(Returns([Image(HUGE), Image(HUGE)]), "mixed")

    assert caught.value.code == "budget_exceeded"
    assert "fields" not in caught.value.text


def test_without_a_budget_everything_is_sent(served: Served) -> None:
    assert kinds(served.call(Returns([Image(HUGE)] * 20), "endless")) == ["image"] * 20


def test_reading_on_runs_nothing_and_belongs_to_the_caller(served: Served) -> None:
    class Changing:
        count = 0

        def change(self, params: Any) -> Any:
            self.count += 1
            return [Image(LARGE)] * 5

    changing = Changing()

    async def calls(door: Dispatcher) -> Reply:
        first = await door.call("change", {}, ADA)
        asked = {"tool": "change", "cursor": cursor_in(first)}
        for stranger in (EVE, CallContext()):
            with pytest.raises(ToolError, match="no such cursor"):
                await door.call("run_read", asked, stranger)
        return await door.call("run_read", asked, ADA)

    assert kinds(served.run(changing, calls))[:2] == ["image", "image"]
    assert changing.count == 1


def test_without_a_runner_the_rest_is_not_promised(tmp_path: Path) -> None:
    off = {"meta": {"run_read": "off", "run_write": "off"}}
    served = Served(tmp_path, {"mixed": tool(content="mixed", budget=1000)}, disclosure=off)

    reply = served.call(Returns([Image(LARGE)] * 3), "mixed")

    assert reply.texts == ("left out: 1 of 3 images. Ask for less to see all of it.",)


_CONTENTS: Final = st.lists(
    st.one_of(
        st.text(max_size=300),
        st.builds(lambda size: Image(png(size, 30)), st.integers(1, 3000)),
        st.builds(lambda text: File(text, "x:y"), st.text(max_size=300)),
        st.just(Link("x:y", "name")),
        st.just(Audio(BEGINNINGS["audio/ogg"])),
    ),
    max_size=12,
)


@given(contents=_CONTENTS, budget=st.integers(1, 120))
@settings(max_examples=200, suppress_health_check=[HealthCheck.too_slow])
def test_whatever_is_read_on_fits_and_loses_only_what_is_named(
    served: Served, contents: list[Any], budget: int
) -> None:
    entry = served.project.catalog.entry("endless")
    blocks = parts_of(entry, [*contents, Image(png())]).blocks
    sent: list[Any] = []
    left, skipped = blocks, 0
    while left:
        truncated = truncate_blocks(left, budget, budget)
        skipped += len(truncated.oversized)
        assert sum(block.tokens for block in truncated.head) <= budget
        assert truncated.head or not truncated.rest, "reading on must come to an end"
        assert bool(truncated.omitted) == bool(truncated.rest)
        sent += truncated.head
        left = truncated.rest

    wholes = [block for block in sent if block in blocks]
    assert len(wholes) + skipped <= len(blocks)
    assert _words(sent) == _words(blocks) or skipped


def _words(blocks: Any) -> str:
    holders = (block.sent.get("resource", block.sent) for block in blocks)
    return "".join(holder.get("text", holder.get("uri", "")) for holder in holders)


# The cache, and the loop


class Counting:
    """Pictures of growing size."""

    def __init__(self) -> None:
        self.count = 0

    def cached(self, params: Any) -> Image:
        self.count += 1
        return Image(png(100 * self.count, 100))

    shared = cached


def test_content_is_cached_for_its_caller_and_shared_where_the_tool_says_so(served: Served) -> None:
    async def calls(door: Dispatcher) -> tuple[list[Reply], list[Reply], int]:
        cached = [await door.call("cached", {}, caller) for caller in (ADA, ADA, EVE)]
        size = door.executor.cache.size
        return cached, [await door.call("shared", {}, caller) for caller in (ADA, EVE)], size

    cached, shared, size = served.run(Counting(), calls)

    assert cached[0] == cached[1] != cached[2]
    assert shared[0] == shared[1]
    assert size >= sum(len(reply.content[0]["data"]) for reply in (cached[0], cached[2]))


def test_a_large_picture_takes_no_more_of_the_cache_than_it_has(served: Served) -> None:
    async def calls(door: Dispatcher) -> tuple[int, int]:
        (block,) = (await door.call("cached", {})).content
        return door.executor.cache.size, len(block["data"])

    size, encoded = served.run(Returns(Image(png() + bytes(1_000_000))), calls)

    assert encoded < size < 1.01 * encoded


def test_content_is_encoded_in_a_thread_and_equal_calls_share_it(served: Served) -> None:
    threads: list[str] = []

    class Watched(Image):
        def __getattribute__(self, name: str) -> Any:
            if name == "data":
                threads.append(threading.current_thread().name)
            return super().__getattribute__(name)

    async def calls(door: Dispatcher) -> list[Reply]:
        return await asyncio.gather(*(door.call("shared", {}) for _ in range(3)))

    replies = served.run(Returns(Watched(LARGE)), calls)

    assert [kinds(reply) for reply in replies] == [["image"]] * 3
    assert threads == ["toolfold worker"]
