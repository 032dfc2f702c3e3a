"""Content that is wrong, huge or hostile: refused with the reason in the log, and nobody else waits."""

import itertools
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import pytest
from toolfold_runtime import Audio, File, Image, Link, Text, ToolError, ToolResult
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Returns, Served, outcome, tool
from tests.running.media_samples import BEGINNINGS, png
from tests.support.clients import ERAS, Era, call
from tests.support.projects import Json

TOOLS: Final = {
    "any": tool(),
    "promised": tool(returns={"type": "object"}),
    "mixed": tool(content="mixed"),
    "quick": tool(),
}
PNG: Final = png()
HALF: Final = "half of a pair: \ud83d"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("hostile_content"), TOOLS)


def refusal(
    served: Served, returned: object, log: pytest.LogCaptureFixture, name: str = "any"
) -> Json:
    """The fields of the log's line about a result that was refused; the agent reads none of them."""
    log.clear()
    with pytest.raises(ToolError) as caught:
        served.call(Returns(returned), name)
    assert caught.value.code == "invalid_result"
    assert "author must fix it" in caught.value.text or "not JSON" in caught.value.text
    fields: Json = dict(vars(log.records[-1])["facts"])
    assert fields.pop("tool") == name
    json.dumps(fields).encode()
    return fields


class Bytes(bytes):
    """Bytes that lie about themselves."""

    def __len__(self) -> int:
        return 1

    def __getitem__(self, key: Any) -> Any:
        raise SystemExit

    def __bytes__(self) -> bytes:
        raise SystemExit

    def __iter__(self) -> Iterator[int]:
        return itertools.count()


class Endless(list[Image]):
    """A list that never ends."""

    def __iter__(self) -> Iterator[Image]:
        return itertools.repeat(Image(PNG))


class Raising(Image):
    """A picture that cannot be looked at."""

    def __getattribute__(self, name: str) -> Any:
        if name == "data":
            raise SystemExit
        return super().__getattribute__(name)


# What is wrong

