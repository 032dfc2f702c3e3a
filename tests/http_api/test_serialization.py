"""Every style of parameter, on the wire: the specification's own table, and what independent libraries write."""

import asyncio
import random
import re
import string
from typing import Any, Final

import pytest
import qs_codec
import uritemplate
from toolfold_runtime.contract.http import (
    BodyPart,
    HttpBody,
    HttpOperation,
    HttpParameter,
    ParameterPlace,
    ParameterStyle,
)
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.http_api.address import base_of
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.http_api.request import ApiRequest, request_of
from toolfold_runtime.http_api.send import Api
from toolfold_runtime.upstream.pool import HttpPool

from tests.http_api.recorder import Sent, recorder

_LIST: Final = ["blue", "black", "brown"]
_OBJECT: Final = {"R": 100, "G": 200, "B": 150}
# OpenAPI 3.1.1, "Style Examples", for the parameter `color`: place, style, explode, then what
# stands for "", "blue", the list and the object; None where the table has no value.
_TABLE: Final[list[tuple[ParameterPlace, ParameterStyle, bool, str | None, str, str | None, str | None]]] = [
    ("path", "matrix", False, ";color", ";color=blue", ";color=blue,black,brown", ";color=R,100,G,200,B,150"),
    ("path", "matrix", True, ";color", ";color=blue", ";color=blue;color=black;color=brown", ";R=100;G=200;B=150"),
    ("path", "label", False, None, ".blue", ".blue,black,brown", ".R,100,G,200,B,150"),
    ("path", "label", True, None, ".blue", ".blue.black.brown", ".R=100.G=200.B=150"),
    ("path", "simple", False, None, "blue", "blue,black,brown", "R,100,G,200,B,150"),
    ("path", "simple", True, None, "blue", "blue,black,brown", "R=100,G=200,B=150"),
    ("header", "simple", False, "", "blue", "blue,black,brown", "R,100,G,200,B,150"),
    ("header", "simple", True, "", "blue", "blue,black,brown", "R=100,G=200,B=150"),
    ("query", "form", False, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
    ("query", "form", True, "color=", "color=blue", "color=blue&color=black&color=brown", "R=100&G=200&B=150"),
    ("cookie", "form", False, "color=", "color=blue", "color=blue,black,brown", "color=R,100,G,200,B,150"),
    ("cookie", "form", True, "color=", "color=blue", "color=blue; color=black; color=brown", "R=100; G=200; B=150"),
    ("query", "spaceDelimited", False, "color=", "color=blue", "color=blue%20black%20brown", "color=R%20100%20G%20200%20B%20150"),
    ("query", "pipeDelimited", False, "color=", "color=blue", "color=blue%7Cblack%7Cbrown", "color=R%7C100%7CG%7C200%7CB%7C150"),
    ("query", "tabDelimited", False, "color=", "color=blue", "color=blue%09black%09brown", None),
    ("query", "deepObject", True, "color=", "color=blue", "color%5B%5D=blue&color%5B%5D=black&color%5B%5D=brown", "color%5BR%5D=100&color%5BG%5D=200&color%5BB%5D=150"),
]  # fmt: skip
_ROWS: Final = [
    (row[0], row[1], row[2], value, expected)
    for row in _TABLE
    for value, expected in zip(("", "blue", _LIST, _OBJECT), row[3:], strict=True)
    if expected is not None
]
_BASE: Final = base_of("http://127.0.0.1")


def request(
    place: ParameterPlace, style: ParameterStyle, explode: bool, value: Any, **more: Any
) -> ApiRequest:
    parameter = HttpParameter("color", "color", place, style, explode, **more)
    path = "/p/{color}" if place == "path" else "/p"
    operation = HttpOperation("api", "GET", path, (parameter,))
    return request_of(more.pop("base", _BASE), operation, {"color": value})


def written(place: ParameterPlace, made: ApiRequest | Sent) -> str:
    """What a request has in the place of its one parameter."""
    if place in ("header", "cookie"):
        name = "color" if place == "header" else "cookie"
        return made.header(name) if isinstance(made, Sent) else made.headers[name]
    target = made.target if isinstance(made, Sent) else made.url.removeprefix(_BASE.origin)
    return target.removeprefix("/p/") if place == "path" else target.partition("?")[2]


@pytest.mark.parametrize(("place", "style", "explode", "value", "expected"), _ROWS)
def test_the_table_of_the_specification(
    place: ParameterPlace, style: ParameterStyle, explode: bool, value: Any, expected: str
) -> None:
    assert written(place, request(place, style, explode, value)) == expected


def test_the_http_library_changes_nothing_of_it_on_the_wire() -> None:
    async def sent() -> list[str]:
        async with recorder() as server:
            pool = HttpPool()
            api = Api(UpstreamServer("api", url=server.url), pool)
            for place, style, explode, value, _ in _ROWS:
                made = request(place, style, explode, value)
                moved = made._replace(url=made.url.replace(_BASE.origin, server.url))
                await api.send(moved, lambda: 10.0, may_repeat=False)
            await pool.close()
            return [written(row[0], came) for row, came in zip(_ROWS, server.sent, strict=True)]

    assert asyncio.run(sent()) == [expected for *_, expected in _ROWS]


def drawn_values(count: int) -> list[Any]:
    """Texts, numbers, lists and objects of them, with every character that means something somewhere."""
    draw = random.Random(19)
    characters = (
        string.ascii_letters + string.digits + " -._~:/?#[]@!$&'()*+,;=%\"<>|\\^`{}äß€漢\U0001f600"
    )

    def text() -> str:
        return "".join(draw.choices(characters, k=draw.randint(1, 12)))

    def scalar() -> Any:
        return text() if draw.random() < 0.75 else draw.randint(-99, 10**9)

    def value() -> Any:
        size, kind = draw.randint(1, 4), draw.randint(0, 2)
        if kind == 0:
            return scalar()
        if kind == 1:
            return [scalar() for _ in range(size)]
        # Sorted, because the library sorts them.
        return dict(sorted((text(), scalar()) for _ in range(size)))

    return [value() for _ in range(count)]


# The style as RFC 6570 writes it, and what stands between items in the place of its comma.
_TEMPLATES: Final[list[tuple[ParameterPlace, ParameterStyle, bool, str, str]]] = [
    ("path", "simple", False, "{color}", ","),
    ("path", "simple", True, "{color*}", ","),
    ("path", "label", False, "{.color}", ","),
    ("path", "label", True, "{.color*}", ","),
    ("path", "matrix", False, "{;color}", ","),
    ("path", "matrix", True, "{;color*}", ","),
    ("query", "form", False, "{?color}", ","),
    ("query", "form", True, "{?color*}", ","),
    ("query", "spaceDelimited", False, "{?color}", "%20"),
    ("query", "pipeDelimited", False, "{?color}", "%7C"),
]


@pytest.mark.parametrize(
    ("place", "style", "explode", "template", "comma"), _TEMPLATES, ids=lambda value: str(value)
)
def test_drawn_values_are_written_as_by_rfc_6570(
    place: ParameterPlace, style: ParameterStyle, explode: bool, template: str, comma: str
) -> None:
    compared = 0
    for value in drawn_values(260):
        expected = uritemplate.expand(template, {"color": value}).removeprefix("?")
        if comma != ",":
            expected = expected.replace(",", comma)
        try:
            made = request(place, style, explode, value)
        except ArgumentError:
            assert place == "path"  # where dots and backslashes could lead elsewhere
            continue
        assert written(place, made) == expected
        compared += 1
    assert compared >= 200


def test_drawn_objects_are_nested_as_by_qs() -> None:
    draw = random.Random(20)

    def deep(level: int) -> Any:
        kind = draw.randint(0, 3) if level < 3 else 0
        if kind == 0:
            return draw.choice([*drawn_values(5)[:1], "a b", 7, "x&y=z", "[1]"])
        if kind == 1:
            return [draw.choice(["p", "q r", 3]) for _ in range(draw.randint(1, 3))]
        return {f"k{n} [{level}]": deep(level + 1) for n in range(draw.randint(1, 3))}

    options = qs_codec.EncodeOptions(list_format=qs_codec.ListFormat.BRACKETS)
    for _ in range(200):
        value = {"a": deep(0), "b": deep(1)}
        expected = qs_codec.encode({"color": value}, options)
        assert written("query", request("query", "deepObject", True, value)) == expected


def test_items_with_parts_are_numbered() -> None:
    value = {"lines": [{"price": "p1", "tags": ["x", "y"]}, {"price": "p2"}]}

    made = request("query", "deepObject", True, value).url.partition("?")[2]

    assert made.replace("%5B", "[").replace("%5D", "]") == (
        "color[lines][0][price]=p1&color[lines][0][tags][]=x&color[lines][0][tags][]=y"
        "&color[lines][1][price]=p2"
    )


@pytest.mark.parametrize("style", ["form", "spaceDelimited", "pipeDelimited", "deepObject"])
@pytest.mark.parametrize("value", [None, [], {}, [None], {"a": None}])
def test_nothing_is_sent_for_what_is_not_there(style: ParameterStyle, value: Any) -> None:
    assert request("query", style, style in ("form", "deepObject"), value).url.endswith("/p")


def test_a_boolean_is_a_word_and_a_whole_number_has_no_point() -> None:
    assert request("query", "form", False, [True, 2.0, 0.5, 1e21]).url.endswith(
        "color=true,2,0.5,1e%2B21"
    )


def test_reserved_characters_are_sent_as_they_are_where_the_api_says_so() -> None:
    made = request("query", "form", True, "a/b?c=d&e#f+g,h", allows_reserved=True)

    assert made.url.endswith("color=a/b?c%3Dd%26e%23f%2Bg,h")


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("query", "color=%7B%22a%22%3A%5B1%2C%22x%20y%22%5D%7D"),
        ("path", "%7B%22a%22%3A%5B1%2C%22x%20y%22%5D%7D"),
        ("header", '{"a":[1,"x y"]}'),
    ],
)
def test_a_parameter_with_content_is_written_as_its_media_type(
    place: ParameterPlace, expected: str
) -> None:
    value = {"a": [1, "x y"]}

    made = request(place, "simple", False, value, media_type="application/json")

    assert written(place, made) == expected


