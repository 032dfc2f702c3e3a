"""The baked index: sorted lines of postings, found by block; nothing is parsed unasked."""

import json
import sys
from array import array
from binascii import a2b_base64, b2a_base64
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any, Final, Literal, NamedTuple

#: Strengths and rarities are kept as whole numbers of this fraction.
SCALE: Final = 1024

#: Tool numbers and strengths are kept in two bytes each.
MOST: Final = 65535

Size = Literal["H", "I"]

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
    """Tools by number, ascending; how strongly each says a term, and how rare that term is.

    A strength depends on its tool alone, so that an edit of one tool leaves the others' alone.
    """

    tools: Sequence[int]
    strengths: Sequence[int]
    rarity: float

    def worth(self, tool: int) -> float:
        """What the term is worth in one tool."""
        at = bisect_left(self.tools, tool)
        there = at < len(self.tools) and self.tools[at] == tool
        return self.rarity * self.strengths[at] / SCALE if there else 0.0


@dataclass(frozen=True)
class Word:
    """A word of the catalog: where it stands, and the tools that have it in their names."""

    postings: Postings
    named: Sequence[int]


NOWHERE: Final = Postings((), (), 0.0)


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
        return Word(self._postings(line), numbers(line[3]))

    def pair(self, pair: str) -> Postings:
        """Where two words stand side by side."""
        line = self._pairs_file.find(pair)
        return self._postings(line) if line else NOWHERE

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
    def name_rarities(self) -> Sequence[int]:
        """By tool, how rare all words of its name are together, in steps of the scale."""
        return numbers(json.loads(self._read("search/rarities.json"))["names"], "I")

    def _postings(self, line: Any) -> Postings:
        tools = numbers(line[1])
        return Postings(tools, numbers(line[2]), rarity(len(tools), len(self.tools)))

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


def rarity(having: int, of: int) -> float:
    """What a term counts that so many of the tools have: more the fewer they are."""
    return log(1 + (of - having + 0.5) / (having + 0.5))


def packed(values: Iterable[int], size: Size = "H") -> str:
    """Whole numbers as text, each in two bytes or, with size I, in four."""
    found = array(size, values)
    if sys.byteorder == "big":
        found.byteswap()
    return b2a_base64(found, newline=False).decode("ascii")


def numbers(text: str, size: Size = "H") -> "array[int]":
    """Whole numbers from their text."""
    found = array(size, a2b_base64(text))
    if sys.byteorder == "big":
        found.byteswap()
    return found
