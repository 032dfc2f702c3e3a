"""What is wrong with a document and imported all the same: warnings of one kind grouped into one."""

from collections.abc import Collection, Iterator
from typing import Final

from toolfold.errors import Place, Problem, Source

_NAMED: Final = 3
_LONGEST: Final = 100
_MOST_KINDS: Final = 60


class Warnings:
    """Facts about a document, each with the places that it holds for."""

    def __init__(self) -> None:
        self._places: dict[str, dict[str, None]] = {}
        self._hints: dict[str, str] = {}

    def add(self, fact: str, where: str, hint: str = "") -> None:
        """Add a place to a fact; a place that is known already counts once."""
        self._places.setdefault(fact, {})[where] = None
        self._hints.setdefault(fact, hint)

    def add_all(self, others: "Warnings", without: Collection[str]) -> None:
        """Add what others say, but for some places."""
        for fact, places in others._places.items():
            for where in places:
                if where not in without:
                    self.add(fact, where, others._hints[fact])

    def problems(self, name: str) -> Iterator[Problem]:
        """A warning for each kind of fact, with the first of its places; `name` is the document's."""
        place = Place(Source(name, ""), 1, 1)
        for fact, places in list(self._places.items())[:_MOST_KINDS]:
            some = ", ".join(where[:_LONGEST] for where in list(places)[:_NAMED])
            more = f" and {len(places) - _NAMED:,} more" if len(places) > _NAMED else ""
            hint = self._hints[fact]
            yield Problem(place, "paths", f"{fact}: {some}{more}", hint, "warning", "openapi")