@pytest.mark.parametrize("value", ["a\nb", "ä", "a\x00", "x\r\nhost: evil"])
def test_a_header_holds_one_line_of_ascii(value: str) -> None:
    with pytest.raises(ArgumentError, match="printable ASCII"):
        request("header", "simple", False, value)


def body_text(body: HttpBody, arguments: dict[str, Any]) -> tuple[str, str]:
    """The media type and the content of a body."""
    made = request_of(_BASE, HttpOperation("api", "POST", "/p", (), body), arguments)
    return made.headers["content-type"], (made.body or b"").decode()


def test_a_form_is_written_flat_nested_or_as_its_encoding_says() -> None:
    body = HttpBody(
        "application/x-www-form-urlencoded",
        is_open=True,
        parts={"csv": BodyPart(style="form", explode=False), "json": BodyPart("application/json")},
    )
    arguments = {
        "to": "+1 & 2",
        "many": ["a", "b"],
        "card": {"number": 4242, "billing": {"zip": "0 1"}},
        "lines": [{"price": "p"}],
        "csv": ["x", "y"],
        "json": {"k": [1]},
        "none": None,
    }

    kind, text = body_text(body, arguments)

    assert kind == "application/x-www-form-urlencoded"
    assert text == (
        "to=%2B1%20%26%202&many=a&many=b&card%5Bnumber%5D=4242&card%5Bbilling%5D%5Bzip%5D=0%201"
        "&lines%5B0%5D%5Bprice%5D=p&csv=x,y&json=%7B%22k%22%3A%5B1%5D%7D"
    )


