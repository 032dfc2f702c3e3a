"""Ranking by words; the weights of each tool were computed when generating."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from math import sqrt
from operator import mul
from typing import Final

from toolfold_runtime.contract.search import SCALE, rarity
from toolfold_runtime.search.index import Postings, SearchIndex, Word
from toolfold_runtime.search.words import is_unspaced, joined, pairs, trigrams, words

# Few, round, and the same for every catalog; docs/explanation/search.md says what each is worth.
PAIR: Final = 0.5  # two neighbouring words found together
_WEAK: Final = 0.5  # a filler word of requests, against a word that says something
DAMPING: Final = 0.02  # of the query's whole weight: one matched word of many is not certain
SENTENCE: Final = 0.4  # the best sentence of the query by itself
SERVER: Final = 0.3  # how well the server's tools match on the whole
NAME: Final = 2.0  # share of the name's words that the query says
_LIKE: Final = 0.6  # least likeness of an unknown word to a known one
_LIKE_WEIGHT: Final = 0.7
_LIKE_PREFIX: Final = 0.7

_WEAK_TEXT: Final = """
    find get show list search make check see create retrieve fetch return bring information info
    detail details data specific particular certain available various different best good great
    new latest recent current top popular interesting interested possible necessary recommend
    suggest suggestion recommendation option options idea ideas way ways thing things something
    anything someone api apis tool tools endpoint function functions service services app work
    working plan planning try trying start going go come take keep one two three first second
    next last today tomorrow day time additionally furthermore finally moreover lastly friend
    friends family company project people user users really quickly easily currently recently
    soon many lot lots number total learn understand explore discover ensure include including
    included related based regarding according question answer request task example case id
    after all before down each every few most now off other out over own same under up
