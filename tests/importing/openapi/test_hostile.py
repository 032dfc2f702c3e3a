"""Documents that mean harm, or are broken: refused with a place, or imported with a warning; never a crash."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from toolfold.manifest.load import load

from tests.importing.openapi.answering import Answer, answering
from tests.importing.openapi.material import (
    data_of,
    document,
    import_openapi,
    imported,
    only,
    operation,
    warned,
    with_body,
    write,
)
from tests.support.commands import toolfold
from tests.support.projects import Json

MARKUP: Final = "'''\"\"\"{{ x }}{% y %}<script>alert(1)</script>`${HOME}`\n# heading\u202e\u200b"


def _nested(depth: int) -> str:
    return '{"openapi": "3.0.0", "paths": ' + '{"a": ' * depth + "1" + "}" * depth + "}"


def _laughs() -> str:
    lines = ["openapi: 3.0.0", "paths: {}", "a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, 10):
        repeated = ", ".join([f"*a{level - 1}"] * 10)
        lines.append(f"a{level}: &a{level} [{repeated}]")
    return "\n".join(lines)


REFUSED: Final[dict[str, tuple[bytes, str]]] = {
    "nothing": (b"", "not an OpenAPI document"),
    "a list": (b"[]", "its root is no mapping"),
    "another kind of document": (b'{"tools": []}', 'neither "openapi" nor "swagger"'),
    "a version that is not known": (b'{"openapi": "4.0", "paths": {}}', "OpenAPI 4.0 is not known"),
    "operations in another file": (
        b'{"openapi": "3.0.0", "paths": {"/a": {"$ref": "a.yaml"}}}',
        "not followed: a.yaml; bundle its files into one document first",
    ),
    "webhooks alone": (
        b'{"openapi": "3.1.0", "webhooks": {"a": {"post": {}}}}',
        "webhooks are requests that the API sends, not tools",
    ),
    "no operations": (b'{"openapi": "3.0.0", "paths": {}}', "it has no operations"),
    "paths that are none": (b'{"openapi": "3.0.0", "paths": []}', '"paths" are no mapping'),
    "bytes that are no text": (b'{"openapi": "3.0.0"\xff}', "x.json:1:20: byte 0xff is not UTF-8"),
    "JSON that ends early": (b'{"openapi": "3.0.0",', "x.json:1:21: not JSON"),
    "YAML that is none": (b"openapi: 3.0.0\npaths: [}", "x.json:2:9: not YAML"),
    "a depth of 100,000": (_nested(100_000).encode(), "nested too deeply"),
    "a depth of 100,000 in YAML": (
        b"paths: " + b"[" * 100_000,
        "nested more than 200 levels deep",
    ),
    "a billion laughs": (_laughs().encode(), "aliases stand for more than 500,000 values"),
    "an alias without an anchor": (b"openapi: *a", "alias *a has no anchor"),
    "50 MB": (b'{"openapi": "3.0.0"}' + b" " * 50_000_000, "more than 33,554,432 bytes"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_document_is_refused(case: str, tmp_path: Path) -> None:
    data, message = REFUSED[case]
    (tmp_path / "x.json").write_bytes(data)
    done = import_openapi(tmp_path, "x.json")

    assert (done.code, message in done.err) == (2, True), done.err[:500]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.json"]


WARNED: Final[dict[str, tuple[Json, str]]] = {
    "a reference to a file": (
        with_body({"$ref": "file:///etc/passwd"}),
        "references that leave the document are not followed: file:///etc/passwd",
    ),
    "a reference to a server": (
        with_body({"$ref": "http://169.254.169.254/latest"}),
        "references that leave the document are not followed: http://169.254.169.254/latest",
    ),
    "an operation that is none": (
        document({"/a": {"get": 5, "put": {}}}),
        "operations that are no mappings are left out: GET /a",
    ),
    "a method that nobody knows": (
        document({"/a": {"get": {}, "fetch": {}, "x-internal": True}}),
        "methods that are not known are left out: fetch /a",
    ),
    "a path that is elsewhere": (
        document({"/a": {"get": {}}, "/b": {"$ref": "b.yaml"}}),
        "paths without operations are left out: /b",
    ),
    "a parameter that is none": (
        operation(parameters=[5, {"in": "nowhere", "name": "x"}]),
        "parameters without a place and a name on one line are left out: POST /things",
    ),
    "the same operationId twice": (
        document({"/a": {"get": {"operationId": "x"}, "put": {"operationId": "x"}}}),
        "an operationId twice: the second is called by method and path: PUT /a",
    ),
}


@pytest.mark.parametrize("case", WARNED)
def test_what_is_wrong_is_imported_with_a_warning(case: str) -> None:
    given, message = WARNED[case]

    assert message in warned(given)
    assert data_of(given)["tools"]


def test_references_that_multiply_are_written_once_each() -> None:
    schemas: Json = {"A0": {"type": "string"}}
    for number in range(1, 60):
        pair = {key: {"$ref": f"#/components/schemas/A{number - 1}"} for key in ("a", "b")}
        schemas[f"A{number}"] = {"type": "object", "properties": pair}
    given = with_body(
        {"type": "array", "items": {"$ref": "#/components/schemas/A59"}},
        components={"schemas": schemas},
    )

    assert len(data_of(given)["$defs"]) == 60


def test_references_that_multiply_are_shown_within_the_budget(tmp_path: Path) -> None:
    schemas: Json = {"A0": {"type": "string", "description": "x" * 500}}
    for number in range(1, 40):
        names = [f"p{index}" for index in range(8)]
        pair = {name: {"$ref": f"#/components/schemas/A{number - 1}"} for name in names}
        schemas[f"A{number}"] = {"type": "object", "properties": pair}
    body = {"type": "array", "items": {"$ref": "#/components/schemas/A39"}}
    imported(tmp_path, with_body(body, components={"schemas": schemas}))
    done = toolfold(tmp_path, "generate")

    assert done.code == 0, done.text


def test_texts_become_no_code_and_no_markup(tmp_path: Path) -> None:
    given = document(
        {
            "/a/{../../x}": {
                "get": {
                    "operationId": MARKUP,
                    "summary": MARKUP,
                    "description": MARKUP,
                    "tags": [MARKUP, "../../etc"],
                    "parameters": [
                        {"name": MARKUP, "in": "query", "description": MARKUP, "schema": {}}
                    ],
                    "responses": {
                        "200": {
                            "content": {
                                "application/json": {
                                    "schema": {"type": "object", "properties": {MARKUP: {}}}
                                }
                            }
                        },
                        "404": {"description": MARKUP},
                    },
                    "externalDocs": {"url": "javascript:alert(1)", "description": MARKUP},
                }
            }
        },
        tags=[{"name": MARKUP, "description": MARKUP}],
        servers=[{"url": "javascript:alert(1)"}],
    )
    done = imported(tmp_path, given)
    assert "hidden" in done.err
    generated = toolfold(tmp_path, "generate")

    assert generated.code == 0, generated.text
    assert not [path for path in tmp_path.rglob("*") if "etc" in path.name]
    pages = [path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.md")]
    assert pages
    assert not any("<script>" in page for page in pages)


def test_keys_that_are_no_text_are_text(tmp_path: Path) -> None:
    text = """