def test_parts_are_text_json_and_files() -> None:
    body = HttpBody(
        "multipart/form-data",
        properties={"note": "note", "meta": "meta", "files": "files"},
        parts={"files": BodyPart(is_file=True)},
    )
    arguments = {
        "note": "a\r\nb",
        "meta": {"k": 1},
        "files": [{"name": 'a\n".txt', "text": "ä"}, "iVBORw=="],
    }

    made = request_of(_BASE, HttpOperation("api", "POST", "/p", (), body), arguments)
    kind, text = made.headers["content-type"], made.body or b""

    mark = kind.removeprefix("multipart/form-data; boundary=").encode()
    parts = text.split(b"--" + mark)
    assert parts[0] == b""
    assert parts[-1] == b"--\r\n"
    assert parts[1:-1] == [
        b'\r\ncontent-disposition: form-data; name="note"\r\n\r\na\r\nb\r\n',
        b'\r\ncontent-disposition: form-data; name="meta"\r\ncontent-type: application/json\r\n\r\n{"k":1}\r\n',
        b'\r\ncontent-disposition: form-data; name="files"; filename="a%0A%22.txt"\r\n'
        b"content-type: text/plain\r\n\r\n\xc3\xa4\r\n",
        b'\r\ncontent-disposition: form-data; name="files"; filename="files"\r\n'
        b"content-type: application/octet-stream\r\n\r\n\x89PNG\r\n",
    ]


