"""The tools of a site, as its menu, its search and its pages name them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import STUB_DETAIL
from toolfold_runtime.errors import StartError

from toolfold.errors import UsageError
from toolfold.plan.docs.links import tool_page_path


class SiteTool(NamedTuple):
    """A tool of the catalog."""

    name: str
    #: The Markdown of its page, from the root of the docs.
    page: str
    category: str
    effect: str
    summary: str
    description: str
    parameters: tuple[str, ...]
    input_schema: Json
    output_schema: Json | None
    #: The function that it is in programs, as Python; empty where there are none.
    stub: str = ""


def catalogs_of(output: Path) -> list[Catalog]:
    """The catalogs below `output`; UsageError where there is none."""
    folders = sorted(path.parent for path in output.glob(f"*/catalog/{files.SERVER}"))
    if not folders:
        raise UsageError(f"{output}/: no generated server here; run `toolfold generate` first")
    return [Catalog(folder, folder.parent.name) for folder in folders]


def site_tools(catalogs: Sequence[Catalog]) -> list[SiteTool]:
    """Every tool, in the order of views."""
    try:
        return [tool for catalog in catalogs for tool in _tools(catalog)]
    except StartError as error:
        raise UsageError(str(error)) from None


def _tools(catalog: Catalog) -> Iterator[SiteTool]:
    for summary in catalog.summaries():
        listed = catalog.entry(summary.name).definition.listed()
        yield SiteTool(
            summary.name,
            tool_page_path(summary.name),
            summary.category,
            summary.effect,
            summary.description,
            listed.get("description") or "",
            tuple(summary.params),
            listed["inputSchema"],
            listed.get("outputSchema"),
            catalog.details(summary.name, STUB_DETAIL) if catalog.facts.program_tools else "",
        )