openapi: 3.0.0
? [complex]
: x
on: yes
paths:
  /a:
    get:
      operationId: find
      responses:
        200: {description: ok, content: {application/json: {schema: {type: string, enum: [=, no]}}}}
        404: {description: Nobody is there}
"""
    (tmp_path / "x.yaml").write_text(text, encoding="utf-8")
    done = import_openapi(tmp_path, "x.yaml")

    assert done.code == 0, done.text
    (tool,) = load(tmp_path / "tools.yaml").manifest.tools.values()
    assert tool.answer_schema == {"type": "string", "enum": ["=", "no"]}
    assert tool.backend is not None
    assert tool.backend.answer is not None
    assert tool.backend.answer.errors == {"404": "Nobody is there"}


@pytest.mark.parametrize("text", ["\t\n        Find", "Find\u2028it", "Find\x85it"])
def test_yaml_is_read_by_the_rules_of_1_2(text: str, tmp_path: Path) -> None:
    start = "openapi: 3.0.0\npaths:\n  /a:\n    get:\n      summary: |-\n        "
    (tmp_path / "x.yaml").write_bytes(f"{start}{text}\n".encode())

    assert import_openapi(tmp_path, "x.yaml").code == 0


def test_numbers_that_json_does_not_have_are_left_out(tmp_path: Path) -> None:
    text = json.dumps(with_body({"type": "array", "items": {}, "default": float("nan")}))
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    done = import_openapi(tmp_path, "x.json")

    assert done.code == 0, done.text
    assert "numbers that JSON does not have are left out: NaN" in done.err


def test_halves_of_characters_are_marked(tmp_path: Path) -> None:
    given = operation(summary="half \ud800 of one")
    (tmp_path / "x.json").write_text(json.dumps(given), encoding="utf-8")

    assert import_openapi(tmp_path, "x.json").code == 0
    (tool,) = load(tmp_path / "tools.yaml").manifest.tools.values()
    assert tool.summary == "half \ufffd of one"


def test_a_path_of_several_lines_is_imported(tmp_path: Path) -> None:
    given = write(tmp_path, document({"/a\r\nhost: evil": {"get": {"operationId": "look"}}}))

    assert import_openapi(tmp_path, given).code == 0
    assert "\r" not in (tmp_path / "servers/shop.yaml").read_text(encoding="utf-8")


def test_a_path_keeps_to_itself() -> None:
    paths: Json = {"//evil.example.com/x": {}, "/a b\\c#fragment": {}, "relative?fixed=1": {}}
    entries = data_of(document({path: {"get": {}} for path in paths}))["tools"].values()

    assert [entry["backend"]["operation"] for entry in entries] == [
        "GET //evil.example.com/x",
        "GET /a%20b%5Cc",
        "GET /relative?fixed=1",
    ]


FETCHED: Final[dict[str, tuple[Answer, str]]] = {
    "another origin": (
        Answer(status=302, headers={"Location": "http://localhost:1/x.json"}),
        "a redirect to another origin, http://localhost:1/x.json",
    ),
    "a file": (
        Answer(status=302, headers={"Location": "file:///etc/passwd"}),
        "a redirect to another origin, file:///etc/passwd",
    ),
    "itself": (Answer(status=302, headers={"Location": "/x.json"}), "more than 5 redirects"),
    "an error": (Answer(b"{}", 500), "HTTP 500, and no document"),
    "40 MB": (Answer(b" " * 40_000_000), "more than 33,554,432 bytes"),
}


@pytest.mark.parametrize("case", FETCHED)
def test_what_an_address_answers_besides_a_document_is_refused(case: str, tmp_path: Path) -> None:
    answer, message = FETCHED[case]
    with answering({"/x.json": answer}) as address:
        done = import_openapi(tmp_path, f"{address}/x.json")

    assert (done.code, message in done.err) == (2, True), done.err
    assert list(tmp_path.iterdir()) == []


def test_a_redirect_within_the_origin_is_followed(tmp_path: Path) -> None:
    there = Answer(status=301, headers={"Location": "/v2/shop.json"})
    found = Answer(json.dumps(operation()).encode())
    with answering({"/shop.json": there, "/v2/shop.json": found}) as address:
        assert import_openapi(tmp_path, f"{address}/shop.json").code == 0


@pytest.mark.parametrize("part", ["user:password@", ""])
def test_an_address_with_a_secret_is_not_written_down(part: str, tmp_path: Path) -> None:
    query = "" if part else "?token=sk-live-4242abcd4242abcd"
    with answering({f"/shop.json{query}": Answer(json.dumps(operation()).encode())}) as address:
        source = f"{address.replace('://', f'://{part}')}/shop.json{query}"
        done = import_openapi(tmp_path, source)

    assert done.code == 2
    assert "save the document in a file" in done.err
    assert list(tmp_path.iterdir()) == []


def test_whatever_a_key_holds_nothing_crashes() -> None:
    values: list[Any] = [None, True, 5, "x", [], [5], {}, {"x": 5}]
    keys = [
        *("operationId", "summary", "tags", "parameters", "requestBody", "responses", "security"),
        *("deprecated", "externalDocs", "servers", "description"),
    ]
    for key in keys:
        for value in values:
            assert only(operation(**{key: value}))


def test_whatever_a_document_holds_nothing_crashes() -> None:
    values: list[Any] = [None, True, 5, "x", [], [5], {}, {"x": 5}, {"x": {}}]
    for key in ("info", "servers", "tags", "components", "security", "definitions", "host"):
        for value in values:
            for version in ("2.0", "3.0.0", "3.1.0"):
                given = {**document({"/a": {"get": {}}}, version), key: value}
                assert data_of(given)["tools"]


def test_whatever_a_schema_holds_nothing_crashes() -> None:
    values: list[Any] = [None, True, 5, -1.5, "x", "(", [], [5], [{}], {}, {"x": 5}, {"x": {}}]
    keys = [
        *("type", "enum", "const", "minimum", "exclusiveMinimum", "maxLength", "pattern"),
        *("properties", "required", "additionalProperties", "items", "allOf", "oneOf", "not"),
        *("nullable", "default", "format", "description", "$ref", "prefixItems", "if"),
        *("patternProperties", "unevaluatedProperties", "readOnly", "example", "$defs"),
    ]
    for key in keys:
        for value in values:
            for version in ("3.0.0", "3.1.0"):
                entry = only(with_body({"type": "object", key: value}, version=version))
                assert yaml.safe_load(json.dumps(entry)) == entry