def test_a_part_is_written_in_the_style_that_it_has() -> None:
    styles = {
        "csv": BodyPart(style="form", explode=False),
        "pipes": BodyPart(style="pipeDelimited", explode=False),
        "deep": BodyPart(style="deepObject"),
        "flat": BodyPart(style="form", explode=True),
    }
    body = HttpBody("multipart/form-data", is_open=True, parts=styles)
    arguments = {
        "csv": ["a", "ä&="],
        "pipes": ["a", "b"],
        "deep": {"k": {"l": 1}},
        "flat": {"x": 1, "y": ""},
    }

    _, text = body_text(body, arguments)

    assert re.findall(r'name="(.*)"\r\n\r\n(.*)\r\n', text) == [
        ("csv", "a,ä&="),
        ("pipes", "a|b"),
        ("deep[k][l]", "1"),
        ("x", "1"),
        ("y", ""),
    ]


@pytest.mark.parametrize(
    ("body", "value", "expected"),
    [
        (HttpBody("application/json", "b"), ["ä", None], ("application/json", '["ä",null]')),
        (HttpBody("application/merge-patch+json", "b"), {"a": 1}, ("application/merge-patch+json", '{"a":1}')),
        (HttpBody("text/plain", "b"), "a\nb", ("text/plain", "a\nb")),
        (HttpBody("application/xml", "b"), "<a/>", ("application/xml", "<a/>")),
        (HttpBody("application/octet-stream", "b", is_base64=True), "aGk=", ("application/octet-stream", "hi")),
        (HttpBody("*/*", "b"), {"a": 1}, ("application/json", '{"a":1}')),
        (HttpBody("*/*", "b"), "x", ("text/plain; charset=utf-8", "x")),
        (HttpBody("text/plain", "b"), 7, ("text/plain", "7")),
    ],
)  # fmt: skip
def test_a_whole_body_is_written_as_its_media_type(
    body: HttpBody, value: Any, expected: tuple[str, str]
) -> None:
    assert body_text(body, {"b": value}) == expected


def test_a_body_leaves_out_what_is_sent_elsewhere_and_renames_what_clashed() -> None:
    body = HttpBody("application/json", properties={"id_body": "id"}, is_open=True)
    parameters = (HttpParameter("id", "id", "path", "simple", False),)
    operation = HttpOperation("api", "PATCH", "/p/{id}", parameters, body)

    made = request_of(_BASE, operation, {"id": "1", "id_body": "2", "extra": [True]})

    assert (made.url, made.body) == ("http://127.0.0.1/p/1", b'{"id":"2","extra":[true]}')


def test_what_nobody_declared_is_not_sent_where_nothing_says_to_where() -> None:
    operation = HttpOperation("api", "GET", "/p")

    with pytest.raises(ArgumentError, match="no such parameter"):
        request_of(_BASE, operation, {"surprise": 1})
