"""The baked index: sorted lines of postings, found by block; nothing is parsed unasked."""

import json
import sys
from array import array
from binascii import a2b_base64, b2a_base64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

#: Impacts are kept as whole numbers of this fraction.
SCALE: Final = 1024

#: Tool numbers and impacts are kept in two bytes each.
MOST: Final = 65535

_BLOCK: Final = 2048  # bytes that are looked through for a line


class Tool(NamedTuple):
    """What search knows of a tool besides its words."""

    name: str
    server: int
    category: int
    effect: str
    tags: list[str]
    lines: list[str]
    tokens: list[int]


@dataclass(frozen=True)
class Postings:
    """Tools by number, ascending, and what a term is worth in each."""

    tools: Sequence[int]
    impacts: Sequence[int]

    def impact(self, tool: int) -> float:
        """What the term is worth in one tool."""
        at = bisect_left(self.tools, tool)
        there = at < len(self.tools) and self.tools[at] == tool
        return self.impacts[at] / SCALE if there else 0.0


@dataclass(frozen=True)
class Word:
    """A word of the catalog: how rare it is, where it stands, and its share of tools' names."""

    rarity: float
    postings: Postings
    names: Postings


NOWHERE: Final = Postings((), ())


class Index:
    """The search data of a catalog; `read` gives the bytes of a file of it by its path."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._named: dict[str, Tool] = {}

    @cached_property
    def tools(self) -> list[Tool]:
        """Every tool, by its number."""
        data = self._tools_file
        lines = data[data.index(b"\n") + 1 : -1].replace(b"\n", b",")
        return [Tool(*row) for row in json.loads(b"[%b]" % lines)]

    def named(self, name: str) -> Tool:
        """The tool of that very name, without looking at any other."""
        if name not in self._named:
            start = self._tools_file.index(b'\n["%b",' % name.encode()) + 1
            end = self._tools_file.index(b"\n", start)
            self._named[name] = Tool(*json.loads(self._tools_file[start:end]))
        return self._named[name]

    @cached_property
    def names(self) -> dict[str, list[list[str]]]:
        """What servers and categories answer to, by their numbers."""
        loaded: dict[str, list[list[str]]] = json.loads(self._read("search/names.json"))
        return loaded

    def number(self, asked: str) -> int | None:
        """The tool whose name, alias or id this is, in any case."""
        return self._numbers.get(asked, self._numbers.get(asked.casefold()))

    def word(self, stem: str) -> Word | None:
        """A word, if any tool has it."""
        line = self._words_file.find(stem)
        if line is None:
            return None
        _, rarity, tools, impacts, named, shares = line
        return Word(rarity, unpacked(tools, impacts), unpacked(named, shares))

    def pair(self, pair: str) -> Postings:
        """Where two words stand side by side."""
        line = self._pairs_file.find(pair)
        return unpacked(line[1], line[2]) if line else NOWHERE

    def alike(self, trigram: str) -> list[str]:
        """The words that have these three letters."""
        line = self._grams_file.find(trigram)
        return line[1].split(" ") if line else []

    def related(self, stem: str) -> list[tuple[str, float]]:
        """Words of the catalog that mean nearly the same as one of it, and what they count."""
        line = self._related_file.find(stem)
        return [(word, weight) for word, weight in line[1]] if line else []

    def vectors(self) -> bytes:
        """The tools' vectors, a byte per dimension."""
        data = self._read("search/vectors.jsonl")
        lines = data[data.index(b"\n") + 1 : -1].split(b"\n")
        return b"".join(a2b_base64(line[1:-1]) for line in lines)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """Every way to say a name; as it is written wins over another's in lower case."""
        numbers = {tool.name: number for number, tool in enumerate(self.tools)}
        said: dict[str, str] = json.loads(self._read("names.json"))["others"]
        exact = numbers | {other: numbers[name] for other, name in said.items()}
        return {name.casefold(): number for name, number in exact.items()} | exact

    @cached_property
    def _tools_file(self) -> bytes:
        return self._read("search/tools.jsonl")

    @cached_property
    def _words_file(self) -> "_Sorted":
        return _Sorted(self._read("search/words.jsonl"))

    @cached_property
    def _pairs_file(self) -> "_Sorted":
        return _Sorted(self._read("search/pairs.jsonl"))

    @cached_property
    def _grams_file(self) -> "_Sorted":
        return _Sorted(self._read("search/grams.jsonl"))

    @cached_property
    def _related_file(self) -> "_Sorted":
        return _Sorted(self._read("search/related.jsonl"))


class _Sorted:
    """Lines that are JSON arrays, sorted by the bytes of their first item, which is a word."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        first = data.index(b"\n")  # the first line says whose file it is
        ends = dict.fromkeys(data.index(b"\n", at) for at in range(first, len(data), _BLOCK))
        self._starts = [end + 1 for end in ends if end + 1 < len(data)]
        self._words = [data[at + 2 : data.index(b'"', at + 2)] for at in self._starts]

    def find(self, word: str) -> Any:
        """The line of a word, or None."""
        wanted = word.encode()
        block = bisect_right(self._words, wanted)
        if not block:
            return None
        end = self._starts[block] if block < len(self._starts) else len(self._data)
        at = self._data.find(b'\n["%b"' % wanted, self._starts[block - 1] - 1, end)
        return None if at < 0 else json.loads(self._data[at : self._data.index(b"\n", at + 1)])


def packed(tools: Iterable[int], impacts: Iterable[float]) -> tuple[str, str]:
    """Postings as text: tool numbers, and impacts in steps of the scale, none of them lost.

    Impacts are below 40 however rare a word is, so their steps fit.
    """
    steps = [round(impact * SCALE) or 1 for impact in impacts]
    return _text(array("H", tools)), _text(array("H", steps))


def unpacked(tools: str, impacts: str) -> Postings:
    """Postings from their text."""
    return Postings(_numbers(tools), _numbers(impacts))


def _text(numbers: "array[int]") -> str:
    if sys.byteorder == "big":
        numbers.byteswap()
    return b2a_base64(numbers, newline=False).decode("ascii")


def _numbers(text: str) -> "array[int]":
    numbers = array("H", a2b_base64(text))
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
