"""toolfold's own docs as a site: every link leads somewhere, and every page can be read."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from playwright.sync_api import Browser
from toolfold.site.build import build_site

from manual.site import own_docs
from tests.clients.node import INSTALLED
from tests.site.browser import started
from tests.site.material import check_links, served, visiting

#: Those that are made of the most different parts.
KINDS: Final = ("index.html", "tutorial/first-server.html", "reference/manifest-tools.html")
WIDTHS: Final = (390, 820, 1440)
SCHEMES: Final = ("light", "dark")
# Elements that reach beyond the window, or hide what is in them; what scrolls by itself may.
CLIPPED: Final = """
() => [...document.querySelectorAll("main *")].filter((element) => {
  if (element.closest("pre, .table, .tf-figure, svg, .tabs > input")) return false;
  const style = getComputedStyle(element);
  const hides = ["hidden", "clip"].includes(style.overflowX) && element.scrollWidth > element.clientWidth + 1;
  return element.offsetWidth && (hides || element.getBoundingClientRect().right > innerWidth + 1);
}).map((element) => element.outerHTML.slice(0, 100))
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    return build_site(own_docs(), folder / "site", folder).folder


@pytest.fixture(scope="module")
def base(site: Path) -> Iterator[str]:
    with served(site) as address:
        yield address


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


def test_every_page_of_the_docs_is_in_the_site_and_every_link_leads_somewhere(site: Path) -> None:
    found = check_links(site)

    assert found.broken == []
    assert found.orphans == []
    assert found.pages > 35


def test_notes_for_authors_are_not_published(site: Path) -> None:
    pages = [path.read_text(encoding="utf-8") for path in site.rglob("*.md")]

    assert not any("<!--" in page for page in pages)


def test_the_menu_has_how_to_pages_in_the_order_of_their_overview(site: Path) -> None:
    page = (site / "index.html").read_text(encoding="utf-8")
    menu = page.partition('id="page.menu"')[2].partition("</nav>")[0]
    names = ("how-to/index", "how-to/manifest", "how-to/class", "how-to/search", "how-to/upgrade")
    places = [menu.index(f'href="{name}.html"') for name in names]

    assert places == sorted(places)
    assert "Assets" not in menu


@pytest.mark.parametrize("scheme", SCHEMES)
def test_different_pages_can_be_read_on_a_phone(base: str, browser: Browser, scheme: Any) -> None:
    assert complaints(KINDS, base, browser, 390, scheme) == []


@pytest.mark.long
@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_every_page_can_be_read(
    site: Path, base: str, browser: Browser, width: int, scheme: Any
) -> None:
    pages = [path.relative_to(site).as_posix() for path in sorted(site.rglob("*.html"))]
    pages.remove("404.html")

    assert complaints(pages, base, browser, width, scheme) == []


def complaints(pages: Any, base: str, browser: Browser, width: int, scheme: Any) -> list[str]:
    """What is wrong with pages at a width: scrolling, clipping, errors, hosts, accessibility."""
    axe = (INSTALLED / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    found = []
    size: Any = {"width": width, "height": 900}
    with visiting(base, browser, viewport=size, color_scheme=scheme) as visit:
        for path in pages:
            page = visit.open(path)
            if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
                found.append(f"{path}: scrolls sideways")
            found += [f"{path}: clipped: {one}" for one in page.evaluate(CLIPPED)]
            page.evaluate(axe)
            for one in page.evaluate("axe.run().then(answer => answer.violations)"):
                if one["impact"] in ("serious", "critical"):
                    found.append(f"{path}: {one['id']}: {one['nodes'][0]['html'][:100]}")
        found += visit.complaints
    return found


def test_a_published_site_knows_its_address(tmp_path: Path) -> None:
    site = build_site(own_docs("https://example.com/toolfold/"), tmp_path / "site", tmp_path).folder
    page = "https://example.com/toolfold/how-to/class.html"

    assert f"<loc>{page}</loc>" in (site / "sitemap.xml").read_text(encoding="utf-8")
    assert f'rel="canonical" href="{page}"' in (site / "how-to/class.html").read_text("utf-8")
