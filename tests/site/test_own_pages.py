"""Pages of one's own in a site, and a site of nothing else; where it is published, and how it looks."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.site.material import built, check_links
from tests.support.commands import toolfold_process

MANIFEST: Final = """\
toolfold: 1
server: {name: demo, version: "1", title: Demo, description: Finds things}
site:
  url: https://example.com/docs/demo/
  logo: art/logo.svg
  color: "#ffcc00"
  repository: https://example.com/source
  edit_link: "https://example.com/edit/{path}"
  pages: [manual/start.md, manual/guides]
categories: {all: {title: All}}
tools: {find: {category: all, effect: read, summary: Find}}
"""
START: Final = "# Start here\n\nSee [more](guides/more.md#deep) and [a tool](tools/find.md).\n"
MORE: Final = """\
# More

![A picture](../../art/shot.png)

**Python**

```python
print("<one>")  # a comment
```

**Shell**

```console
$ echo one
```

## Deep

- **`key`** `str` *required*

    What it is.

    - **`inner`** `int` · default `3`

        1. one
        2. two

    - **`other`** `int`
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose site was built."""
    folder = tmp_path_factory.mktemp("own")
    write(folder, "tools.yaml", MANIFEST)
    write(folder, "art/logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    write(folder, "manual/start.md", START)
    write(folder, "manual/guides/more.md", MORE.replace("../../art/", ""))
    write(folder, "manual/guides/shot.png", "not really")
    built(folder)
    return folder


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def page(folder: Path, name: str) -> str:
    return (folder / "site" / name).read_text(encoding="utf-8")


def test_own_pages_stand_beside_the_generated_ones(folder: Path) -> None:
    start, more = page(folder, "start.html"), page(folder, "guides/more.html")

    assert check_links(folder / "site", base="/docs/demo/").broken == []
    assert 'href="guides/more.html#deep"' in start
    assert '<p class="group">Guides</p>' in start
    assert '<a href="start.html" aria-current="page">Start here</a>' in start
    assert "https://example.com/edit/manual/guides/more.md" in more
    assert (folder / "site/guides/shot.png").is_file()
    assert "[Start here](start.md)" in page(folder, "llms.txt")
    assert "Start here" in page(folder, "assets/search-index.js")


def test_a_folder_is_listed_below_the_headings_of_its_index(tmp_path: Path) -> None:
    write(tmp_path, "site.yaml", "title: Demo\ndescription: Mine\npages: [index.md, guides]\n")
    write(tmp_path, "index.md", "# Demo\n")
    index = "# Guides\n\n[Last](c.md)\n\n## Basics\n\n- [Two](b.md)\n- [One](a.md)\n\n## Deep <down>\n\n- [Four](d.md)\n"
    write(tmp_path, "guides/index.md", index)
    for name in "abcde":
        write(tmp_path, f"guides/{name}.md", f"# Page {name}\n")
    done = toolfold_process(tmp_path, "docs", "build", "--pages", "site.yaml")
    assert done.code == 0, done.text
    menu = (tmp_path / "site" / "guides" / "a.html").read_text(encoding="utf-8")
    listed = re.findall(
        r'<li class="part">([^<]*)|<a href="\.\./guides/(\w+)\.html"', menu.partition("</nav>")[0]
    )

    assert [heading or page for heading, page in listed] == [
        *("index", "c", "Basics", "b", "a", "Deep &lt;down&gt;", "d", "e")
    ]


def test_titles_in_bold_make_tabs_and_fields_fold(folder: Path) -> None:
    more = page(folder, "guides/more.html")

    assert more.count('<input type="radio"') == 2
    assert '<span class="s">"&lt;one&gt;"</span>' in more
    assert '<ul class="fields">' in more
    assert '<details class="nested"><summary>2 fields</summary><ul class="fields">' in more


def test_addresses_are_those_where_it_is_published(folder: Path) -> None:
    home, missing = page(folder, "index.html"), page(folder, "404.html")

    assert "<title>Demo - Finds things</title>" in home
    assert '<link rel="canonical" href="https://example.com/docs/demo/">' in home
    assert '<meta property="og:description" content="Finds things">' in home
    assert '<img src="assets/logo.svg"' in home
    assert 'href="/docs/demo/assets/site.css"' in missing
    assert 'href="/docs/demo/tools/find.html"' in missing
    assert "aria-current" not in missing
    assert "<loc>https://example.com/docs/demo/tools/find.html</loc>" in page(folder, "sitemap.xml")
    # Readable on white, whatever colour was asked for.
    assert "light-dark(#ffcc00" not in page(folder, "assets/site.css")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("manual/guides]", "manual/none]", "no such file or folder"),
        ("art/logo.svg", "art/none.svg", "site.logo: art/none.svg: no picture below"),
        ("art/logo.svg", "outside/logo.svg", "site.logo: outside/logo.svg: no picture below"),
        ("manual/start.md", "../start.md", "is not below"),
        ("manual/start.md", "outside/start.md", "is not below"),
        ("manual/start.md", "manual/404.md", "404.html is a file of the site already"),
        ("manual/guides]", "odd]", "no name of a page has a '\"'; rename it"),
    ],
)
def test_what_is_not_there_is_named(
    old: str, new: str, said: str, folder: Path, tmp_path: Path
) -> None:
    write(tmp_path, "start.md", START)
    write(tmp_path, "logo.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
    write(folder, "manual/404.md", "# Not there\n")
    write(folder, 'odd/"><img src=x onerror=hit()>.md', "# Odd\n")
    (folder / "outside").unlink(missing_ok=True)
    (folder / "outside").symlink_to(tmp_path)
    write(folder, "tools.yaml", MANIFEST.replace(old, new))
    assert toolfold_process(folder, "generate", "-q").code == 0
    done = toolfold_process(folder, "docs", "build", "--site", "other")

    assert done.code == 2
    assert said in done.err


def test_a_link_to_nowhere_is_refused(folder: Path) -> None:
    write(folder, "tools.yaml", MANIFEST)
    write(folder, "manual/start.md", "# Start\n\n[gone](gone.md)\n")
    assert toolfold_process(folder, "generate", "-q").code == 0
    done = toolfold_process(folder, "docs", "build", "--site", "other")

    assert done.code == 2
    assert "manual/start.md: a link to gone.md, which is no page of the site" in done.err


def test_a_site_of_pages_alone_needs_no_manifest(tmp_path: Path) -> None:
    write(tmp_path, "docs/site.yaml", "title: Own\ndescription: Mine\npages: [index.md, guides]\n")
    write(tmp_path, "docs/index.md", "# Own\n\nSee [it](guides/one.md).\n")
    write(tmp_path, "docs/guides/one.md", "# One\n\nBack to [home](../index.md).\n")
    done = toolfold_process(
        tmp_path, "docs", "build", "--pages", "docs/site.yaml", "--url", "https://example.com/x"
    )
    refused = toolfold_process(
        tmp_path, "docs", "build", "--pages", "docs/site.yaml", "--url", "javascript:alert(1)"
    )

    assert (done.code, done.out) == (0, "docs/site/: 2 pages\n"), done.text
    assert check_links(tmp_path / "docs/site", base="/x/").broken == []
    assert 'href="/x/assets/site.css"' in (tmp_path / "docs/site/404.html").read_text("utf-8")
    assert refused.code == 2
    assert "not an http or https address" in refused.err
