"""A manifest's text cut at its tools, so that a tool whose text is known need not be read again.

Every entry of a block mapping ends where the next key of the same indentation begins, unless a
quote or a bracket is left open. Whoever cuts makes sure of that: a section that was not read
before is read by itself, which fails where it does not end by itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from toolfold.errors import Place, Source

_TOOLS: Final = re.compile(r"^tools:[ \t]*(?:#[^\n]*)?\r?\n", re.MULTILINE)
_TOP_LEVEL: Final = re.compile(r"^[^\s#]", re.MULTILINE)
_ENTRY: Final = re.compile(r"^( +)[^\s#][^\n]*", re.MULTILINE)
_KEY: Final = re.compile(r"( +)([\"']?)([A-Za-z0-9_][A-Za-z0-9_-]*)\2:(?=[ \r]|$)")


@dataclass(frozen=True)
class Section:
    """A tool's key and all below it, as it is written."""

    name: str
    at: Place
    text: str


@dataclass(frozen=True)
class Cut:
    """A file's tools, and its text with nothing of them but the first key and their line ends.

    So places stay true, and whoever reads the rest sees that the tools begin where they seem to.
    """

    rest: str
    sections: tuple[Section, ...]


def cut(source: Source) -> Cut | None:
    """A file's text cut at its tools; None where it cannot be seen where each of them begins."""
    text = source.text
    found = [match.end() for match in _TOOLS.finditer(text)]
    if not found:
        return Cut(text, ())
    start = found[0]
    following = _TOP_LEVEL.search(text, start)
    end = following.start() if following else len(text)
    sections = _sections(source, start, end)
    if len(found) > 1 or not sections:
        return None
    first = end - sum(len(section.text) for section in sections)
    key = f"{' ' * (sections[0].at.column - 1)}{sections[0].name}:"
    lines = "\n" * text.count("\n", first, end)
    return Cut(f"{text[:first]}{key}{lines}{text[end:]}", tuple(sections))


def _sections(source: Source, start: int, end: int) -> list[Section]:
    """The tools between two places in a text; none where an entry is not a plain key."""
    text = source.text
    entries = list(_outermost(text, start, end))
    if not entries:
        return []
    keys = [_KEY.match(text, match.start(), match.end()) for match in entries]
    ends = [*(match.start() for match in entries[1:]), end]
    sections = []
    line, counted = 1, 0
    for key, stop in zip(keys, ends, strict=True):
        if key is None or key.group(1) != entries[0].group(1):
            return []
        line += text.count("\n", counted, key.start())
        counted = key.start()
        at = Place(source, line, len(key.group(1)) + 1)
        sections.append(Section(key.group(3), at, text[key.start() : stop]))
    return sections


def _outermost(text: str, start: int, end: int) -> Iterator[re.Match[str]]:
    """The lines that are indented as little as the first one."""
    first = _ENTRY.search(text, start, end)
    if first is not None:
        yield first
        least = len(first.group(1))
        yield from re.compile(rf"^( {{1,{least}}})[^\s#][^\n]*", re.MULTILINE).finditer(
            text, first.end(), end
        )
