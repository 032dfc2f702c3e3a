"""`toolfold docs serve`: tools are called from their pages, and for nobody else."""

import contextlib
import http.client
import json
import sys
from collections.abc import Iterator
from typing import Any, Final

import pytest
from playwright.sync_api import expect

from tests.site.browser import started
from tests.support.servers import Running, free_port

MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1", implementation: implementation:Demo}
site: {pages: [guides]}
categories: {all: {title: All}}
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters: {query: {type: string, required: true}, limit: {type: integer, default: 3}}
    returns: {type: object}
  drop: {category: all, effect: destructive, summary: Drop}
  sell: {category: all, effect: read, confirm: require, summary: Sell}
  echo:
    category: all
    effect: read
    summary: Echo
    input_schema:
      type: object
      properties:
        words: {type: string}
        day: {type: string, format: date}
        size: {anyOf: [{type: integer}, {type: "null"}]}
        sure: {type: [boolean, "null"]}
        kind: {$ref: "#/$defs/Kind"}
        people: {type: array, items: {type: object, properties: {name: {type: string}}}}
        either: {anyOf: [{type: integer}, {type: string}]}
        anything: true
        constructor: {type: object}
      $defs: {Kind: {enum: [note, 2]}}
"""
IMPLEMENTATION: Final = """\
class Demo:
    def find(self, params):
        return {"found": params.query.upper(), "limit": params.limit}

    def drop(self, params):
        return None

    def sell(self, params):
        return "sold"

    def echo(self, params):
        return params.model_dump(mode="json", by_alias=True, exclude_unset=True)
"""
PICTURE: Final = '<svg xmlns="http://www.w3.org/2000/svg"><script>window.hit = 1</script></svg>'


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a preview."""
    folder = tmp_path_factory.mktemp("preview")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "implementation.py").write_text(IMPLEMENTATION, encoding="utf-8")
    (folder / "guides").mkdir()
    (folder / "guides/index.md").write_text("# Guides\n\n![Dot](dot.svg)\n", encoding="utf-8")
    (folder / "guides/dot.svg").write_text(PICTURE, encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "toolfold", "docs", "serve", "--port", str(port)]
    with Running(command, folder, PYTHONUNBUFFERED="1") as process:
        process.out.until("Serving")
        yield port
        process.process.terminate()


def post(port: int, body: Any, **headers: str) -> tuple[int, Any]:
    """The status and the answer of a call; a text is sent as it is."""
    sent = body if isinstance(body, str) else json.dumps(body)
    given = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    ) as connection:
        connection.request("POST", "/-/call", sent, given)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())


def test_a_tool_is_called_and_its_answer_counted(port: int) -> None:
    status, answer = post(port, {"tool": "find", "arguments": {"query": "ada"}})

    assert status == 200
    assert json.loads(answer["text"]) == {"found": "ADA", "limit": 3}
    assert (answer["isError"], answer["tokens"] > 4, answer["ms"] > 0) == (False, True, True)


def test_what_changes_something_is_confirmed_first(port: int) -> None:
    refused = post(port, {"tool": "drop", "arguments": {}})
    done = post(port, {"tool": "drop", "arguments": {}, "confirmed": True})

    assert refused == (400, {"error": "drop may change something: confirm it"})
    assert (done[0], done[1]["isError"]) == (200, False)


def test_what_asks_its_user_is_run_once_confirmed(port: int) -> None:
    refused = post(port, {"tool": "sell", "arguments": {}})
    done = post(port, {"tool": "sell", "arguments": {}, "confirmed": True})

    assert refused == (400, {"error": "sell asks before it is run: confirm it"})
    assert (done[0], done[1]["text"], done[1]["isError"]) == (200, "sold", False)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": "https://example.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "example.com"}, 421),
        ({"Content_Type": "text/plain"}, 404),
    ],
)
def test_no_other_page_can_call(headers: dict[str, str], status: int, port: int) -> None:
    assert post(port, {"tool": "find", "arguments": {"query": "x"}}, **headers)[0] == status


@pytest.mark.parametrize(
    "body", ["[]", '{"tool": "find"}', '{"tool": "no", "arguments": {}}', "[" * 99_999]
)
def test_a_call_that_is_none_is_refused(body: str, port: int) -> None:
    assert post(port, body)[0] == 400


def test_nothing_that_is_written_in_a_picture_runs_beside_the_tools(port: int) -> None:
    with started() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/guides/dot.svg")
        assert page.evaluate("window.hit") is None
        framed = page.goto(f"http://127.0.0.1:{port}/guides/index.html")

    assert framed is not None
    assert "frame-ancestors 'none'" in framed.headers["content-security-policy"]


def test_a_form_is_made_from_the_schema(port: int) -> None:
    with started() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/tools/find.html")
        page.get_by_label("query").fill("grace")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("status")).to_contain_text("Answered in")
        expect(page.locator(".try code")).to_contain_text('"found": "GRACE"')
        page.goto(f"http://127.0.0.1:{port}/tools/drop.html")
        expect(page.get_by_text("this tool is destructive")).to_be_visible()


def test_a_form_has_a_field_for_every_kind_of_value(port: int) -> None:
    with started() as browser:
        page = browser.new_page()
        page.goto(f"http://127.0.0.1:{port}/tools/echo.html")
        page.get_by_label("words").fill("a b")
        page.get_by_label("day").fill("2026-01-31")
        page.get_by_label("size").fill("3")
        page.get_by_label("sure").select_option("false")
        page.get_by_label("kind").select_option("2")
        page.get_by_label("either").fill("x")
        page.get_by_label("anything").fill("[1]")
        page.get_by_label("people").fill("[{")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("status")).to_have_text("people: this is not JSON")
        page.get_by_label("people").fill('[{"name": "Ada"}]')
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("status")).to_contain_text("Answered in")
        answer = json.loads(page.locator(".try code").inner_text())

    assert answer == {
        "words": "a b",
        "day": "2026-01-31",
        "size": 3,
        "sure": False,
        "kind": 2,
        "people": [{"name": "Ada"}],
        "either": "x",
        "anything": [1],
    }
