"""What a view was asked for, and what it shows beside its lines."""

from typing import Final, NamedTuple

from toolfold_runtime.contract.vocabulary import Detail, Format

from toolfold.plan.disclosure.inventory import InventoryFacts

#: What may be left out, in the order in which it is said.
_OMITTED: Final = ("servers", "workflows", "quick actions", "summaries", "tool names")
#: Views that are asked for because they are short.
_BARE: Final = ("counts", "hot", "names")


class ViewRequest(NamedTuple):
    """What was asked for, and which page of the answer this is."""

    detail: Detail
    category: str = ""
    format: Format = "json"
    page: int = 1
    pages: int = 1
    #: What a richer view would have shown.
    omitted: tuple[str, ...] = ()
    is_default: bool = False

    def at_page(self, page: int, pages: int) -> "ViewRequest":
        """The same request, for one of its pages."""
        return self._replace(page=page, pages=pages)

    def without(self, part: str) -> "ViewRequest":
        """The same request, which leaves a part out."""
        omitted = {*self.omitted, part}
        return self._replace(omitted=tuple(own for own in _OMITTED if own in omitted))

    def next_page(self, facts: InventoryFacts) -> str:
        """The call that gives the next page of the same view."""
        parts = [f'category="{self.category}"'] if self.category else []
        parts += [] if self.is_default else [f'detail="{self.detail}"']
        parts += [f'format="{self.format}"'] if self.format != facts.format else []
        return f"{facts.capabilities}({', '.join([*parts, f'page={self.page + 1}'])})"


def extras(facts: InventoryFacts, request: ViewRequest) -> list[str]:
    """What a view of all tools shows beside its lines; the first is the first to be left out."""
    is_bare = request.detail in _BARE and not (request.detail == "names" and request.is_default)
    if request.category or is_bare:
        return []
    given = {
        "servers": facts.servers if request.detail == "overview" else (),
        "workflows": facts.workflows,
        "quick actions": facts.quick_actions,
    }
    return [part for part, own in given.items() if own and part not in request.omitted]
