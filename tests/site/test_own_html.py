"""What somebody writes in a page of their own only shows something."""

import re

import pytest
from toolfold.site.markdown import for_agents, rendered_page

ALIVE = re.compile(
    r"<(script|img|iframe|style|svg)|<[^>]*\son\w+=|<[^>]*javascript:", re.IGNORECASE
)


def html_of(text: str) -> str:
    return rendered_page(text, is_own=True).html


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "# Title <script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<div>\n<img src=x onerror=alert(1)>\n</div>",
        "- item\n\n  <svg onload=alert(1)>",
        "| a |\n| --- |\n| <img src=x onerror=alert(1)> |",
        "<div>\\<script>alert(1)</script>",
        "<!--> <script>alert(1)</script> -->",
        "<br onmouseover=alert(1)>",
        # What a tag hid from Markdown was code without it, and the other way round.
        "  <script>\n  ```\n  </script>\n\n  ```\n  <img src=x onerror=alert(1)>\n  ```",
        "[x](javascript:alert(1)) <JavaScript:alert(1)>",
        "[x](<java&#115;cript:alert(1)>)",
        "[x][y]\n\n[y]: javascript:alert(1)",
        "![p](https://other.example/p.png) ![p](//other.example/p.png)",
        "[![p](https://other.example/p.png)](https://other.example)",
    ],
)
def test_nothing_runs_and_nothing_is_fetched_from_elsewhere(text: str) -> None:
    assert not ALIVE.search(html_of(text))


def test_tags_are_shown_and_code_stays_as_it_is() -> None:
    page = html_of("Write <b>so</b> or `<b>`.\n\n- x\n\n  ```\n  <b>\n  ```\n")

    assert "Write &lt;b&gt;so&lt;/b&gt; or <code>&lt;b&gt;</code>." in page
    assert page.count("&lt;b&gt;") == 3
    assert "&amp;lt;" not in page


def test_harmless_tags_work_and_comments_are_left_out() -> None:
    page = html_of("Press <kbd>é</kbd><br>here.<!-- why -->\n\n<!-- two\nlines -->\n")

    assert page == "<p>Press <kbd>é</kbd><br>here.</p>\n"


def test_agents_read_markdown_without_tags_comments_and_entities() -> None:
    page = "# A&amp;B\n\nPress <kbd>Ctrl</kbd><!-- why --> or <b>so</b>, `<b>`.\n"

    assert for_agents(page, is_own=True) == ("# A\\&B\n\nPress Ctrl or \\<b>so\\</b>, `<b>`.\n")


def test_links_and_pictures_of_the_site_are_left_alone() -> None:
    page = html_of("[a](b.md#c) [d](https://e.example/) [m](mailto:a@b.example) ![p](q.png)")

    assert '<a href="b.html#c">a</a> <a href="https://e.example/">d</a>' in page
    assert '<a href="mailto:a@b.example">m</a> <img src="q.png" alt="p" />' in page
