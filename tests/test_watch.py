"""The edit loop: a save is regenerated and told, a broken one leaves the last good output alone."""

import json
import os
import queue
import signal
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Final

import pytest
from playwright.sync_api import Page
from playwright.sync_api import TimeoutError as NotShown
from toolfold.testing import assert_current

from tests.site.browser import started

_SECONDS: Final = 60  # that nothing takes; what hangs fails
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


class Lines:
    """The lines of a stream as they come."""

    def __init__(self, stream: IO[str]) -> None:
        self._lines: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, args=(stream,), daemon=True).start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            self._lines.put(line.rstrip("\n"))
        self._lines.put(None)

    def until(self, start: str) -> list[str]:
        """Everything up to the first line that starts so."""
        seen: list[str] = []
        while not seen or not seen[-1].startswith(start):
            line = self._lines.get(timeout=_SECONDS)
            assert line is not None, f"ended before {start!r}: {seen}"
            seen.append(line)
        return seen


@contextmanager
def toolfold(folder: Path, *arguments: str) -> Iterator["subprocess.Popen[str]"]:
    process = subprocess.Popen(
        [sys.executable, "-m", "toolfold", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=_SECONDS)


def save(path: Path, text: str) -> None:
    """As many editors save: a new file takes the place of the old one."""
    path.parent.mkdir(exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(text, encoding="utf-8")
    new.replace(path)


def outputs(folder: Path) -> dict[str, bytes]:
    files = [path for path in (folder / "generated").rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in (("tools", MANIFEST), ("more/one", MORE), ("words", WORDS)):
        save(tmp_path / f"{name}.yaml", text)
    return tmp_path


def test_every_save_is_regenerated_and_told_with_its_cost(project: Path) -> None:
    with toolfold(project, "generate", "--watch") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = Lines(process.stdout), Lines(process.stderr)
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
    assert_current(project / "tools.yaml")


def test_a_broken_save_is_told_in_place_and_touches_nothing(project: Path) -> None:
    with toolfold(project, "generate", "--watch") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = Lines(process.stdout), Lines(process.stderr)
        out.until("exposure: ")
        good = outputs(project)
        save(project / "tools.yaml", MANIFEST.replace("category: all", "category: al"))
        told = err.until("generated/: left as it was")
        during = outputs(project)
        save(project / "tools.yaml", MANIFEST + "  : [")
        syntax = err.until("generated/: left as it was")
        save(project / "tools.yaml", MANIFEST)
        out.until("exposure: ")

    assert told[0] == 'tools.yaml:8:15: tools.find.category: unknown category "al"'
    assert syntax[0].startswith("tools.yaml:12:")
    assert during == good
    assert outputs(project) == good


IMPLEMENTATION: Final = """\
class Tools:
    def find(self, params):
        return {"found": "ONE"}
    def show(self, params):
        return {}
"""


def ask(process: "subprocess.Popen[str]", number: int, method: str, **params: Any) -> None:
    assert process.stdin is not None
    message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
    process.stdin.write(json.dumps(message) + "\n")
    process.stdin.flush()


def answered(out: Lines, number: int) -> Any:
    message = json.loads(out.until(f'{{"jsonrpc": "2.0", "id": {number},')[-1])
    return message["result"]


def greet(process: "subprocess.Popen[str]", out: Lines) -> Any:
    client = {"name": "test", "version": "1"}
    given = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    ask(process, 0, "initialize", **given)
    answer = answered(out, 0)
    assert process.stdin is not None
    process.stdin.write('{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
    process.stdin.flush()
    return answer


def found(process: "subprocess.Popen[str]", out: Lines, number: int) -> str:
    ask(process, number, "tools/call", name="find", arguments={"query": "x"})
    text: str = answered(out, number)["content"][0]["text"]
    return text


def test_a_client_on_stdio_keeps_its_connection_over_restarts(project: Path) -> None:
    changed = '{"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}'
    save(project / "implementation.py", IMPLEMENTATION)
    with toolfold(project, "serve", "--reload") as process:
        assert process.stdout is not None
        out = Lines(process.stdout)
        hello = greet(process, out)
        first = found(process, out, 1)
        save(project / "implementation.py", IMPLEMENTATION.replace("ONE", "TWO"))
        out.until(changed)
        second = found(process, out, 2)
        save(project / "tools.yaml", MANIFEST.replace("Find\n", "Seek\n"))
        out.until(changed)
        ask(process, 3, "tools/list")
        listed = {tool["name"]: tool["description"] for tool in answered(out, 3)["tools"]}
        third = found(process, out, 4)

    assert hello["capabilities"]["tools"]["listChanged"] is True
    assert [json.loads(text)["found"] for text in (first, second, third)] == ["ONE", "TWO", "TWO"]
    assert listed["find"] == "Seek"


def test_a_server_that_does_not_start_says_so_until_it_is_mended(project: Path) -> None:
    save(project / "implementation.py", IMPLEMENTATION)
    with toolfold(project, "serve", "--reload") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = Lines(process.stdout), Lines(process.stderr)
        greet(process, out)
        save(project / "implementation.py", "raise ValueError('not yet')\n")
        err.until("restarted")
        ask(process, 1, "tools/list")
        refused = json.loads(out.until('{"jsonrpc": "2.0", "id": 1,')[-1])
        save(project / "implementation.py", IMPLEMENTATION)
        err.until("restarted")
        mended = found(process, out, 2)

    assert "see its log" in refused["error"]["message"]
    assert json.loads(mended)["found"] == "ONE"


def test_a_server_over_http_is_restarted(project: Path) -> None:
    port = free_port()
    save(project / "implementation.py", IMPLEMENTATION)
    served = ("serve", "--http", "--port", str(port), "--reload", "--log", "text")
    with toolfold(project, *served) as process:
        assert process.stderr is not None
        err = Lines(process.stderr)
        err.until("serving on http")
        first = over_http(port)
        save(project / "implementation.py", IMPLEMENTATION.replace("ONE", "TWO"))
        err.until("serving on http")
        second = over_http(port)

    assert "ONE" in first
    assert "TWO" in second


def test_a_preview_of_the_site_reloads_itself(project: Path) -> None:
    port = free_port()
    with toolfold(project, "docs", "serve", "--port", str(port)) as process, started() as browser:
        assert process.stdout is not None
        assert process.stderr is not None
        out, err = Lines(process.stdout), Lines(process.stderr)
        out.until("Serving")
        err.until("No issues found")
        page = browser.new_page()
        with page.expect_console_message(lambda said: said.text.startswith("Connected to ")):
            page.goto(f"http://127.0.0.1:{port}/tools/find.html")
        save(project / "tools.yaml", MANIFEST.replace("category: all", "category: al"))
        err.until("generated/: left as it was")
        assert any(shows_itself(page, project, word) for word in ("Seek", "Look", "Hunt"))


def shows_itself(page: Page, project: Path, word: str) -> bool:
    """Whether the page shows a word that was just saved.

    On a busy machine the builder may tell a page to reload before it has written it; then the
    next save brings both.
    """
    save(project / "tools.yaml", MANIFEST.replace("Find\n", f"{word}\n"))
    try:
        page.get_by_text(word).first.wait_for(timeout=20_000)
    except NotShown:
        return False
    return True


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def over_http(port: int) -> str:
    call = {"name": "find", "arguments": {"query": "x"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/mcp",
        json.dumps(message).encode(),
        {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2025-06-18",
        },
    )
    with urllib.request.urlopen(request, timeout=_SECONDS) as answer:
        text: str = answer.read().decode()
        return text