"""
_WEAK_WORDS: Final = frozenset(words(_WEAK_TEXT))
_SENTENCE_END: Final = re.compile(r"(?<=[.!?;。！？；])\s+|(?<=[。！？；])|\n+")
_MOST_SENTENCES: Final = 12
_MOST_WORDS: Final = 500
_RARE: Final = 8  # words that stand in fewer than one of so many tools

#: The parts of a score, by name.
Parts = dict[str, float]


@dataclass(frozen=True)
class Scored:
    """The numbers and scores of the tools that match a query, and the parts of each score."""

    tools: Sequence[int]
    totals: Sequence[float]
    parts: Callable[[int], Parts]


@dataclass(frozen=True)
class WeightedQuery:
    """The words of a query, or of one of its sentences, with their weights."""

    #: The words of the text, and known ones similar to its unknown ones.
    words: dict[str, float]
    pairs: list[str]
    #: The words of the text only.
    own_words: list[str]
    #: The score of a tool with all of them.
    total: float


class Lexical:
    """Scores of tools by the words of a query."""

    def __init__(self, index: SearchIndex) -> None:
        self.index = index
        self._words: dict[str, Word | None] = {}
        self._near: dict[str, list[tuple[str, float]]] = {}
        self._weighted: dict[str, WeightedQuery] = {}

    def scored(self, text: str) -> Scored:
        """Every tool that has a word of the query, or one that looks like it."""
        query = self.weighted(text)
        scores = self._scores(query)
        tools = self._matching(query, scores)
        standard = self._standard(scores, tools, query)
        best = self._best_sentences(text, tools) or standard
        servers, server = self._servers(scores, tools), self.server
        named = self.name_shares(query)
        totals = [
            score + SENTENCE * sentence + SERVER * servers[server[tool]] + NAME * named[tool]
            for tool, score, sentence in zip(tools, standard, best, strict=True)
        ]

        def parts(at: int) -> Parts:
            tool = tools[at]
            return {
                "words": standard[at],
                "sentence": SENTENCE * best[at],
                "server": SERVER * servers[server[tool]],
                "name": NAME * named[tool],
            }

        return Scored(tools, totals, parts)

    def evidence(self, text: str, tools: Sequence[int]) -> list[list[float]]:
        """For each tool, the score that each word of the query contributes."""
        query = self.weighted(text)
        known = [(self.word(word), query.words[word]) for word in query.own_words]
        weights = [(word.postings, weight) for word, weight in known if word is not None]
        return [[weight * p.worth(tool) for p, weight in weights] for tool in tools]

    def with_neighbours(self, text: str) -> set[int]:
        """The tools that have the words of a text next to each other."""
        stems = words(text) or words(text, frozenset())
        known = [self.word(word) for word in stems]
        tools = [set(word.postings.tools) if word else set() for word in known]
        tools += [set(self.index.pair(pair).tools) for pair in pairs(stems)]
        return set.intersection(*tools) if tools else set()

    def weighted(self, text: str) -> WeightedQuery:
        """The words of a text with their weights; an unknown word is replaced by similar known ones."""
        if text not in self._weighted:
            if len(self._weighted) >= _MOST_SENTENCES:
                self._weighted.clear()
            self._weighted[text] = self._weigh(text)
        return self._weighted[text]

    def _weigh(self, text: str) -> WeightedQuery:
        stems = words(text) or words(text, frozenset())
        weights = {s: _WEAK if s in _WEAK_WORDS else 1.0 for s in [*stems, *joined(text)]}
        own_words = list(weights)
        total = sum(weight * self._rarity(word) for word, weight in weights.items())
        for word in own_words:
            if self.word(word) is None:
                if word not in self._near:
                    self._near[word] = self._alike(word)
                for near, likeness in self._near[word]:
                    weights[near] = max(weights.get(near, 0.0), likeness * weights[word])
        # No tool has a pair that has not both of its words.
        both = (pair for pair in dict.fromkeys(pairs(stems)) if all(map(self.word, pair.split())))
        return WeightedQuery(weights, list(both), own_words, total)

    def word(self, word: str) -> Word | None:
        """A word of the catalog, from a cache of the last queries' words."""
        if word not in self._words:
            if len(self._words) >= _MOST_WORDS:
                self._words.clear()
                self._near.clear()
            self._words[word] = self.index.word(word)
        return self._words[word]

    def _rarity(self, word: str) -> float:
        known = self.word(word)
        return known.postings.rarity if known else rarity(0, len(self.index.tools))

    def _alike(self, word: str) -> list[tuple[str, float]]:
        """Up to three known words similar to an unknown one: a typo, or another form of it.

        For one character of a script without spaces, the pairs that it stands in.
        """
        if len(word) == 1 and is_unspaced(word):
            return [(known, _LIKE_WEIGHT) for known in self.index.words_with(word)]
        if len(word) < 3 or not word.isalpha():
            return []
        grams = trigrams(word)
        shared = Counter(known for gram in sorted(grams) for known in self.index.words_with(gram))
        close = []
        for known, number in shared.items():
            likeness = _likeness(word, known, 2 * number / (len(grams) + len(known)))
            if likeness >= _LIKE:
                close.append((-likeness, known))
        return [(known, -likeness * _LIKE_WEIGHT) for likeness, known in sorted(close)[:3]]

    def _scores(self, query: WeightedQuery) -> list[float]:
        scores = [0.0] * len(self.index.tools)
        for postings, weight in self._postings(query):
            _add(scores, postings, weight)
        for pair in query.pairs:
            _add(scores, self.index.pair(pair), PAIR)
        return scores

    def _postings(self, query: WeightedQuery) -> Iterator[tuple[Postings, float]]:
        """The postings of each known word of a query, and the weight of the word."""
        for word, weight in query.words.items():
            known = self.word(word)
            if known is not None:
                yield known.postings, weight

    def _matching(self, query: WeightedQuery, scores: list[float]) -> list[int]:
        """The tools with a score, ascending."""
        having = [postings.tools for postings, _ in self._postings(query)]
        if sum(map(len, having)) * _RARE > len(scores):
            return list(compress(range(len(scores)), scores))
        # For rare words this is less work than a pass over all tools.
        return sorted(set[int]().union(*having))

    def _best_sentences(self, text: str, tools: list[int]) -> list[float]:
        """Each tool's best standard score over the sentences; empty for a query of one sentence."""
        parts = sentences(text)
        best: list[float] = []
        for sentence in parts if len(parts) > 1 else ():
            query = self.weighted(sentence)
            here = self._standard(self._scores(query), tools, query)
            best = list(map(max, best, here)) if best else here
        return best

    def _standard(self, scores: list[float], tools: list[int], query: WeightedQuery) -> list[float]:
        """Standard scores of the matching tools; all other tools have the score 0."""
        tool_scores = list(map(scores.__getitem__, tools))
        mean = sum(tool_scores) / len(scores)
        square = sum(map(mul, tool_scores, tool_scores)) / len(scores)
        spread = sqrt(max(0.0, square - mean * mean)) + DAMPING * query.total or 1.0
        scale, shift = 1 / spread, mean / spread
        return [scale * value - shift for value in tool_scores]

    @cached_property
    def server(self) -> list[int]:
        """The number of each tool's server."""
        return [tool.server for tool in self.index.tools]

    @cached_property
    def server_sizes(self) -> list[int]:
        """How many tools each server has."""
        sizes = Counter(self.server)
        return [sizes[number] for number in range(len(sizes))]

    def _servers(self, scores: Sequence[float], tools: Sequence[int]) -> list[float]:
        """The standard score of each server with one of these tools, by the mean of its tools.

        Nothing where there is but one server.
        """
        sizes, server = self.server_sizes, self.server
        sums = [0.0] * len(sizes)
        if len(sizes) < 2:
            return sums
        for tool in tools:
            sums[server[tool]] += scores[tool]
        matching = list(compress(range(len(sums)), sums))
        mean = sum(sums) / len(scores)
        square = sum(sums[number] ** 2 / sizes[number] for number in matching) / len(scores)
        spread = sqrt(max(0.0, square - mean * mean)) or 1.0
        for number in matching:
            sums[number] = (sums[number] / sizes[number] - mean) / spread
        return sums

    def name_shares(self, query: WeightedQuery) -> list[float]:
        """The share of each tool's name that the query has."""
        share = [0.0] * len(self.server)
        rarities = self.index.name_rarities
        for word in query.own_words:
            known = self.word(word)
            if known is not None:
                share_of_word = known.postings.rarity * SCALE
                for tool in known.named:
                    share[tool] += share_of_word / rarities[tool]
        return share


