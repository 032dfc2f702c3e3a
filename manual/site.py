"""`make docs`: toolfold's own docs as a site, by the builder of `toolfold docs build`."""

import argparse
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from posixpath import dirname, join, normpath
from typing import Final

from toolfold.site.build import build_site
from toolfold.site.files import SiteSources
from toolfold.site.own_site import own_sources

from manual.pages import FOLDER

_DOCS: Final = FOLDER.parent
_COMMENT: Final = re.compile(r"^<!-- .*? -->\n+", re.MULTILINE)
_LINK: Final = re.compile(r"(?<!!)\[([^\]]+)\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)")


def own_docs(url: str | None = None) -> SiteSources:
    """What the site is made of; `url` is where it will be published."""
    sources = own_sources(_DOCS / "site.yaml")
    pages = {path: _published(path, text, sources.pages) for path, text in sources.pages.items()}
    return replace(sources, pages=pages, options=replace(sources.options, url=url))


def _published(path: str, text: str, pages: Mapping[str, str]) -> str:
    """A page without notes for whoever edits it, and without links that lead out of the site."""

    def inside(link: re.Match[str]) -> str:
        target = normpath(join(dirname(path), link[2]))
        return link[0] if target in pages else link[1]

    return _LINK.sub(inside, _COMMENT.sub("", text))


def main() -> int:
    """Build the site into `site/`."""
    parser = argparse.ArgumentParser(prog="python -m manual.site", description=__doc__)
    parser.add_argument("--url", help="where it will be published")
    options = parser.parse_args()
    root = _DOCS.parent
    site = build_site(own_docs(options.url or None), root / "site", root)
    print(f"site/: {site.pages} pages")
    return 0


if __name__ == "__main__":
    sys.exit(main())
