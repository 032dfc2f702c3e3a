"""Every page of the docs, and what makes a site of them, as data.

Pages of tools and of categories are made from a source each, which holds everything that is on
the page; the few others depend on the whole catalog.
"""

from collections.abc import Iterator, Mapping

from toolfold.plan.docs import category, tool
from toolfold.plan.docs.category import CategoryPageSource, category_page, category_page_sources
from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.home import home_page
from toolfold.plan.docs.reference import agents_page, tokens_page
from toolfold.plan.docs.site import llms_index, site_configuration, theme_files
from toolfold.plan.docs.tool import ToolPageSource, tool_page, tool_page_sources
from toolfold.plan.model import Page


def pages(facts: CatalogFacts) -> Iterator[Page]:
    """All pages: those of the whole catalog, then one per category and one per tool."""
    yield from catalog_pages(facts)
    yield from category_pages(category_page_sources(facts))
    yield from tool_pages(tool_page_sources(facts))


def catalog_pages(facts: CatalogFacts) -> Iterator[Page]:
    """The pages that depend on the whole catalog, and the files that make a site of the docs."""
    yield home_page(facts)
    yield agents_page(facts)
    yield tokens_page(facts)
    yield site_configuration(facts)
    yield from theme_files()
    yield llms_index(facts)


def category_pages(sources: Mapping[str, CategoryPageSource]) -> Iterator[Page]:
    """The pages of categories, from their sources by output path."""
    for path, source in sources.items():
        yield Page(path, category.TEMPLATE, category_page(source))


def tool_pages(sources: Mapping[str, ToolPageSource]) -> Iterator[Page]:
    """The pages of tools, from their sources by output path."""
    for path, source in sources.items():
        yield Page(path, tool.TEMPLATE, tool_page(source))
