"""The page to watch, in a browser: whole, quiet, in the dark, on a phone, and for hostile names."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser
from toolfold_runtime.api.chart import Bar, chart

from tests.site.browser import started
from tests.support.servers import Listening


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.mark.parametrize("path", ["/", "/api/v1"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_page_loads_without_a_complaint_and_fits_a_phone(
    path: str, scheme: Any, api: Listening, browser: Browser
) -> None:
    complaints: list[str] = []
    base = api.url.removesuffix("/mcp")
    page = browser.new_page(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on(
        "request",
        lambda request: (
            None if request.url.startswith((base, "data:")) else complaints.append(request.url)
        ),
    )
    page.goto(f"{base}{path}")
    width = page.evaluate("document.documentElement.scrollWidth")
    background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.close()

    assert complaints == []
    assert width <= 390
    assert (background == "rgb(255, 255, 255)") == (scheme == "light")


def test_the_page_shows_tiers_servers_and_caches_and_no_markup_of_names(
    api: Listening, browser: Browser
) -> None:
    page = browser.new_page()
    page.goto(api.url.removesuffix("/mcp"))
    text = page.inner_text("body")
    scripts = page.locator("script").count()
    page.close()

    assert "Shop <b>&amp;" in text
    assert "find_order" in text
    assert "Tools by tier" in text
    assert "other" in text
    assert "T0 hot" in text
    assert scripts == 0


def test_calls_of_a_quiet_day_are_seen_behind_its_failures() -> None:
    quiet = Bar("Monday", "", (("calls", 30), ("failures", 1)))
    busy = Bar("Tuesday", "", (("calls", 100_000), ("failures", 0)))
    picture = chart("Calls", [quiet, busy], "100,000")
    heights = re.findall(r'class="(\w+)"[^>]* height="([\d.]+)"', picture)

    assert [kind for kind, _ in heights] == ["calls", "failures", "calls"]
    assert float(heights[0][1]) > float(heights[1][1])
