"""What a site is told besides its pages: `site.json` of a generated project, or a file of one's own."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from toolfold.errors import UsageError

CONFIGURATION: Final = "site.json"


@dataclass(frozen=True)
class SiteOptions:
    """Title, looks and addresses of a site, and what its menu leads to."""

    title: str
    description: str
    url: str | None = None
    logo: str | None = None
    color: str | None = None
    repository: str | None = None
    edit_link: str | None = None
    #: Files and folders of own pages, below the folder of the manifest.
    pages: tuple[str, ...] = ()
    #: The categories in order: name, title and page.
    categories: tuple[tuple[str, str, str], ...] = ()
    #: Pages of reference that come last: path and title.
    reference: tuple[tuple[str, str], ...] = ()

    @property
    def base_path(self) -> str:
        """The path under which the site is published, as in `/docs/`."""
        path = (self.url or "").partition("://")[2].partition("/")[2]
        return f"/{path.rstrip('/')}/" if path.strip("/") else "/"

    def address(self, page: str) -> str:
        """Where a page is published; empty where the site has no address."""
        name = "" if page == "index.html" else page
        return f"{self.url.rstrip('/')}/{quote(name)}" if self.url else ""


def read_options(output: Path) -> SiteOptions:
    """The options that were generated below `output`; UsageError where there are none."""
    try:
        values: dict[str, Any] = json.loads((output / CONFIGURATION).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise UsageError(f"{output}/: no docs here; run `toolfold generate` first") from None
    return SiteOptions(
        values["title"],
        values["description"],
        url=values["url"],
        logo=values["logo"],
        color=values["color"],
        repository=values["repository"],
        edit_link=values["edit_link"],
        pages=tuple(values["pages"]),
        categories=tuple(
            (category["name"], category["title"], category["page"])
            for category in values["categories"]
        ),
        reference=tuple((path, title) for path, title in values["reference"]),
    )
