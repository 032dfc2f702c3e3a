"""Views in pages of a token budget: as much as fits, and how to get the next page."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Detail, Format

from toolfold.plan.disclosure.inventory import InventoryFacts, ToolLine
from toolfold.plan.disclosure.render import Lines, render_view
from toolfold.plan.disclosure.tokens import LONGEST_TOKEN, count
from toolfold.plan.disclosure.view_request import ASIDES, ViewRequest, extras

_SAMPLE: Final = 50
_MANY: Final = 999  # pages: a mark of this length is the longest that occurs


class ViewSource(NamedTuple):
    """A view to be written: what was asked for, its lines, and the tokens of one page."""

    request: ViewRequest
    lines: Lines
    budget: int


class InventoryPage(NamedTuple):
    """One page of a view, what it costs, and what it is found by."""

    detail: Detail
    format: Format
    page: int
    pages: int
    tokens: int
    text: str


#: All pages of a view.
ViewPages = tuple[InventoryPage, ...]


def paginate(source: ViewSource, facts: InventoryFacts) -> ViewPages:
    """A view in pages within its budget; a line larger than that gets a page of its own."""
    page = on_one_page(source, facts)
    if page is not None:
        return (page,)
    request = _for_pages(source, facts)
    parts = _split(source._replace(request=request), facts)
    numbered = enumerate(parts, start=1)
    return tuple(_page(request.at_page(n, len(parts)), part, facts) for n, part in numbered)


def on_one_page(source: ViewSource, facts: InventoryFacts) -> InventoryPage | None:
    """A view on one page; None if that exceeds the budget and the view has several lines.

    A long view omits popular tools, counts of and by server, its workflows, then its quick actions,
    before it is split.
    """
    if _is_surely_too_long(source):
        return None
    request = source.request
    page = _page(request, source.lines, facts)
    for leaner in _leaner(facts, request):
        if page.tokens <= source.budget:
            break
        page = _page(leaner, source.lines, facts)
    return page if page.tokens <= source.budget or len(source.lines) <= 1 else None


def _leaner(facts: InventoryFacts, request: ViewRequest) -> Iterator[ViewRequest]:
    """The same request with one more part left out each time."""
    for part in extras(facts, request):
        yield request.without(part)
        # To say that these are missing is not worth the loss of anything else.
        is_aside = part in ASIDES
        request = request.silently_without(part) if is_aside else request.without(part)
        if is_aside:
            yield request


def _for_pages(source: ViewSource, facts: InventoryFacts) -> ViewRequest:
    """The request for a view in pages: no extras but quick actions, if a line fits beside them."""
    request = source.request
    for part in extras(facts, request):
        first = render_view(facts, request.at_page(1, _MANY), source.lines[:1])
        if part != "quick actions" or count(first) > source.budget:
            request = request.without(part)
    return request


def _is_surely_too_long(source: ViewSource) -> bool:
    """Whether the summaries alone exceed the budget, found out without rendering the view."""
    summaries = sum(len(line.summary) for line in source.lines if isinstance(line, ToolLine))
    return len(source.lines) > 1 and summaries > source.budget * LONGEST_TOKEN


def _page(request: ViewRequest, lines: Lines, facts: InventoryFacts) -> InventoryPage:
    text = render_view(facts, request, lines)
    return InventoryPage(
        request.detail, request.format, request.page, request.pages, count(text), text
    )


def _split(source: ViewSource, facts: InventoryFacts) -> list[Lines]:
    """The lines of each page: as many as the last page suggests, fewer until the count fits."""
    parts: list[Lines] = []
    start = 0
    lines, budget = source.lines, source.budget
    later, first = source.request.at_page(2, _MANY), source.request.at_page(1, _MANY)
    sample = lines[:_SAMPLE]
    size = max(1, len(sample) * budget // count(render_view(facts, later, sample)))
    while start < len(lines):
        request = later if parts else first
        while True:
            part = lines[start : start + size]
            tokens = count(render_view(facts, request, part))
            if tokens <= budget or len(part) == 1:
                break
            size = max(1, min(len(part) - 1, len(part) * budget // tokens))
        parts.append(part)
        start += len(part)
        size = max(1, len(part) * budget // max(1, tokens))
    return parts
