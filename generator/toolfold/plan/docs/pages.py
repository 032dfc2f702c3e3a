"""Every page of the docs, the site's configuration and its index, in the order of reading."""

from collections.abc import Iterator

from toolfold.plan.docs.category import category_page_of
from toolfold.plan.docs.facts import Documented
from toolfold.plan.docs.home import home
from toolfold.plan.docs.reference import agents_page, tokens_page
from toolfold.plan.docs.site import configuration, llms, looks
from toolfold.plan.docs.tool import tool_page_of
from toolfold.plan.model import PagePlan


def pages(facts: Documented) -> Iterator[PagePlan]:
    """The index, the reference, a page per category and per tool; then what makes it a site."""
    yield home(facts)
    yield agents_page(facts)
    yield tokens_page(facts)
    for category in facts.categories:
        yield category_page_of(category, facts)
    for tool in facts.tools:
        yield tool_page_of(tool, facts)
    yield configuration(facts)
    yield from looks()
    yield llms(facts)
