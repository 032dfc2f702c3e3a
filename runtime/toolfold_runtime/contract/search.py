"""The files of the search index: what each line of them holds, and how numbers are packed.

Lines are JSON arrays. Those of terms are sorted by the bytes of their first item, which holds
nothing that JSON escapes, so that a line is found without parsing others.
"""

import sys
from array import array
from binascii import a2b_base64, b2a_base64
from collections.abc import Iterable, Sequence
from functools import lru_cache
from math import log
from typing import Final, Literal, NamedTuple, TypeAlias

from toolfold_runtime.contract.vocabulary import Effect

#: Strengths and rarities are stored as whole numbers of this fraction.
SCALE: Final = 1024
#: Tool numbers and strengths are stored in two bytes each.
MOST_TOOLS: Final = 65535

_Size: TypeAlias = Literal["H", "I"]


class SearchNames(NamedTuple):
    """`search/names.json`: what servers and categories are called, by their numbers."""

    servers: tuple[tuple[str, ...], ...]
    categories: tuple[tuple[str, ...], ...]


class NameRarities(NamedTuple):
    """`search/rarities.json`: how rare the words of each tool's name are together, packed."""

    names: str

    @classmethod
    def of(cls, sums: Iterable[float]) -> "NameRarities":
        """Rarities by tool number; none is zero, because shares are computed of them."""
        return cls(_packed((max(1, round(SCALE * rare)) for rare in sums), "I"))

    def scaled(self) -> Sequence[int]:
        """By tool number, in steps of the scale."""
        return _unpacked(self.names, "I")


class IndexedTool(NamedTuple):
    """A line of `search/tools.jsonl`, in the order of the tools' numbers."""

    name: str
    server: int
    category: int
    effect: Effect
    tags: list[str]
    #: The tool as a search result, from the richest text to the leanest; one that is nothing but
    #: the name is omitted.
    result_lines: list[str]
    #: The tokens of each of them, the name included.
    result_tokens: list[int]
    is_deprecated: bool = False
    #: The usage score and the average latency in milliseconds; None if not measured.
    score: float | None = None
    latency_ms: float | None = None

    def row(self) -> "tuple[object, ...]":
        """The line as it is stored, up to the last that is not its default."""
        if self.score is not None or self.latency_ms is not None:
            return tuple(self)
        return self[:-2] if self.is_deprecated else self[:-3]


class TermLine(NamedTuple):
    """A line of `words.jsonl` or `pairs.jsonl`: the tools that have a term, ascending."""

    term: str
    tools: Sequence[int]
    #: The weight of the term in each of the tools, which depends on that tool alone.
    strengths: Sequence[int]
    #: The tools that have the word in their names; None for a pair.
    named: Sequence[int] | None = None

    def text(self) -> str:
        """The line as it is stored."""
        columns = [self.tools, self.strengths, *([] if self.named is None else [self.named])]
        return _line(self.term, *map(_column, columns))

    @classmethod
    def read(cls, row: Sequence[str]) -> "TermLine":
        """The line from its parsed JSON."""
        return cls(row[0], *map(_unpacked, row[1:]))


class GramLine(NamedTuple):
    """A line of `grams.jsonl`: the words that have these letters in a row."""

    gram: str
    words: Sequence[str]

    def text(self) -> str:
        """The line as it is stored."""
        return _line(self.gram, " ".join(self.words))

    @classmethod
    def read(cls, row: Sequence[str]) -> "GramLine":
        """The line from its parsed JSON."""
        return cls(row[0], row[1].split(" "))


class RelatedLine(NamedTuple):
    """A line of `related.jsonl`: words of nearly the same meaning, and what a match of them counts."""

    word: str
    related: list[tuple[str, float]]


def vector_text(vector: bytes) -> str:
    """A line of `vectors.jsonl`: a tool's vector, a byte per dimension."""
    return f'"{b2a_base64(vector, newline=False).decode("ascii")}"'


def vector_bytes(line: bytes) -> bytes:
    """The vector that `vector_text` wrote."""
    return a2b_base64(line[1:-1])


def rarity(having: int, of: int) -> float:
    """The weight of a term that `having` of the tools have: higher for fewer tools."""
    return log(1 + (of - having + 0.5) / (having + 0.5))


def _line(key: str, *texts: str) -> str:
    # Words and base64 hold nothing that JSON escapes.
    return f'["{key}","' + '","'.join(texts) + '"]'


def _column(values: Sequence[int]) -> str:
    return _packed_one(values[0]) if len(values) == 1 else _packed(values)


@lru_cache(maxsize=65536)
def _packed_one(value: int) -> str:
    """One number packed; cached because few different ones make up most of an index."""
    return _packed([value])


def _packed(values: Iterable[int], size: _Size = "H") -> str:
    """Whole numbers as base64, each in two bytes or, with size I, in four."""
    packed = array(size, values)
    if sys.byteorder == "big":
        packed.byteswap()
    return b2a_base64(packed, newline=False).decode("ascii")


def _unpacked(text: str, size: _Size = "H") -> "array[int]":
    unpacked = array(size, a2b_base64(text))
    if sys.byteorder == "big":
        unpacked.byteswap()
    return unpacked
