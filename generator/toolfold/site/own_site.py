"""A site of Markdown alone: its title and its pages are in a file of their own, not in a manifest."""

from pathlib import Path
from typing import Final

from pydantic import Field, ValidationError

from toolfold.disk import read_file
from toolfold.errors import UsageError
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import Site
from toolfold.manifest.tree import plain
from toolfold.manifest.types import Line
from toolfold.site.files import SiteSources
from toolfold.site.options import SiteOptions
from toolfold.site.own_pages import read_own_pages

_MOST_BYTES: Final = 100_000
_HOME: Final = "index.md"


class OwnSite(Site):
    """A site without tools: the same options as in a manifest, its title, and what it is about."""

    title: Line = Field(description="The title of the site.")
    description: Line = Field(description="What it is about, for search engines.")


def own_sources(description: Path) -> SiteSources:
    """What a site is made of that a file describes; UsageError where file or pages are wrong.

    Paths are below the folder of the file. One of the pages must be `index.md`, which is the first.
    """
    try:
        tree = read_yaml(read_file(description, _MOST_BYTES), str(description))
    except OSError as error:
        raise UsageError(f"{description}: {error.strerror or error}") from None
    try:
        given = OwnSite.model_validate(plain(tree))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(f"{description}: {place}: {first['msg']}") from None
    values = given.model_dump()
    own_pages = read_own_pages(description.parent, values.pop("pages"))
    pages = {page.path: page.text for page in own_pages.pages}
    if _HOME not in pages:
        raise UsageError(f"{description}: pages: no {_HOME}, which is the first page")
    return SiteSources(description.parent, SiteOptions(**values, pages=()), pages, own_pages)
