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
categories: {all: {title: All}}
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters: {query: {type: string, required: true}, limit: {type: integer, default: 3}}
    returns: {type: object}
  drop: {category: all, effect: destructive, summary: Drop}
"""
IMPLEMENTATION: Final = """\
class Demo:
    def find(self, params):
        return {"found": params.query.upper(), "limit": params.limit}

    def drop(self, params):
        return None
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The port of a preview."""
    folder = tmp_path_factory.mktemp("preview")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    (folder / "implementation.py").write_text(IMPLEMENTATION, encoding="utf-8")
    port = free_port()
    command = [sys.executable, "-m", "toolfold", "docs", "serve", "--port", str(port)]
    with Running(command, folder, PYTHONUNBUFFERED="1") as process:
        process.out.until("Serving")
        yield port
        process.process.terminate()


def post(port: int, body: Any, **headers: str) -> tuple[int, Any]:
    """The status and the answer of a call."""
    given = {"Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    with contextlib.closing(
        http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    ) as connection:
        connection.request("POST", "/-/call", json.dumps(body), given)
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

    assert refused == (400, {"error": "drop may change something: confirm it first"})
    assert (done[0], done[1]["isError"]) == (200, False)


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


@pytest.mark.parametrize("body", [[], {"tool": "find"}, {"tool": "no", "arguments": {}}])
def test_a_call_that_is_none_is_refused(body: Any, port: int) -> None:
    assert post(port, body)[0] == 400


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