WRONG: Final[list[tuple[object, str, str]]] = [
    (Image("iVBORw0KGgo="), "block 1, data", "str is not bytes; decode base64 first"),  # type: ignore[arg-type]  # the mistake
    (Image(None), "block 1, data", "NoneType is not bytes"),  # type: ignore[arg-type]  # the mistake
    (Image(b""), "block 1, data", "no data"),
    (Audio(b"", "audio/wav"), "block 1, data", "no data"),
    (Image(b"who knows"), "block 1, data", "not recognised; say what it is: Image(data, mime_type=…)"),
    (Audio(b"who knows"), "block 1, data", "not recognised; say what it is: Audio(data, mime_type=…)"),
    (Audio(PNG), "block 1, mime_type", '"image/png" is no type of audio'),
    (Image(PNG, "text/html"), "block 1, mime_type", '"text/html" is no type of image'),
    (Image(PNG, "png"), "block 1, mime_type", '"png" is no media type like image/png'),
    (Image(PNG, "image/png\r\nX: y"), "block 1, mime_type", '"image/png\\r\\nX: y" is no media type like image/png'),
    (Image(PNG, ""), "block 1, mime_type", '"" is no media type like image/png'),
    (Image(PNG, "image/jpeg"), "block 1, mime_type", "image/jpeg, and the data are image/png"),
    (Image(BEGINNINGS["audio/wav"], "IMAGE/PNG; q=1"), "block 1, mime_type", "image/png, and the data are audio/wav"),
    (File(PNG, "x:y", "image/gif"), "block 1, mime_type", "image/gif, and the data are image/png"),
    (File({"a": 1}, "x:y"), "block 1, data", "dict is not bytes"),  # type: ignore[arg-type]  # the mistake
    (File("a", "report.txt"), "block 1, uri", '"report.txt" is not a uri (like https://example.com/a)'),
    (File("a", ""), "block 1, uri", '"" is not a uri (like https://example.com/a)'),
    (File("a", "file:///a b"), "block 1, uri", '"file:///a b" is not a uri (like https://example.com/a)'),
    (Link("x:y", None), "block 1, name", "expected string, got null"),  # type: ignore[arg-type]  # the mistake
    (Link("x:y", "a", size=-1), "block 1, size", "-1 is less than the minimum of 0"),
    (Link("x:y", "a", size="12"), "block 1, size", 'expected integer, got string "12"'),  # type: ignore[arg-type]  # the mistake
    (Link("x:y", "a", icons=[{"mimeType": "image/png"}]), "block 1, icons.0.src", "missing"),
    (Image(PNG, annotations={"priority": 2}), "block 1, annotations.priority", "2 is greater than the maximum of 1"),
    (Image(PNG, annotations={"audience": ["everybody"]}), "block 1, annotations.audience.0", '"everybody" is not one of "user", "assistant"'),
    (Image(PNG, annotations=["user"]), "block 1, annotations", 'expected object, got array ["user"]'),  # type: ignore[arg-type]  # the mistake
    (Image(PNG, meta={"a": float("nan")}), "block 1", "Out of range float values are not JSON compliant"),
    (Image(PNG, meta={"a": iter([1])}), "block 1", "an iterator, which may never end; return a list"),
    (["a", Image(PNG), None], "block 3", "NoneType is no content: str, Image, Audio, File and Link are"),
    ([Image(PNG), {"a": 1}], "block 2", "dict is no content: str, Image, Audio, File and Link are"),
    ([Image(PNG), [Image(PNG)]], "block 2", "list is no content: str, Image, Audio, File and Link are"),
    ([Image(PNG), ToolResult(1)], "block 2", "ToolResult is no content: str, Image, Audio, File and Link are"),
    ([Image(PNG), b"bytes"], "block 2", "bytes is no content: str, Image, Audio, File and Link are"),
    ([Image(PNG), Image], "block 2", "type is no content: str, Image, Audio, File and Link are"),
    (ToolResult(1, Image(PNG)), "", "the content of a ToolResult is a list, not Image"),  # type: ignore[arg-type]  # the mistake
    (ToolResult(1, (Image(PNG) for _ in range(2))), "", "the content of a ToolResult is a list, not generator"),  # type: ignore[arg-type]  # the mistake
    (ToolResult(1, "a text"), "", "the content of a ToolResult is a list, not str"),
]  # fmt: skip