def sentences(text: str) -> list[str]:
    """The sentences of a text, each of at least three indexed words; a shorter one joins the next."""
    parts: list[str] = []
    pending, number = "", 0
    for part in _SENTENCE_END.split(text):
        pending = f"{pending} {part}".strip()
        number += len(words(part)) if len(parts) < _MOST_SENTENCES else 0
        if number >= 3:
            parts.append(pending)
            pending, number = "", 0
    if pending and parts:
        parts[-1] += f" {pending}"
    return parts or [text]


def _likeness(word: str, known: str, shared: float) -> float:
    """How similar an unknown word is to a known one: another form of it, a typo, or by letters."""
    if len(known) < 4:
        return 0.0
    if len(word) > 3 and (known.startswith(word) or word.startswith(known)):
        return max(shared, _LIKE_PREFIX)
    if word[0] == known[0] and _is_slip(word, known):
        return max(shared, _LIKE)
    return shared if len(word) > 3 else 0.0


def _is_slip(word: str, known: str) -> bool:
    """Whether two words differ by one letter added, missing or replaced, or by two swapped."""
    at = next((n for n, (a, b) in enumerate(zip(word, known, strict=False)) if a != b), -1)
    typed, meant = word[at:], known[at:]
    if at < 0:
        return abs(len(word) - len(known)) == 1
    is_swapped = typed[:2] == meant[1::-1] and typed[2:] == meant[2:]
    return is_swapped or meant[1:] in (typed, typed[1:]) or typed[1:] == meant


def _add(scores: list[float], postings: Postings, weight: float) -> None:
    scaled = weight * postings.rarity / SCALE
    for tool, strength in zip(postings.tools, postings.strengths, strict=True):
        scores[tool] += scaled * strength
