"""The edit loop: a save is regenerated and told, a broken one leaves the last good output alone."""

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, TypeVar

import pytest
from toolfold.testing import assert_current

from tests.site.browser import started
from tests.support.projects import files_in
from tests.support.servers import Running, Stdio, free_port, post
from tests.support.waiting import PATIENCE

Started = TypeVar("Started", bound=Running)

MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1", implementation: "implementation:Tools"}
categories: {all: {title: All, description: Everything}}
include: [more/*.yaml]
overlays: [words.yaml]
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters: {query: {type: string, required: true}}
"""
MORE: Final = "tools:\n  show: {category: all, effect: read, summary: Show}\n"
WORDS: Final = "tools:\n  show: {description: Shows}\n"


@contextmanager
def toolfold(kind: type[Started], folder: Path, *arguments: str) -> Iterator[Started]:
    """A command that goes on until it is interrupted."""
    command = [sys.executable, "-m", "toolfold", *arguments]
    with kind(command, folder, PYTHONUNBUFFERED="1") as process:
        yield process
        process.process.send_signal(signal.SIGINT)


def save(path: Path, text: str) -> None:
    """As many editors save: a new file takes the place of the old one."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("tools", MANIFEST), ("more/one", MORE), ("words", WORDS)):
        save(tmp_path / f"{name}.yaml", text)
    return tmp_path


def test_every_save_is_regenerated_and_told_with_its_cost(project: Path) -> None:
    with toolfold(Running, project, "generate", "--watch") as process:
        out, err = process.out, process.err
        out.until("exposure: ")
        save(
            project / "tools.yaml", MANIFEST.replace("Find\n", "Find what was once written down\n")
        )
        manifest = out.until("exposure: ")
        save(project / "more/one.yaml", MORE.replace("Show", "Show everything there is"))
        included = out.until("exposure: ")
        save(project / "words.yaml", WORDS.replace("Shows", "Shows a thing in all its detail"))
        overlay = out.until("exposure: ")
        added = "tools:\n  look: {category: all, effect: read, summary: Look}\n"
        save(project / "more/two.yaml", added)
        new = out.until("exposure: ")
        err.until("    def look(self, params: LookParams)")

    assert manifest[0].startswith("generated/: ")
    assert any(line.startswith("  every tool listed: ") for line in manifest)
    assert any(line.startswith("  find: ") and line.endswith(" tokens") for line in manifest)
    assert any(line.startswith("  full: ") for line in included)
    assert any(line.startswith("  show: ") for line in overlay)
    assert any(line.startswith("  look: none → ") for line in new)
    assert (project / "generated/docs/tools/look.md").is_file()
    with (project / "implementation.py").open("a", encoding="utf-8") as implementation:
        implementation.write("    def look(self, params): ...\n")
    assert_current(project / "tools.yaml")


def test_a_broken_save_is_told_in_place_and_touches_nothing(project: Path) -> None:
    with toolfold(Running, project, "generate", "--watch") as process:
        out, err = process.out, process.err
        out.until("exposure: ")
        good = files_in(project / "generated")
        save(project / "tools.yaml", MANIFEST.replace("category: all", "category: al"))
        told = err.until("generated/: left as it was")
        during = files_in(project / "generated")
        save(project / "tools.yaml", MANIFEST + "  : [")
        syntax = err.until("generated/: left as it was")
        save(project / "tools.yaml", MANIFEST)
        out.until("exposure: ")

    assert told[0] == 'tools.yaml:8:15: tools.find.category: unknown category "al"'
    assert syntax[0].startswith("tools.yaml:12:")
    assert during == good
    assert files_in(project / "generated") == good


IMPLEMENTATION: Final = """\
class Tools:
    def find(self, params):
        return {"found": "ONE"}
    def show(self, params):
        return {}
"""


def found(server: Stdio, number: int) -> str:
    result = server.request(number, "tools/call", name="find", arguments={"query": "x"})
    text: str = result["content"][0]["text"]
    return text


def test_a_client_on_stdio_keeps_its_connection_over_restarts(project: Path) -> None:
    changed = '{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}'
    save(project / "implementation.py", IMPLEMENTATION)
    with toolfold(Stdio, project, "serve", "--reload") as server:
        first = found(server, 1)
        save(project / "implementation.py", IMPLEMENTATION.replace("ONE", "TWO"))
        server.out.until(changed)
        second = found(server, 2)
        save(project / "tools.yaml", MANIFEST.replace("Find\n", "Seek\n"))
        server.out.until(changed)
        listed = {tool["name"]: tool["description"] for tool in server.listed_tools()}
        third = found(server, 4)

    (hello,) = server.answers["hello"]
    promised = hello["result"]["capabilities"]
    assert promised["tools"]["listChanged"] is promised["resources"]["listChanged"] is True
    announced = {message["method"] for message in server.answers[None]}
    assert announced == {
        f"notifications/{kind}/list_changed" for kind in promised if "listChanged" in promised[kind]
    }
    assert [json.loads(text)["found"] for text in (first, second, third)] == ["ONE", "TWO", "TWO"]
    assert listed["find"] == "Seek"


def test_a_server_that_does_not_start_says_so_until_it_is_mended(project: Path) -> None:
    save(project / "implementation.py", IMPLEMENTATION)
    with toolfold(Stdio, project, "serve", "--reload") as server:
        save(project / "implementation.py", "raise ValueError('not yet')\n")
        server.err.until("restarted")
        server.send({"id": 1, "method": "tools/list"})
        (refused,) = server.wait(1)
        # Whatever else was saved with it.
        save(project / "tools.yaml", MANIFEST + "  : [")
        save(project / "implementation.py", IMPLEMENTATION)
        server.err.until("restarted")
        mended = found(server, 2)

    assert "see its log" in refused["error"]["message"]
    assert json.loads(mended)["found"] == "ONE"


def test_a_server_over_http_is_restarted(project: Path) -> None:
    port = free_port()
    params = {"name": "find", "arguments": {"query": "x"}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    save(project / "implementation.py", IMPLEMENTATION)
    served = ("serve", "--http", "--port", str(port), "--reload", "--log", "text")
    with toolfold(Running, project, *served) as process:
        err = process.err
        err.until("serving on http")
        first = post(port, call)
        save(project / "implementation.py", IMPLEMENTATION.replace("ONE", "TWO"))
        err.until("serving on http")
        second = post(port, call)

    assert "ONE" in first.body
    assert "TWO" in second.body


def test_a_preview_of_the_site_reloads_itself(project: Path) -> None:
    port = free_port()
    with (
        toolfold(Running, project, "docs", "serve", "--port", str(port)) as process,
        started() as browser,
    ):
        process.out.until("Serving")
        page = browser.new_page()
        page.set_default_timeout(PATIENCE * 1000)
        page.goto(f"http://127.0.0.1:{port}/tools/find.html")
        page.locator("html[data-news]").wait_for()
        save(project / "tools.yaml", MANIFEST.replace("category: all", "category: al"))
        process.err.until("generated/: left as it was")
        save(project / "tools.yaml", MANIFEST.replace("Find\n", "Seek\n"))
        page.get_by_text("Seek").first.wait_for()
