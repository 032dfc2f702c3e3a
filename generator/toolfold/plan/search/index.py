"""The search index: sorted lines, one per term, with its tools and the term's weight in each.

What a line says of a tool depends on that tool alone, but for the mean lengths of fields, which are
rounded. So an edit of one tool changes few lines, and a diff shows them.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from typing import Final

from toolfold_runtime.contract.search import SCALE, GramLine, NameRarities, TermLine, rarity
from toolfold_runtime.search.words import is_unspaced, pairs, trigrams

from toolfold.plan.model import ToolPlan
from toolfold.plan.search.words import Words

# Few, round, and the same for every catalog; docs/explanation/search.md says what each is worth.
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
#: Term to its weight in one tool.
Strengths = dict[str, int]


@dataclass(frozen=True)
class IndexLines:
    """The lines of each file, sorted by their terms, and how many tools say each word."""

    words: list[str]
    pairs: list[str]
    grams: list[str]
    tool_counts: dict[str, int]


def mean_lengths(tools: Sequence[ToolPlan]) -> Means:
    """The mean length of each field, rounded so that an edit of one tool rarely changes it."""
    means = {}
    for field in _WEIGHTS:
        lengths = [len(words) for tool in tools if (words := tool.words.get(field))]
        if lengths:
            steps = round(_STEPS * log2(sum(lengths) / len(lengths)))
            means[field] = 2.0 ** (steps / _STEPS)
    return means


def index_of(words_by_tool: Sequence[Words], means: Means) -> IndexLines:
    """The index of tools by their words."""
    words: dict[str, tuple[list[int], list[int], list[int]]] = {}
    both: dict[str, tuple[list[int], list[int]]] = {}
    for number, tool_words in enumerate(words_by_tool):
        of_words, of_pairs = _strengths(tool_words, means)
        for term, strength in of_words.items():
            tools, strengths, _ = words.setdefault(term, ([], [], []))
            tools.append(number)
            strengths.append(strength)
        for term in dict.fromkeys(tool_words["name"]):
            words[term][2].append(number)
        for term, strength in of_pairs.items():
            where = both.setdefault(term, ([], []))
            where[0].append(number)
            where[1].append(strength)
    terms = sorted(words)
    return IndexLines(
        [TermLine(term, *words[term]).text() for term in terms],
        [TermLine(term, *both[term]).text() for term in sorted(both)],
        _gram_lines(terms),
        {term: len(words[term][0]) for term in terms},
    )


def name_rarities(index: IndexLines, tools: Sequence[ToolPlan]) -> NameRarities:
    """The summed rarity of the words in each tool's name."""
    rare = {word: rarity(count, len(tools)) for word, count in index.tool_counts.items()}
    names = (dict.fromkeys(tool.words["name"]) for tool in tools)
    return NameRarities.of(sum(rare[word] for word in name) for name in names)


def _strengths(by_field: Words, means: Means) -> tuple[Strengths, Strengths]:
    """The BM25F weights of words and of pairs of neighbours: weighted by field, normalised, saturated."""
    of_words: dict[str, float] = {}
    of_pairs: dict[str, float] = {}
    for field, weight in _WEIGHTS.items():
        field_words = by_field.get(field)
        if not field_words:
            continue
        dilution = _DILUTION.get(field, _DILUTION_OF_PROSE)
        scale = weight / (1 - dilution + dilution * len(field_words) / means[field])
        for word in field_words:
            of_words[word] = of_words.get(word, 0.0) + scale
        for pair in pairs(field_words) if field != "joined" else ():
            of_pairs[pair] = of_pairs.get(pair, 0.0) + scale
    return _saturated(of_words), _saturated(of_pairs)


def _saturated(counts: Mapping[str, float]) -> Strengths:
    most = SCALE * (_SATURATION + 1)
    return {t: round(most * count / (count + _SATURATION)) or 1 for t, count in counts.items()}


def _gram_lines(words: Iterable[str]) -> list[str]:
    by_gram: dict[str, list[str]] = {}
    for word in words:
        for gram in _grams(word):
            by_gram.setdefault(gram, []).append(word)
    return [GramLine(gram, by_gram[gram]).text() for gram in sorted(by_gram)]


def _grams(word: str) -> set[str]:
    """The trigrams of a word that may be mistyped; of a script without spaces, each character."""
    if is_unspaced(word):
        return set(word)
    return trigrams(word) if len(word) > 2 and word.isalpha() else set()
