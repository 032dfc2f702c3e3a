"""Completing a name or a value from its beginning."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from toolfold_runtime.errors import nearest

#: The most completions in an answer, by the protocol.
MOST_COMPLETIONS: Final = 100
_LONGEST_VALUE: Final = 400


class Completions(NamedTuple):
    """The best ways to go on, and how many there are in all."""

    values: list[str]
    total: int


def completions_of(begun: str, names: Sequence[str]) -> Completions:
    """The names that begin with a text, then those that contain it; else the most similar ones."""
    if len(begun) > _LONGEST_VALUE:
        return Completions([], 0)
    folded = begun.casefold()
    first, later = list[str](), list[str]()
    for name in names:
        at = name.casefold().find(folded)
        if at >= 0:
            (later if at else first).append(name)
    matching = [*first, *later] or nearest(begun, names)
    return Completions(matching[:MOST_COMPLETIONS], len(matching))
