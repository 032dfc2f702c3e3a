"""The search index: sorted lines, one per term, of the tools that say it and how strongly.

What a line says of a tool depends on that tool alone, but for the mean lengths of fields, which are
rounded. So the lines of an edited catalog are those of the last run with a few of them changed.
"""

import json
from bisect import bisect_left, insort
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from toolfold_runtime.contract.search import (
    SCALE,
    GramLine,
    NameRarities,
    TermLine,
    key_of,
    rarity,
    tool_count,
)
from toolfold_runtime.search.words import is_unspaced, pairs, trigrams

from toolfold.plan.model import ToolPlan
from toolfold.plan.search.words import Cut

# Few, round, and the same for every catalog; docs/search.md says what each is worth.
_WEIGHTS: Final = {
    "name": 3.0,
    "server": 1.5,
    "title": 1.0,
    "description": 1.0,
    "tags": 1.0,
    "prompts": 1.0,
    "parameters": 1.0,
    "aliases": 1.0,
    "category": 0.5,
    "hints": 0.5,
    "joined": 0.5,
    "output": 0.3,
}
# How much a longer field dilutes its words.
_DILUTION: Final = {"parameters": 0.4, "hints": 0.4, "output": 0.4, "joined": 0.0}
_DILUTION_OF_PROSE: Final = 0.6
_SATURATION: Final = 0.8  # how fast repeated words stop counting
_STEPS: Final = 4  # of a mean length, for each time that it doubles

#: The mean length of each field that any tool fills.
Means = dict[str, float]
#: Term to how strongly one tool says it.
Strengths = dict[str, int]


@dataclass(frozen=True)
class Index:
    """The lines of each file, sorted by their terms."""

    words: list[str]
    pairs: list[str]
    grams: list[str]


@dataclass(frozen=True)
class Change:
    """A tool by its number, with its words before an edit and after it."""

    tool: int
    before: Cut
    after: Cut


def mean_lengths(tools: Sequence[ToolPlan]) -> Means:
    """Rounded, so that an edit of one tool hardly ever moves them."""
    means = {}
    for field in _WEIGHTS:
        lengths = [length for tool in tools if (length := tool.lengths.get(field, 0))]
        if lengths:
            steps = round(_STEPS * log2(sum(lengths) / len(lengths)))
            means[field] = 2.0 ** (steps / _STEPS)
    return means


def index_of(cuts: Sequence[Cut], means: Means) -> Index:
    """The index of tools by their words."""
    words: dict[str, tuple[list[int], list[int], list[int]]] = {}
    both: dict[str, tuple[list[int], list[int]]] = {}
    for number, cut in enumerate(cuts):
        of_words, of_pairs = _strengths(cut, means)
        for term, strength in of_words.items():
            tools, strengths, _ = words.setdefault(term, ([], [], []))
            tools.append(number)
            strengths.append(strength)
        for term in dict.fromkeys(cut["name"]):
            words[term][2].append(number)
        for term, strength in of_pairs.items():
            where = both.setdefault(term, ([], []))
            where[0].append(number)
            where[1].append(strength)
    return Index(
        [TermLine(term, *words[term]).text() for term in sorted(words)],
        [TermLine(term, *both[term]).text() for term in sorted(both)],
        _gram_lines(sorted(words)),
    )


def edited(index: Index, changes: Iterable[Change], means: Means) -> Index:
    """The index after some tools changed: what `index_of` would give, by a fraction of its work."""
    words, both, grams = list(index.words), list(index.pairs), list(index.grams)
    for change in changes:
        old, new = _strengths(change.before, means), _strengths(change.after, means)
        named = frozenset(change.before["name"]), frozenset(change.after["name"])
        for term in old[0].keys() | new[0].keys():
            was, now = (own.get(term) for own in (old[0], new[0]))
            if (was, term in named[0]) != (now, term in named[1]):
                known = len(words)
                _put(words, term, change.tool, [now, change.tool if term in named[1] else None])
                if len(words) != known:
                    _spell(grams, term, is_new=len(words) > known)
        for term in old[1].keys() | new[1].keys():
            if old[1].get(term) != new[1].get(term):
                _put(both, term, change.tool, [new[1].get(term)])
    return Index(words, both, grams)


