"""Pages fit every screen, light and dark, and are accessible; on the large site a sample of them."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, Page

from bench.catalogs import CATALOGS
from tests.site.browser import started
from tests.site.looks import looked_at, spread
from tests.site.material import built, check_links, served, visiting
from tests.site.search_questions import lacking, names_asked, summaries_asked
from tests.support.commands import must
from tests.support.projects import ROOT

PAGES: Final = ("index.html", "categories/query.html", "tools/tana_create.html", "tokens.html")
MANY: Final = 40


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def tana(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tana")
    shutil.copy(ROOT / "tools.yaml", folder)
    return built(folder)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of 1,641 real tools."""
    folder = tmp_path_factory.mktemp("large")
    must(folder, "toolfold", "import", "tools", str(CATALOGS / "mcp-servers.json"))
    return built(folder)


def test_pages_fit_and_are_accessible_in_three_widths_and_two_schemes(
    tana: Path, browser: Browser
) -> None:
    assert list(looked_at(tana, browser, PAGES)) == []


@pytest.mark.long
def test_every_page_of_a_small_site_does(tana: Path, browser: Browser) -> None:
    assert list(looked_at(tana, browser, spread(tana, 1000))) == []


@pytest.mark.long
def test_pages_of_a_large_site_do_and_no_link_is_broken(large: Path, browser: Browser) -> None:
    assert list(looked_at(large, browser, spread(large, MANY))) == []
    found = check_links(large)
    assert (found.broken, found.orphans) == ([], [])


@pytest.mark.long
def test_no_page_of_a_large_site_lacks_a_parameter(large: Path) -> None:
    assert lacking(large) == []


@pytest.mark.long
def test_search_on_a_large_site_finds_names_first_and_summaries_among_five(
    large: Path, browser: Browser
) -> None:
    with served(large) as base, visiting(base, browser) as visit:
        page = visit.open("index.html")
        open_search(page)
        names = sum(found(page, name)[0] == name for name in names_asked(large))
        five = sum(name in found(page, words)[:5] for words, name in summaries_asked(large))

    assert names >= 99
    assert five >= 85


def open_search(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.get_by_text("Type a name, or what you want to do.").wait_for()


def found(page: Page, query: str) -> list[str]:
    rows: list[Any] = page.evaluate("query => window.toolfold.find(query)", query)
    return [row[0] for row in rows]


def test_search_works_from_a_disk(tana: Path, browser: Browser) -> None:
    page = browser.new_page()
    page.goto((tana / "tools" / "tana_sync.html").as_uri())
    open_search(page)
    misspelt = [
        found(page, query)[0] for query in ("serach", "taged", "semantik serch", "transscript")
    ]
    page.keyboard.type("tana_node")
    page.keyboard.press("Enter")
    page.wait_for_url("**/tools/tana_node.html")
    page.close()

    assert misspelt[0].endswith("_search")
    assert misspelt[1:3] == ["tana_tagged", "tana_semantic_search"]
    assert "transcript" in misspelt[3]


def test_a_large_category_is_filtered_by_text_effect_and_tag(
    tmp_path: Path, browser: Browser
) -> None:
    lines = [
        f"  {'abc'[number % 3]}_{number}: {{category: all, effect: {('read', 'write')[number % 2]},"
        f" summary: Number {number}, tags: [{('odd', 'even')[number % 2 == 0]}]}}\n"
        for number in range(40)
    ]
    head = 'toolfold: 1\nserver: {name: demo, version: "1"}\ncategories: {all: {}}\ntools:\n'
    (tmp_path / "tools.yaml").write_text(head + "".join(lines), encoding="utf-8")
    with served(built(tmp_path)) as base, visiting(base, browser) as visit:
        page = visit.open("categories/all.html")
        shown = page.locator(".tools > li:visible")
        everything = shown.count()
        page.get_by_label("Any effect").select_option("write")
        written = shown.count()
        page.get_by_label("Any tag").select_option("even")
        neither = shown.count()
        page.get_by_label("Any tag").select_option("")
        page.get_by_label("Filter these tools").fill("number 17")
        one = shown.count()

    assert (everything, written, neither, one) == (40, 20, 0, 1)