@pytest.mark.parametrize(("returned", "at", "problem"), WRONG)
def test_what_is_wrong_with_content_is_in_the_log(
    served: Served, returned: object, at: str, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    fields = refusal(served, returned, caplog)

    assert fields.get("at", "") == at
    assert fields["problem"] == problem


@pytest.mark.parametrize(
    "returned",
    [
        HALF,
        Text(HALF),
        File(HALF, "x:y"),
        File("a", f"x:{HALF}"),
        Link("x:y", HALF),
        Link("x:y", "a", description=HALF),
        Image(PNG, meta={HALF: 1}),
        Image(PNG, annotations={"lastModified": HALF}),
        Image(PNG, HALF),
    ],
)
def test_half_of_a_surrogate_pair_is_sent_nowhere(
    served: Served, returned: object, caplog: pytest.LogCaptureFixture
) -> None:
    refusal(served, [returned, Image(PNG)], caplog)


@pytest.mark.parametrize(
    "returned",
    [
        {"picture": Image(PNG)},
        [[Image(PNG)]],
        {"a": [{"b": Link("x:y", "a")}]},
        ToolResult({"picture": Image(PNG)}),
        ToolResult(ToolResult(1)),
        ToolResult(Image(PNG)),
    ],
)
def test_content_is_no_part_of_a_value(
    served: Served, returned: object, caplog: pytest.LogCaptureFixture
) -> None:
    assert (
        "is part of a value; content stands by itself" in refusal(served, returned, caplog)["error"]
    )


@pytest.mark.parametrize("returned", [Image(PNG), [Image(PNG)], File("a", "x:y")])
def test_content_is_not_what_a_schema_promises(
    served: Served, returned: object, caplog: pytest.LogCaptureFixture
) -> None:
    fields = refusal(served, returned, caplog, "promised")

    assert "ToolResult(value, [content])" in fields["error"]


def test_a_generator_of_content_is_refused(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    for name in ("any", "mixed"):
        fields = refusal(served, (Image(PNG) for _ in range(3)), caplog, name)
        assert "an iterator, which may never end; return a list" in fields["error"]


def test_addresses_are_the_author_s_own_business(served: Served) -> None:
    for uri in ("javascript:alert(1)", "data:text/html,x", "file:///etc/passwd", "a:", "x:%00"):
        assert served.call(Returns(Link(uri, "a")), "any").content[0]["uri"] == uri


# What is huge

TOO_LARGE: Final[dict[str, Callable[[], object]]] = {
    "a picture": lambda: Image(PNG + bytes(12_000_000)),
    "pictures": lambda: [Image(PNG + bytes(4_000_000))] * 3,
    "a file": lambda: File(bytes(12_000_001), "x:y"),
    "a file of text": lambda: File("é" * 8_000_001, "x:y"),
    "texts": lambda: [Image(PNG), "x" * 8_000_001, Text("x" * 8_000_001)],
    "a value and a picture": lambda: ToolResult("x" * 8_000_000, [Image(PNG + bytes(6_000_001))]),
    "meta": lambda: Image(PNG, meta={"a": [0] * 1_000_001}),
    "blocks": lambda: [Image(PNG)] * 1001,
    "texts beyond number": lambda: ["a"] * 1001,
    "a list without end": Endless,
    "content without end": lambda: ToolResult(1, Endless()),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_content_that_is_too_large_is_refused(served: Served, name: str) -> None:
    with pytest.raises(ToolError, match="more than can be sent") as caught:
        served.call(Returns(TOO_LARGE[name]()), "mixed")

    assert caught.value.code == "budget_exceeded"


def test_as_much_as_is_allowed_is_sent(served: Served) -> None:
    large = PNG + bytes(11_999_000)

    (block,) = served.call(Returns(Image(large)), "any").content
    many = served.call(Returns([Image(PNG)] * 1000), "any").content

    assert len(block["data"]) > 15_990_000
    assert len(many) == 1000


# What is hostile


def test_bytes_of_an_author_s_class_are_taken_for_what_they_hold(served: Served) -> None:
    for data in (Bytes(PNG), bytearray(PNG), memoryview(PNG)):
        (block,) = served.call(Returns(Image(data)), "any").content  # type: ignore[arg-type]  # as authors do
        assert block == served.call(Returns(Image(PNG)), "any").content[0]


def test_a_picture_that_claims_to_be_enormous_is_sent_as_it_is(served: Served) -> None:
    for size in (2**31, 2**32 - 1, 0):
        assert len(served.call(Returns(Image(png(size, size))), "any").content) == 1


def test_content_that_ends_the_process_does_not(served: Served) -> None:
    async def calls(door: Dispatcher) -> list[str]:
        return [await outcome(door, name, {}) for name in ("any", "quick")]

    class Hostile:
        def any(self, params: Any) -> Any:
            return Raising(PNG)

        def quick(self, params: Any) -> str:
            return "quick"

    assert served.run(Hostile(), calls) == ["invalid_result", "ok"]


@pytest.mark.parametrize("era", ERAS)
def test_a_wrong_block_is_a_tool_error_and_no_internal_one(era: Era, served: Served) -> None:
    server = served.project.server("direct", Returns([Image(PNG), Link("no address", "a")]))

    answer = call(server, "any", era=era)

    assert answer.is_error
    assert answer.text.startswith("invalid_result: any returned a result that cannot be sent")