def name_rarities(index: Index, tools: Sequence[ToolPlan]) -> NameRarities:
    """By tool, how rare the words of its name are together."""
    rare = {key_of(line): rarity(tool_count(line), len(tools)) for line in index.words}
    return NameRarities.of(sum(rare[word] for word in tool.name_words) for tool in tools)


def vocabulary(index: Index) -> list[str]:
    """Every word that is indexed, sorted."""
    return [key_of(line) for line in index.words]


def _strengths(cut: Cut, means: Means) -> tuple[Strengths, Strengths]:
    """BM25F of words and of neighbours: weighted, diluted counts summed over fields, saturated."""
    of_words: dict[str, float] = {}
    of_pairs: dict[str, float] = {}
    for field, weight in _WEIGHTS.items():
        found = cut.get(field)
        if not found:
            continue
        dilution = _DILUTION.get(field, _DILUTION_OF_PROSE)
        scale = weight / (1 - dilution + dilution * len(found) / means[field])
        for word in found:
            of_words[word] = of_words.get(word, 0.0) + scale
        for pair in pairs(found) if field != "joined" else ():
            of_pairs[pair] = of_pairs.get(pair, 0.0) + scale
    return _saturated(of_words), _saturated(of_pairs)


def _saturated(counts: Mapping[str, float]) -> Strengths:
    most = SCALE * (_SATURATION + 1)
    return {t: round(most * count / (count + _SATURATION)) or 1 for t, count in counts.items()}


def _gram_lines(words: Iterable[str]) -> list[str]:
    found: dict[str, list[str]] = {}
    for word in words:
        for gram in _grams(word):
            found.setdefault(gram, []).append(word)
    return [GramLine(gram, found[gram]).text() for gram in sorted(found)]


def _grams(word: str) -> set[str]:
    """The trigrams of a word that may be mistyped; of a script without spaces, each character."""
    if is_unspaced(word):
        return set(word)
    return trigrams(word) if len(word) > 2 and word.isalpha() else set()


def _put(lines: list[str], term: str, tool: int, values: Sequence[int | None]) -> None:
    """Give a tool its values in a term's line, or take it out; a line without tools goes.

    The first value stands beside the tool's number, a second one in a list of its own.
    """
    at, there = _found(lines, term)
    row = TermLine.read(json.loads(lines[at]))[1:] if there else ()
    columns = [list(column) for column in row if column is not None]
    columns = columns or [[] for _ in range(len(values) + 1)]
    tools, strengths = columns[:2]
    place = bisect_left(tools, tool)
    if place < len(tools) and tools[place] == tool:
        del tools[place], strengths[place]
    if values[0] is not None:
        tools.insert(place, tool)
        strengths.insert(place, values[0])
    for column, value in zip(columns[2:], values[1:], strict=True):
        if tool in column:
            column.remove(tool)
        if value is not None:
            insort(column, value)
    _replace(lines, at, there, TermLine(term, *columns).text() if tools else "")


def _spell(grams: list[str], word: str, *, is_new: bool) -> None:
    """Add a word to the lines of its trigrams, or take it out of them."""
    for gram in _grams(word):
        at, there = _found(grams, gram)
        words = list(GramLine.read(json.loads(grams[at])).words) if there else []
        if is_new:
            insort(words, word)
        else:
            words.remove(word)
        _replace(grams, at, there, GramLine(gram, words).text() if words else "")


def _replace(lines: list[str], at: int, there: bool, line: str) -> None:
    lines[at : at + there] = [line] if line else []


def _found(lines: Sequence[str], term: str) -> tuple[int, bool]:
    at = _at(lines, term)
    return at, at < len(lines) and key_of(lines[at]) == term


def _at(lines: Sequence[str], term: str) -> int:
    return bisect_left(lines, term, key=key_of)
