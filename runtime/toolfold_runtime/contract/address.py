"""Addresses of resources: URI templates of RFC 6570, level 1, and what matches them."""

import re
from typing import Final, NamedTuple
from urllib.parse import quote, unquote_to_bytes

#: Characters of the longest address that is looked up.
LONGEST_ADDRESS: Final = 4_096
#: The characters that no variable matches, because they end a part of an address.
_ENDS: Final = frozenset("/?#")
_VARIABLE: Final = re.compile(r"\{([A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)\}")


class AddressTemplate(NamedTuple):
    """A template in parts: the texts around its variables, one more than there are names."""

    texts: tuple[str, ...]
    names: tuple[str, ...]

    def match(self, address: str) -> dict[str, str] | None:
        """The decoded value of each variable; None for an address that does not match.

        A variable is not empty and lies within one part of the address. It ends where the text
        behind it first occurs; only the last one may hold that text.
        """
        first, last = self.texts[0], self.texts[-1]
        end = len(address) - len(last)
        if not (address.startswith(first) and address.endswith(last) and len(first) <= end):
            return None
        at, encoded = len(first), list[str]()
        for text in self.texts[1:-1]:
            stop = address.find(text, at, end)
            if stop < 0:
                return None
            encoded.append(address[at:stop])
            at = stop + len(text)
        encoded.append(address[at:end])
        values = list(map(_decoded, encoded))
        if None in values:
            return None
        return {name: value or "" for name, value in zip(self.names, values, strict=True)}


def parse_template(text: str) -> AddressTemplate:
    """The parts of a template; ValueError, in words for its author, if it is invalid."""
    parts = _VARIABLE.split(text)
    texts, names = tuple(parts[::2]), tuple(parts[1::2])
    if any(set(between) & {"{", "}"} for between in texts):
        raise ValueError("a brace that is not part of a variable such as {id}")
    if len(set(names)) < len(names):
        raise ValueError("a variable that occurs twice")
    if not all(texts[1:-1]):
        raise ValueError("two variables with nothing between them")
    return AddressTemplate(texts, names)


def encoded_value(value: str) -> str:
    """A value as it stands in an address."""
    return quote(value, safe="")


def _decoded(value: str) -> str | None:
    """The decoded value of a variable; None for an invalid one."""
    if not value or not _ENDS.isdisjoint(value):
        return None
    try:
        return unquote_to_bytes(value).decode()
    except UnicodeError:  # bytes that are no text, or half of a surrogate pair
        return None
