"""Keeping only the named fields of a structured result."""

from collections.abc import Iterator, Sequence
from typing import Any, Final

_MOST: Final = 100


def parsed(text: str) -> tuple[str, ...]:
    """The names in a text like `id, author.name`."""
    names = (name.strip() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST]


def picked(value: Any, fields: Sequence[str]) -> tuple[Any, list[str]]:
    """The value with nothing but these fields, and the names that nothing has.

    A dot leads into an object; lists are looked through, so that `author.name` keeps the name of
    each author in a list of books. A name that has dots itself is found as it is.
    """
    found: set[str] = set()
    kept = _picked(value, [(name, name) for name in fields], found)
    return kept, [name for name in fields if name not in found]


def _picked(value: Any, wanted: Sequence[tuple[str, str]], found: set[str]) -> Any:
    if isinstance(value, list):
        return [_picked(item, wanted, found) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {}
    for key, inner in value.items():
        under = list(_under(key, wanted))
        whole = [name for rest, name in under if not rest]
        parts = [(rest, name) for rest, name in under if rest]
        if whole:
            found.update(whole)
            kept[key] = inner
            _picked(inner, parts, found)  # which are there as well
        elif parts:
            before = len(found)
            inner = _picked(inner, parts, found) if isinstance(inner, dict | list) else None
            if len(found) > before or inner:
                kept[key] = inner
    return kept


def _under(key: str, wanted: Sequence[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """What is wanted of a key: the rest of each name that leads into it."""
    for rest, name in wanted:
        if rest == key:
            yield "", name
        elif rest.startswith(f"{key}."):
            yield rest[len(key) + 1 :], name
