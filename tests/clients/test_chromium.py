"""The TypeScript client in a page of another origin, in a real browser."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from tests.callers.material import VERIFIER, token_of
from tests.clients.node import packages
from tests.site.browser import started
from tests.site.material import served
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening, listening_with_verifier
from tests.support.waiting import PATIENCE

Json = dict[str, Any]

PAGE: Final = Path(__file__).parent / "browser.html"
TOOLS: Final = {
    "count": {
        "category": "all",
        "effect": "read",
        "summary": "Count and say how far it is",
        "parameters": {"to": {"type": "integer", "required": True}},
        "returns": {"type": "object", "properties": {"counted": {"type": "integer"}}},
    }
}
IMPLEMENTATION: Final = """
from toolfold_runtime import progress


class Tools:
    def count(self, params):
        for number in range(1, params.to + 1):
            progress(number, params.to, f"step {number}")
        return {"counted": params.to}
"""
STEPS: Final = [[1, 3, "step 1"], [2, 3, "step 2"], [3, 3, "step 3"]]
MODES: Final = {"legacy": "2025-11-25", "auto": "2026-07-28"}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = served_by(tmp_path_factory.mktemp("counting"), TOOLS, IMPLEMENTATION)
    (made.folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """Where pages come from; every name that ends with .localhost is an origin of its own."""
    folder = tmp_path_factory.mktemp("page")
    shutil.copy(PAGE, folder / "index.html")
    (folder / "node_modules").symlink_to(packages())
    with served(folder) as address:
        yield int(address.rstrip("/").rsplit(":", 1)[1])


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


def opened(browser: Browser, port: int, name: str) -> Page:
    """The page, as that origin serves it, once it can be asked."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE * 1000)
    page.goto(f"http://{name}.localhost:{port}/")
    page.wait_for_function("window.post")
    return page


def session(page: Page, server: Listening, mode: str = "auto", **headers: str) -> Json:
    asked = {"url": server.url, "mode": mode, "headers": headers}
    seen: Json = page.evaluate("session", asked | {"calls": {"count": ["count", {"to": 3}]}})
    return seen


@pytest.mark.parametrize("mode", MODES)
def test_a_page_of_an_allowed_origin_lists_calls_and_follows_progress(
    mode: str, project: Project, browser: Browser, port: int
) -> None:
    with listening(project, "--allow-origin", f"http://app.localhost:{port}") as server:
        seen = session(opened(browser, port, "app"), server, mode)

    assert "error" not in seen, seen
    assert seen["protocol"] == MODES[mode]
    assert "count" in seen["tools"]
    assert seen["answers"]["count"]["structuredContent"] == {"counted": 3}
    assert seen["progress"]["count"] == STEPS


def test_a_page_of_another_origin_learns_nothing(
    project: Project, browser: Browser, port: int
) -> None:
    with listening(project, "--allow-origin", f"http://app.localhost:{port}") as server:
        seen = session(opened(browser, port, "other"), server)

    assert "Failed to fetch" in seen["error"]
    assert "tools" not in seen


def test_a_page_can_read_that_it_needs_a_token_and_send_one(
    project: Project, browser: Browser, port: int
) -> None:
    origin = f"http://app.localhost:{port}"
    with listening_with_verifier(project, "--allow-origin", origin) as server:
        page = opened(browser, port, "app")
        refused: Json = page.evaluate("post", server.url)
        known = session(page, server, Authorization=f"Bearer {token_of()}")

    assert refused["status"] == 401
    assert refused["challenge"].startswith("Bearer ")
    assert known["answers"]["count"]["structuredContent"] == {"counted": 3}
