"""Similarity of short texts by shared words and shared pieces of words.

This is not a language model. A text becomes a sparse vector of hashed features: its words,
and the four-character pieces of its longer words, so that "onboarding" is near "onboard" and
a misspelling is near the word that was meant. It does not know synonyms.

Texts are weighted by log frequency and scaled to length one; only the query is weighted by how
rare each feature is (idf). A text's vector therefore never changes when others come and go.
"""

import json
import math
import sqlite3
import struct
import zlib
from collections import Counter, defaultdict
from heapq import nlargest

from .text import words

_PIECE = 4
_PIECE_WEIGHT = 0.5
_SCALE = 1000
_MOST_WORDS = 80
_INDEXED = 40
_BATCH = 200_000

# Limits of one query: features looked at, postings read of each, candidates scored exactly.
_QUERY_FEATURES = 32
_POSTINGS = 400
_CANDIDATES = 200

_STOPWORDS = frozenset(
    words(
        "a an and are as at be but by do for from has have i in is it its my of on or our so that "
        "the their them they this to was we were what when which who will with you your"
    )
)


def vector_of(text: str) -> dict[int, float]:
    """Return the features of a text; the squares of their weights add up to one, if any."""
    counts: Counter[str] = Counter(words(text)[:_MOST_WORDS])
    weights: dict[int, float] = {}
    for word, count in counts.items():
        if word in _STOPWORDS:
            continue
        weight = 1 + math.log(count)
        _add(weights, "w:" + word, weight)
        if len(word) > _PIECE:
            padded = f"<{word}>"
            for start in range(len(padded) - _PIECE + 1):
                _add(weights, padded[start : start + _PIECE], weight * _PIECE_WEIGHT)
    return _scaled(weights)


class VectorWriter:
    """Adds and removes the vectors of nodes; `finish` must be called before the commit."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._added: list[tuple[int, int, int]] = []
        self._counts: Counter[int] = Counter()

    def add(self, node: int, text: str) -> bytes:
        """Index a node's text; the caller stores the answer with the node, for `remove`."""
        impacts = {f: max(1, round(w * _SCALE)) for f, w in vector_of(text).items()}
        self._added += _postings(node, impacts)
        self._counts.update(impacts.keys())
        if len(self._added) >= _BATCH:
            self._flush()
        return _packed(impacts)

    def remove(self, node: int, packed: bytes) -> None:
        """Take out what `add` put in for a node."""
        self._flush()
        impacts = _unpacked(packed)
        self._db.executemany(
            "DELETE FROM postings WHERE feature = ? AND impact = ? AND node = ?",
            _postings(node, impacts),
        )
        self._counts.subtract(impacts.keys())

    def finish(self) -> None:
        """Write what is still held back."""
        self._flush()
        self._db.executemany(
            "INSERT INTO features VALUES (?, ?)"
            " ON CONFLICT (feature) DO UPDATE SET nodes = nodes + excluded.nodes",
            sorted((feature, change) for feature, change in self._counts.items() if change),
        )
        self._db.execute("DELETE FROM features WHERE nodes = 0")
        self._counts.clear()

    def _flush(self) -> None:
        # In key order, a large load walks the tree once instead of jumping about in it.
        self._db.executemany("INSERT INTO postings VALUES (?, ?, ?)", sorted(self._added))
        self._added.clear()


def similar(
    db: sqlite3.Connection, query: str, limit: int, min_score: float
) -> list[tuple[int, float]]:
    """Find nodes that share features with a query: numbers and scores from 0 to 1, best first.

    Candidates come from the heads of the query's rarest features, so that the cost does not
    grow with the workspace; the candidates' scores are exact.
    """
    weights = _query_vector(db, query)
    partial: defaultdict[int, float] = defaultdict(float)
    for feature, weight in list(weights.items())[:_QUERY_FEATURES]:
        for node, impact in db.execute(
            "SELECT node, impact FROM postings WHERE feature = ?"
            " ORDER BY impact DESC, node LIMIT ?",
            (feature, _POSTINGS),
        ):
            partial[node] += weight * impact
    candidates = nlargest(_CANDIDATES, partial, key=lambda node: (partial[node], -node))
    scored = [(node, _score(db, node, weights)) for node in candidates]
    similar = [(node, score) for node, score in scored if score >= min_score]
    return sorted(similar, key=lambda pair: (-pair[1], pair[0]))[:limit]


def _query_vector(db: sqlite3.Connection, query: str) -> dict[int, float]:
    """Return the query's features, weighted by rarity, heaviest first."""
    plain = vector_of(query)
    total = db.execute("SELECT count(*) FROM nodes").fetchone()[0]
    found = db.execute(
        "SELECT feature, nodes FROM features WHERE feature IN (SELECT value FROM json_each(?))",
        (json.dumps([*plain]),),
    )
    counts: dict[int, int] = dict(found)
    # What no node has cannot match; counted in, it would only make a misspelling score lower.
    weighted = {f: plain[f] * math.log(1 + total / count) for f, count in counts.items()}
    ordered = sorted(_scaled(weighted).items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ordered)


def _score(db: sqlite3.Connection, node: int, weights: dict[int, float]) -> float:
    packed = db.execute("SELECT vector FROM nodes WHERE number = ?", (node,)).fetchone()[0]
    impacts = _unpacked(packed)
    return min(1.0, sum(weights[f] * impacts[f] for f in weights.keys() & impacts) / _SCALE)


def _add(weights: dict[int, float], feature: str, weight: float) -> None:
    key = zlib.crc32(feature.encode())
    weights[key] = weights.get(key, 0.0) + weight


def _scaled(weights: dict[int, float]) -> dict[int, float]:
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {feature: weight / length for feature, weight in weights.items()}


def _postings(node: int, impacts: dict[int, int]) -> list[tuple[int, int, int]]:
    """Return the postings of a node: its heaviest features, enough to become a candidate."""
    ordered = sorted(impacts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [(feature, impact, node) for feature, impact in ordered[:_INDEXED]]


def _packed(impacts: dict[int, int]) -> bytes:
    count = len(impacts)
    return struct.pack(f"<{count}I{count}H", *impacts.keys(), *impacts.values())


def _unpacked(packed: bytes) -> dict[int, int]:
    count = len(packed) // 6
    numbers = struct.unpack(f"<{count}I{count}H", packed)
    return dict(zip(numbers[:count], numbers[count:], strict=True))
