"""Every nasty text in every place of a manifest, in the finished site: shown, and inert."""

import json
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser

from tests.security.material import NASTY, as_yaml, collapsed, hostile_tool, line_of, printable
from tests.site.browser import started
from tests.site.material import ask, built, check_links, pages_of, served, visiting

_UNREADABLE: Final = frozenset(chr(code) for code in (*range(9), 11, 12, *range(14, 32), 127))
MARKUP: Final = (
    "<script>window.hit=1</script>",
    '<img src=x onerror="window.hit=1">',
    "<svg/onload=window.hit=1>",
    "[x](javascript:window.hit=1)",
    "</title><script>window.hit=1</script>",
    '"><script>window.hit=1</script>',
    "{{ 7 * 7 }}{% raw %}",
)


def acceptable() -> list[str]:
    texts = [text for text in (*MARKUP, *NASTY) if not set(text) & _UNREADABLE]
    return [text for text in texts if printable(text) and len(text) < 2000]


def manifest() -> dict[str, Any]:
    """A category and a tool for each text, which is all that either says."""
    tools, categories = {}, {}
    for number, text in enumerate(acceptable()):
        categories[f"c{number}"] = {"title": line_of(text), "description": text}
        tool = hostile_tool(lambda text=text: text)  # type: ignore[misc]  # bound now
        for key in ("choice", "fixed", "shared"):
            tool["parameters"].pop(key)
        tools[f"t{number}"] = tool | {"category": f"c{number}"}
    lines = cycle(line_of(text) for text in MARKUP)
    return {
        "toolfold": 1,
        "server": {"name": "hostile", "version": "1", "title": MARKUP[4], "description": MARKUP[0]},
        "disclosure": {"quick_actions": {MARKUP[1]: "t0"}},
        "categories": categories,
        "tools": tools,
        "workflows": [{"name": next(lines), "steps": ["t0", "t1"]} for _ in MARKUP],
    }


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile")
    (folder / "tools.yaml").write_text(as_yaml(manifest()), encoding="utf-8", newline="\n")
    return built(folder)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


def test_no_text_becomes_a_script_a_handler_or_a_link(site: Path) -> None:
    pages = pages_of(site)
    scripts = {page.scripts for page in pages.values()}
    found = check_links(site, pages)

    assert len(pages) > 200
    assert scripts == {1}, "a page has a script that others have not"
    assert [page.handlers for page in pages.values() if page.handlers] == []
    assert found.broken == []
    other = {link for link in found.elsewhere if not link.startswith(("cursor:", "vscode:"))}
    assert other == {"https://example.com/a_b?c=%28d%29&e=*f*"}


@pytest.mark.long
def test_markup_is_shown_as_text_and_nothing_runs(site: Path, browser: Browser) -> None:
    with served(site) as base, visiting(base, browser) as visit:
        shown = {}
        for number, text in enumerate(MARKUP):
            page = visit.open(f"categories/c{number}.html")
            shown[text] = page.locator("h1").inner_text().strip()
            assert page.evaluate("window.hit") is None
            assert page.title().startswith(f"{collapsed(text)} - ")
            visit.open(f"tools/t{number}.html")
            assert page.evaluate("window.hit") is None
        page = visit.open("index.html")
        title = page.title()
        ask(page, "script window.hit")
        page.locator(".search mark").first.wait_for()
        hit = page.evaluate("window.hit")

    assert shown == {text: collapsed(text) for text in MARKUP}
    assert MARKUP[4] in title
    assert hit is None
    assert visit.complaints == []


def test_what_programs_read_is_what_the_manifest_says(site: Path) -> None:
    catalog = json.loads((site / "catalog.json").read_text(encoding="utf-8"))
    described = {tool["name"]: tool["description"] for tool in catalog["tools"]}

    assert described == {f"t{number}": text for number, text in enumerate(acceptable())}
