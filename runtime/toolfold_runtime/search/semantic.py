"""Ranking by meaning, alone and together with words; needs the extra `toolfold[semantic]`."""

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from toolfold_runtime.contract.search import SCALE
from toolfold_runtime.search.embedding import DIMENSIONS, Embedder, Floats, from_bytes
from toolfold_runtime.search.index import Postings, SearchIndex
from toolfold_runtime.search.lexical import (
    DAMPING,
    NAME,
    PAIR,
    SENTENCE,
    SERVER,
    Lexical,
    Parts,
    Scored,
    WeightedQuery,
    sentences,
)

_MEANING: Final = 1.0  # likeness of meaning, against words


class Semantic:
    """Scores of tools by what a query means."""

    def __init__(self, index: SearchIndex) -> None:
        self._index = index
        self._embedder = Embedder()

    def scored(self, text: str) -> Scored:
        """The scores of all tools."""
        texts = _texts(text)
        rows = [_standard(row) for row in self.likeness(texts)]
        best = SENTENCE * _best(rows)
        total = (rows[0] + best).tolist()

        def parts(at: int) -> Parts:
            return {"meaning": float(rows[0][at]), "sentence": float(best[at])}

        return Scored(range(len(total)), total, parts)

    def likeness(self, texts: Sequence[str]) -> Floats:
        """The similarity of each text and each tool."""
        given = self._embedder.units(texts).astype(np.float32)
        return _product("td,nd->tn", given, self._vectors)

    @cached_property
    def _vectors(self) -> Floats:
        return from_bytes(np.frombuffer(self._index.vectors(), np.int8).reshape(-1, DIMENSIONS))


class Hybrid:
    """Scores by words, by words that mean nearly the same, and by meaning."""

    def __init__(self, words: Lexical, meaning: Semantic) -> None:
        self._words = words
        self._meaning = meaning
        self._index = words.index

    def scored(self, text: str) -> Scored:
        """The scores of all tools."""
        texts = _texts(text)
        queries = [self._words.weighted(one) for one in texts]
        rows = self._word_scores(queries)
        words = [_standard(r, DAMPING * q.total) for r, q in zip(rows, queries, strict=True)]
        meaning = [_MEANING * _standard(row) for row in self._meaning.likeness(texts)]
        together = [w + m for w, m in zip(words, meaning, strict=True)]
        sentence = SENTENCE * _best(together)
        server = SERVER * self._servers(together[0])
        named = NAME * np.asarray(self._words.name_shares(queries[0]), np.float32)
        total = (together[0] + sentence + server + named).tolist()

        def parts(at: int) -> Parts:
            return {
                "words": float(words[0][at]),
                "meaning": float(meaning[0][at]),
                "sentence": float(sentence[at]),
                "server": float(server[at]),
                "name": float(named[at]),
            }

        return Scored(range(len(total)), total, parts)

    def _word_scores(self, queries: Sequence[WeightedQuery]) -> Floats:
        """A row of scores for each text; every list of postings is read once."""
        stems = list(dict.fromkeys(word for query in queries for word in query.words))
        both = list(dict.fromkeys(pair for query in queries for pair in query.pairs))
        worth = np.zeros((len(stems) + len(both), len(self._index.tools)), np.float32)
        for row, stem in zip(worth, stems, strict=False):
            known = self._words.word(stem)
            if known is not None:
                _raise(row, known.postings, 1.0)
                for near, weight in self._index.related(stem):
                    other = self._words.word(near)
                    if other is not None:
                        _raise(row, other.postings, weight)
        for row, pair in zip(worth[len(stems) :], both, strict=True):
            _raise(row, self._index.pair(pair), PAIR)
        counts = [
            [*(q.words.get(s, 0.0) for s in stems), *(p in q.pairs for p in both)] for q in queries
        ]
        return _product("ts,sn->tn", np.asarray(counts, np.float32), worth)

    def _servers(self, scores: Floats) -> Floats:
        """Standard score of each tool's server by the mean of its tools."""
        sizes = self._words.server_sizes
        if len(sizes) < 2:
            return np.zeros_like(scores)
        server = self._server
        means = np.bincount(server, scores, len(sizes)) / np.asarray(sizes)
        return _standard(means[server].astype(np.float32))

    @cached_property
    def _server(self) -> NDArray[np.intp]:
        return np.asarray(self._words.server, np.intp)


def _product(how: str, left: Floats, right: Floats) -> Floats:
    # Not `@`: for so little, the threads behind it cost several times what they save.
    product: Floats = np.einsum(how, left, right)
    return product


def _texts(text: str) -> list[str]:
    """The whole text, then its sentences where there are several."""
    parts = sentences(text)
    return [text, *parts] if len(parts) > 1 else [text]


def _best(rows: Sequence[Floats]) -> Floats:
    """The best score over the sentences; that of the whole text if it is one sentence."""
    best: Floats = np.maximum.reduce(rows[1:]) if len(rows) > 1 else rows[0]
    return best


def _standard(scores: Floats, damping: float = 0.0) -> Floats:
    spread = float(scores.std()) + damping
    standard: Floats = (scores - scores.mean()) / (spread or 1.0)
    return standard


def _raise(row: Floats, postings: Postings, weight: float) -> None:
    """Raise a word's scores to those of a related word where these are higher."""
    if len(postings.tools):
        tools = np.frombuffer(postings.tools, np.uint16)  # type: ignore[call-overload]  # an array
        scale = np.float32(weight * postings.rarity / SCALE)
        worth = np.frombuffer(postings.strengths, np.uint16) * scale  # type: ignore[call-overload]  # likewise
        row[tools] = np.maximum(row[tools], worth)
