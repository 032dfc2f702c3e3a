"""The query of a request: known parameters, each once, of the right form."""

from collections.abc import Mapping
from typing import Final, NamedTuple
from urllib.parse import parse_qsl

_LONGEST: Final = 8000  # characters
_MOST: Final = 20


class BadRequestError(Exception):
    """A request that cannot be answered, in words for who made it."""


class Number(NamedTuple):
    """A parameter that is a whole number within bounds."""

    default: int
    least: int
    most: int


PAGE: Final = Number(1, 1, 1_000_000)
PAGE_SIZE: Final = Number(20, 1, 100)
CATEGORIES: Final = Number(100, 1, 500)  # of a page
MAX_TOKENS: Final = Number(4000, 1, 1_000_000)
LIMIT: Final = Number(5, 1, 50)


def query_of(raw: bytes, allowed: tuple[str, ...]) -> dict[str, str]:
    """The parameters of a query; BadRequestError where one is unknown, repeated or not UTF-8."""
    if len(raw) > _LONGEST:
        raise BadRequestError(f"the query is longer than {_LONGEST:,} bytes")
    if raw.count(b"&") >= _MOST:
        raise BadRequestError(f"there are more than {_MOST} parameters")
    try:
        pairs = parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict")
    except ValueError:
        raise BadRequestError("the query is not UTF-8, percent-encoded") from None
    known = f"parameters are {', '.join(allowed)}" if allowed else "there are no parameters"
    given: dict[str, str] = {}
    for name, value in pairs:
        if name not in allowed:
            raise BadRequestError(f"no parameter {name[:40]!r}; {known}")
        if name in given:
            raise BadRequestError(f"{name} was given more than once")
        given[name] = value
    return given


def number(given: Mapping[str, str], name: str, bounds: Number) -> int:
    """A number of a query, or its default; BadRequestError where it is none."""
    text = given.get(name)
    if text is None:
        return bounds.default
    is_number = text.isascii() and text.isdigit() and len(text) <= 9
    if not is_number or not bounds.least <= int(text) <= bounds.most:
        form = f"a whole number from {bounds.least} to {bounds.most:,}"
        raise BadRequestError(f"{name} is {text[:40]!r}; write {form}")
    return int(text)
