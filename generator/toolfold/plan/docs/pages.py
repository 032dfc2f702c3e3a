"""The pages of the docs that depend on the whole catalog, and the files that make a site of them."""

from collections.abc import Iterator

from toolfold.plan.docs.facts import CatalogFacts
from toolfold.plan.docs.home import home_page
from toolfold.plan.docs.reference import agents_page, tokens_page
from toolfold.plan.docs.site import llms_index, site_configuration
from toolfold.plan.model import Page


def catalog_pages(facts: CatalogFacts) -> Iterator[Page]:
    """Every page but those of single categories and tools."""
    yield home_page(facts)
    yield agents_page(facts)
    yield tokens_page(facts)
    yield site_configuration(facts)
    yield llms_index(facts)
