"""The shape of what a manifest says about the site of its docs."""

from typing import Annotated

from pydantic import Field

from toolfold.manifest.types import Colour, HttpAddress, Line, ManifestModel

Page = Annotated[Line, Field(max_length=400)]


class Site(ManifestModel):
    """The site that `toolfold docs build` makes of the docs."""

    url: HttpAddress | None = Field(
        default=None,
        description="Where it is published; addresses in its sitemap and its 404 page begin with it.",
        examples=["https://example.com/docs/"],
    )
    logo: Line | None = Field(
        default=None,
        description="A picture beside the manifest: svg, png, webp or ico.",
        examples=["docs/logo.svg"],
    )
    color: Colour | None = Field(
        default=None, description="The colour of links and buttons.", examples=["#2f5bd0"]
    )
    repository: HttpAddress | None = Field(
        default=None,
        description="Where the source is; every page links to it.",
        examples=["https://example.com/shop"],
    )
    edit_link: HttpAddress | None = Field(
        default=None,
        description="Where a page of your own can be edited; {path} is its path.",
        examples=["https://example.com/shop/edit/main/{path}"],
    )
    pages: list[Page] = Field(
        default=[],
        description=(
            "Pages of your own: Markdown files, and folders of them, which are sections;"
            " in this order, before the tools."
        ),
        examples=[["docs/start.md", "docs/guides"]],
    )
