"""Splitting bytes into lines of bounded length, and finding the id in an unparsable message."""

import json
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_EDGE: Final = 4_096
# The id of a message that is too long or too deep to be parsed: it is written first or last.
_ID: Final = rb'"id"\s*:\s*(-?[0-9]{1,18}|"(?:[^"\\]|\\.){0,200}")\s*'
_FIRST: Final = re.compile(
    rb'\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]{0,200}"\s*,\s*)*' + _ID + rb","
)
_LAST: Final = re.compile(_ID + rb'(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*\Z')


class Line(NamedTuple):
    """A line without its line break; of one that is too long, only its beginning and end."""

    data: bytes
    is_whole: bool


class LineBuffer:
    """Puts lines together from parts, as they come."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> Iterator[Line]:
        """The lines that end within the data."""
        *ended, rest = data.split(b"\n")
        for part in ended:
            self._add(part)
            yield self.end()
        self._add(rest)

    def end(self) -> Line:
        """The bytes after the last line break, as a line."""
        line = Line(b"".join(self._parts), self._size <= self._most_bytes)
        self._parts, self._size = [], 0
        return line

    def _add(self, part: bytes) -> None:
        if part:
            self._parts.append(part)
            self._size += len(part)
        if self._size > self._most_bytes:
            line = b"".join(self._parts)
            self._parts = [line[:_EDGE], line[-_EDGE:]]


def id_at_edges(line: bytes) -> str | int | None:
    """The id of the JSON-RPC message in a line, if it is written at one of its ends."""
    match = _FIRST.match(line[:_EDGE]) or _LAST.search(line[-_EDGE:])
    try:
        return readable_id(json.loads(match[1])) if match else None
    except ValueError:
        return None


def readable_id(given: object) -> str | int | None:
    """An id that can be repeated; None for anything else."""
    if isinstance(given, bool) or not isinstance(given, str | int):
        return None
    if isinstance(given, str) and given.encode("utf-8", "replace").decode() != given:
        return None
    return given
