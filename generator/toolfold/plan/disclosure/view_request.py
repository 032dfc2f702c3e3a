"""The request for a view, and what the view shows beside its lines."""

from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Detail, Format

from toolfold.plan.disclosure.inventory import InventoryFacts

#: The parts that may be left out, in the order in which a note names them.
_OMITTED: Final = (
    "popular tools",
    "server counts",
    "servers",
    "workflows",
    "quick actions",
    "summaries",
    "tool names",
)
#: Parts whose omission is not noted if the note alone would exceed the budget.
ASIDES: Final = ("popular tools", "server counts")
#: Views without extras, as agents ask for them because they are short.
_BARE: Final = ("counts", "hot", "names")


class ViewRequest(NamedTuple):
    """The parameters of a view, and the number of this page."""

    detail: Detail
    category: str = ""
    format: Format = "json"
    page: int = 1
    pages: int = 1
    #: The parts that were left out to fit, which the view names.
    omitted: tuple[str, ...] = ()
    is_default: bool = False
    #: The parts that were left out and are not named.
    unsaid: tuple[str, ...] = ()

    def at_page(self, page: int, pages: int) -> "ViewRequest":
        """The same request, for one of its pages."""
        return self._replace(page=page, pages=pages)

    def without(self, part: str) -> "ViewRequest":
        """The same request, which leaves a part out."""
        omitted = {*self.omitted, part}
        return self._replace(omitted=tuple(extra for extra in _OMITTED if extra in omitted))

    def silently_without(self, part: str) -> "ViewRequest":
        """The same request without a part, and without a note that it is missing."""
        return self._replace(unsaid=(*self.unsaid, part))

    def next_page(self, facts: InventoryFacts) -> str:
        """The call that gives the next page of the same view."""
        parts = [f'category="{self.category}"'] if self.category else []
        parts += [] if self.is_default else [f'detail="{self.detail}"']
        parts += [f'format="{self.format}"'] if self.format != facts.format else []
        return f"{facts.capabilities}({', '.join([*parts, f'page={self.page + 1}'])})"


def extras(facts: InventoryFacts, request: ViewRequest) -> list[str]:
    """The extras that a view of all tools shows beside its lines, in the order of omission."""
    is_bare = request.detail in _BARE and not (request.detail == "names" and request.is_default)
    if request.category or is_bare:
        return []
    is_overview = request.detail == "overview"
    given = {
        "popular tools": is_overview and facts.has_popular,
        "server counts": is_overview and facts.has_server_counts,
        "servers": facts.servers if is_overview else (),
        "workflows": facts.workflows,
        "quick actions": facts.quick_actions,
    }
    left_out = {*request.omitted, *request.unsaid}
    return [part for part, is_there in given.items() if is_there and part not in left_out]
