"""The site as people meet it: in a browser, with a keyboard, in the dark, on a phone."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser, expect

from tests.clients.node import INSTALLED
from tests.site.browser import started
from tests.site.material import ask, built, check_links, served, visiting

ROOT: Final = Path(__file__).parents[2]
KINDS: Final = ("index.html", "categories/query.html", "tools/tana_create.html")
PHONE: Final = {"viewport": {"width": 390, "height": 844}}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tana")
    shutil.copy(ROOT / "tools.yaml", folder)
    return built(folder)


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


def test_every_page_loads_without_a_complaint_and_without_another_host(
    site: Path, base: str, browser: Browser
) -> None:
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    with visiting(base, browser) as visit:
        for page in pages:
            visit.open(page)

    assert len(pages) == 23
    assert visit.complaints == []


def test_no_link_is_broken_and_no_page_is_an_orphan(site: Path) -> None:
    found = check_links(site)

    assert found.broken == []
    assert found.orphans == []
    assert {link.partition(":")[0] for link in found.elsewhere} == {"cursor", "vscode"}


def test_search_finds_a_tool(base: str, browser: Browser) -> None:
    with visiting(base, browser) as visit:
        page = visit.open("index.html")
        ask(page, "semantic similarity")
        page.locator("#search-0 a[href*='tana_semantic_search']").wait_for()
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("tana_semantic_search")

    assert visit.complaints == []


def test_dark_mode_follows_the_system_and_can_be_switched(base: str, browser: Browser) -> None:
    with visiting(base, browser, color_scheme="dark") as visit:
        page = visit.open("tools/tana_create.html")
        dark = background(page)
        page.get_by_role("button", name="Switch between light and dark").click()
        expect(page.locator("html")).to_have_attribute("data-theme", "light")
        light = background(page)
        page = visit.open("index.html")
        assert (background(page), light != dark) == (light, True)

    assert visit.complaints == []


def background(page: Any) -> str:
    colour: str = page.evaluate("getComputedStyle(document.body).backgroundColor")
    return colour


@pytest.mark.parametrize("path", KINDS)
def test_nothing_is_wider_than_a_phone(path: str, base: str, browser: Browser) -> None:
    with visiting(base, browser, **PHONE) as visit:
        page = visit.open(path)
        widths = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")

    assert widths[0] <= widths[1]


def test_the_menu_of_a_phone_leads_to_every_category(base: str, browser: Browser) -> None:
    with visiting(base, browser, **PHONE) as visit:
        page = visit.open("index.html")
        page.get_by_role("button", name="Menu").click()
        page.locator("nav.side").get_by_role("link", name="Query").click()
        expect(page.locator("h1")).to_contain_text("Query")


def test_the_menu_stays_where_a_long_page_is_scrolled(base: str, browser: Browser) -> None:
    with visiting(base, browser, viewport={"width": 1440, "height": 900}) as visit:
        page = visit.open("tools/tana_create.html")
        page.evaluate("scrollTo({top: document.body.scrollHeight, behavior: 'instant'})")

        expect(page.locator(".side [aria-current]")).to_be_in_viewport()


def test_the_keyboard_alone_reaches_content_pictures_and_search(
    base: str, browser: Browser
) -> None:
    with visiting(base, browser) as visit:
        page = visit.open("index.html")
        page.keyboard.press("Tab")
        first = page.evaluate("document.activeElement.textContent.trim()")
        page.keyboard.press("Enter")
        for _ in range(80):
            page.keyboard.press("Tab")
            name = page.evaluate("document.activeElement.className.split(' ')[0]")
            if name == "tf-figure":
                break
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        expect(page.locator("h1")).to_contain_text("tana_search")

    assert first == "Skip to content"
    assert name == "tf-figure"
    assert visit.complaints == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", KINDS)
def test_axe_finds_nothing_serious(path: str, scheme: Any, base: str, browser: Browser) -> None:
    axe = (INSTALLED / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    with visiting(base, browser, color_scheme=scheme) as visit:
        page = visit.open(path)
        page.evaluate(axe)
        found = page.evaluate("axe.run().then(answer => answer.violations)")

    serious = [one for one in found if one["impact"] in ("serious", "critical")]
    assert [(one["id"], one["nodes"][0]["html"][:200]) for one in serious] == []


def test_pictures_and_texts_need_no_script(base: str, browser: Browser) -> None:
    with visiting(base, browser, java_script_enabled=False) as visit:
        page = visit.open("index.html")
        pictures = page.locator("figure.tf-figure svg")
        boxes = [pictures.nth(at).bounding_box() for at in range(pictures.count())]
        titles = page.locator("figure.tf-figure svg > title").all_text_contents()
        expect(page.locator("#workflows")).to_be_visible()

    assert [box is not None and box["width"] > 300 for box in boxes] == [True]
    assert titles == ["The tools of each workflow, in order"]


def test_code_can_be_copied(base: str, browser: Browser) -> None:
    allowed = ["clipboard-read", "clipboard-write"]
    with visiting(base, browser, permissions=allowed) as visit:
        page = visit.open("index.html")
        button = page.locator(".code button").first
        button.click()
        copied = page.evaluate("navigator.clipboard.readText()")

    assert copied.strip().startswith("claude mcp add tana --env PYTHONPATH=")
