"""What semantic search needs besides words: a vector per tool, and words that mean nearly the same."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from toolfold_runtime.contract.search import vector_text
from toolfold_runtime.search.embedding import Embedder, to_bytes
from toolfold_runtime.search.words import spelled

# A tool's vector: of each line the fields together, at length one, with its weight.
_PARTS: Final = (
    (("server", "name", "title"), 1.0),
    (("description", "tags", "prompts"), 1.0),
    (("parameters",), 0.3),
    (("hints",), 0.3),
    (("server", "name", "title", "description", "parameters", "hints"), 0.5),
)
_NEAR: Final = 4  # words that mean nearly the same, at most
_LEAST: Final = 0.25  # cosine of two words that do
_ROWS: Final = 512

#: A tool's text by field.
Texts = Mapping[str, str]


def vectors(texts: Sequence[Texts]) -> list[str]:
    """A line with the vector of each tool."""
    embedder = Embedder()
    total: Any = np.zeros((len(texts), 1))
    for fields, weight in _PARTS:
        joined = [" ".join(text[field] for field in fields if text[field]) for text in texts]
        total = total + weight * embedder.units(joined)
    return [vector_text(row.tobytes()) for row in to_bytes(total)]


def related(texts: Sequence[Texts], words: Sequence[str]) -> dict[str, list[tuple[str, float]]]:
    """For each word the few others with nearly the same meaning, and the weight of a match."""
    stems = sorted(word for word in words if word.isalpha())
    spelling = _spellings(texts)
    # Whole numbers below 2**24 in all sums: exact in any order of adding, so on any machine.
    codes = to_bytes(Embedder().units([spelling.get(stem, stem) for stem in stems]))
    floats = codes.astype(np.float32)
    lengths = np.sqrt((floats.astype(np.float64) ** 2).sum(1))
    related_words = {}
    for start in range(0, len(stems), _ROWS):
        dots = floats[start : start + _ROWS] @ floats.T
        cosines = dots / np.maximum(np.outer(lengths[start : start + _ROWS], lengths), 1e-9)
        for at, row in enumerate(cosines, start):
            row[at] = 0.0
            near = sorted(
                (-round(float(row[n]), 5), stems[n]) for n in np.flatnonzero(row > _LEAST)
            )
            if near:
                related_words[stems[at]] = [
                    (stem, _counts(-cosine)) for cosine, stem in near[:_NEAR]
                ]
    return related_words


def _counts(cosine: float) -> float:
    return round((cosine - _LEAST) / (1 - _LEAST), 2)


def _spellings(texts: Sequence[Texts]) -> dict[str, str]:
    """The commonest word of each stem: vectors are of words, not of stems."""
    seen: dict[str, Counter[str]] = {}
    for text in texts:
        for value in text.values():
            for stem, word in spelled(value):
                seen.setdefault(stem, Counter())[word] += 1
    return {
        stem: min(spellings.items(), key=lambda item: (-item[1], item[0]))[0]
        for stem, spellings in seen.items()
    }
