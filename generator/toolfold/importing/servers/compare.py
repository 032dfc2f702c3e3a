"""Comparing the tools of a server with what was imported from it, in lines that a person can read."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.upstream.pins import difference, digest

_MOST_TOOLS: Final = 40
_MOST_LINES: Final = 400
_LONGEST_NAME: Final = 100


class Comparison(NamedTuple):
    """The differences between two lists of tools, by the names that the server gives them."""

    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: dict[str, str]

    @property
    def is_same(self) -> bool:
        """Whether both sides have the same definitions."""
        return not (self.added or self.removed or self.changed)

    def counts(self) -> str:
        """How many tools differ, by kind; empty where none does."""
        numbers = {
            "changed": len(self.changed),
            "added": len(self.added),
            "removed": len(self.removed),
        }
        return ", ".join(f"{number} {kind}" for kind, number in numbers.items() if number)

    def lines(self) -> Iterator[str]:
        """The differences in lines: one for each tool, more for changed ones; only the first of many."""
        lines = [f"+ {_short(name)}" for name in self.added[:_MOST_TOOLS]]
        lines += _more(len(self.added), "added")
        lines += [f"- {_short(name)}" for name in self.removed[:_MOST_TOOLS]]
        lines += _more(len(self.removed), "removed")
        for name, text in list(self.changed.items())[:_MOST_TOOLS]:
            lines += [f"~ {_short(name)}", *(f"    {line}" for line in text.split("\n"))]
        lines += _more(len(self.changed), "changed")
        yield from lines[:_MOST_LINES]
        if len(lines) > _MOST_LINES:
            yield f"… and {len(lines) - _MOST_LINES} more lines"


def compare(before: Mapping[str, Json], after: Mapping[str, Json]) -> Comparison:
    """Compare definitions in the protocol's form, by their own names."""
    both = [name for name in after if name in before]
    changed = [name for name in both if digest(before[name]) != digest(after[name])]
    return Comparison(
        tuple(name for name in after if name not in before),
        tuple(name for name in before if name not in after),
        {name: difference(before[name], after[name]) for name in changed},
    )


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…"


def _more(number: int, kind: str) -> list[str]:
    return [f"… and {number - _MOST_TOOLS} more {kind}"] if number > _MOST_TOOLS else []
