"""The generated search index: sorted lines, found by binary search and parsed when needed."""

import json
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import Json, decode
from toolfold_runtime.contract.files import Names
from toolfold_runtime.contract.search import (
    SCALE,
    GramLine,
    IndexedTool,
    NameRarities,
    RelatedLine,
    SearchNames,
    TermLine,
    rarity,
    vector_bytes,
)

_BLOCK: Final = 2048  # bytes that are looked through for a line


@dataclass(frozen=True)
class Postings:
    """Tools by number, ascending; how strongly each says a term, and how rare that term is."""

    tools: Sequence[int]
    strengths: Sequence[int]
    rarity: float

    def worth(self, tool: int) -> float:
        """The weight of the term in one tool; 0 if the tool does not have it."""
        at = bisect_left(self.tools, tool)
        there = at < len(self.tools) and self.tools[at] == tool
        return self.rarity * self.strengths[at] / SCALE if there else 0.0


@dataclass(frozen=True)
class Word:
    """A word of the catalog: its postings, and the tools that have it in their names."""

    postings: Postings
    named: Sequence[int]


NO_POSTINGS: Final = Postings((), (), 0.0)


class SearchIndex:
    """The search data of a catalog; `read` gives the bytes of a file of it by its path."""

    def __init__(self, read: Callable[[str], bytes]) -> None:
        self._read = read
        self._named: dict[str, IndexedTool] = {}
        self._sorted: dict[str, _SortedLines] = {}

    @cached_property
    def tools(self) -> list[IndexedTool]:
        """Every tool, by its number."""
        data = self._tools_file
        lines = data[data.index(b"\n") + 1 : -1].replace(b"\n", b",")
        return [IndexedTool(*row) for row in json.loads(b"[%b]" % lines)]

    @cached_property
    def deprecated(self) -> frozenset[int]:
        """The numbers of the tools that are deprecated."""
        return frozenset(n for n, tool in enumerate(self.tools) if tool.is_deprecated)

    @cached_property
    def usage_scores(self) -> dict[int, float]:
        """The usage scores of the tools that were measured, by their numbers."""
        scores = ((number, tool.score) for number, tool in enumerate(self.tools))
        return {number: score for number, score in scores if score is not None}

    def tool_named(self, name: str) -> IndexedTool:
        """The tool with exactly this name, found without parsing the others."""
        if name not in self._named:
            start = self._tools_file.index(b'\n["%b",' % name.encode()) + 1
            end = self._tools_file.index(b"\n", start)
            self._named[name] = IndexedTool(*json.loads(self._tools_file[start:end]))
        return self._named[name]

    @cached_property
    def names(self) -> SearchNames:
        """The names of servers and categories, by their numbers."""
        return decode(SearchNames, self._json(files.SEARCH_NAMES))

    def number(self, name: str) -> int | None:
        """The tool whose name, alias or id this is, in any case."""
        return self._numbers.get(name, self._numbers.get(name.casefold()))

    def word(self, stem: str) -> Word | None:
        """A word of the index; None if no tool has it."""
        row = self._row(files.SEARCH_WORDS, stem)
        if row is None:
            return None
        line = TermLine.read(row)
        return Word(self._postings(line), line.named or ())

    def pair(self, pair: str) -> Postings:
        """The tools that have two words next to each other."""
        row = self._row(files.SEARCH_PAIRS, pair)
        return NO_POSTINGS if row is None else self._postings(TermLine.read(row))

    def words_with(self, trigram: str) -> Sequence[str]:
        """The words that have these three letters."""
        row = self._row(files.SEARCH_GRAMS, trigram)
        return () if row is None else GramLine.read(row).words

    def related(self, stem: str) -> list[tuple[str, float]]:
        """The words with nearly the same meaning as a word of the catalog, with their weights."""
        row = self._row(files.SEARCH_RELATED, stem)
        return [] if row is None else RelatedLine(*row).related

    def vectors(self) -> bytes:
        """The tools' vectors, a byte per dimension."""
        data = self._read(files.SEARCH_VECTORS)
        return b"".join(map(vector_bytes, data[data.index(b"\n") + 1 : -1].split(b"\n")))

    @cached_property
    def name_rarities(self) -> Sequence[int]:
        """By tool, how rare all words of its name are together, in steps of the scale."""
        return decode(NameRarities, self._json(files.SEARCH_RARITIES)).scaled()

    def _postings(self, line: TermLine) -> Postings:
        return Postings(line.tools, line.strengths, rarity(len(line.tools), len(self.tools)))

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The numbers of tools by name, alias and id; an exact spelling wins over one in lower case."""
        numbers = {tool.name: number for number, tool in enumerate(self.tools)}
        others = decode(Names, self._json(files.NAMES)).others
        exact = numbers | {other: numbers[name] for other, name in others.items()}
        return {name.casefold(): number for name, number in exact.items()} | exact

    def _json(self, path: str) -> Json:
        loaded: Json = json.loads(self._read(path))
        return loaded

    @cached_property
    def _tools_file(self) -> bytes:
        return self._read(files.SEARCH_TOOLS)

    def _row(self, path: str, word: str) -> Any:
        """The parsed line of a word in a sorted file, or None."""
        if path not in self._sorted:
            self._sorted[path] = _SortedLines(self._read(path))
        return self._sorted[path].find(word)


class _SortedLines:
    """Lines that are JSON arrays, sorted by the bytes of their first item, which is a word."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        first = data.index(b"\n")  # the first line says whose file it is
        ends = dict.fromkeys(data.index(b"\n", at) for at in range(first, len(data), _BLOCK))
        self._starts = [end + 1 for end in ends if end + 1 < len(data)]
        self._words = [data[at + 2 : data.index(b'"', at + 2)] for at in self._starts]

    def find(self, word: str) -> Any:
        """The line of a word, parsed; None where there is none."""
        key = word.encode()
        block = bisect_right(self._words, key)
        if not block:
            return None
        end = self._starts[block] if block < len(self._starts) else len(self._data)
        at = self._data.find(b'\n["%b"' % key, self._starts[block - 1] - 1, end)
        return None if at < 0 else json.loads(self._data[at : self._data.index(b"\n", at + 1)])
