"""Keeping only the named fields of a structured result."""

from collections.abc import Iterator, Sequence
from typing import Final

_MOST: Final = 100


def parsed(text: str) -> tuple[str, ...]:
    """The names in a text like `id, author.name`."""
    names = (name.strip() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST]


def picked(value: object, fields: Sequence[str]) -> tuple[object, list[str]]:
    """The value with only the named fields, and the names that were not found.

    A dot leads into an object; lists are looked through, so that `author.name` keeps the name of
    each author in a list of books. A name that has dots itself is found as it is.
    """
    matched: set[str] = set()
    part = _picked(value, [(name, name) for name in fields], matched)
    return part, [name for name in fields if name not in matched]


def _picked(value: object, names: Sequence[tuple[str, str]], matched: set[str]) -> object:
    if isinstance(value, list):
        return [_picked(item, names, matched) for item in value]
    if not isinstance(value, dict):
        return value
    chosen = {}
    for key, inner in value.items():
        under = list(_under(key, names))
        exact = [name for rest, name in under if not rest]
        parts = [(rest, name) for rest, name in under if rest]
        if exact:
            matched.update(exact)
            chosen[key] = inner
            _picked(inner, parts, matched)  # which are there as well
        elif parts:
            before = len(matched)
            inner = _picked(inner, parts, matched) if isinstance(inner, dict | list) else None
            if len(matched) > before or inner:
                chosen[key] = inner
    return chosen


def _under(key: str, names: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """For the wanted names that lead into a key: what follows the key, with the whole name."""
    for rest, name in names:
        if rest == key:
            yield "", name
        elif rest.startswith(f"{key}."):
            yield rest[len(key) + 1 :], name
