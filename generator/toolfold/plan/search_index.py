"""The search index: where each word stands, with all factors worked out."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import log
from typing import Final

from toolfold_runtime.search.index import packed
from toolfold_runtime.search.words import is_unspaced, pairs, trigrams

from toolfold.manifest.schema import Manifest
from toolfold.plan.escape import json_text
from toolfold.plan.model import ToolPlan
from toolfold.plan.search_words import Cut, search_texts

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
_PAIRED: Final = tuple(field for field in _WEIGHTS if field != "joined")

#: Term to the tools that have it, and what it is worth in each.
Worth = dict[str, tuple[list[int], list[float]]]


def search_index(manifest: Manifest, tools: Sequence[ToolPlan]) -> Iterator[tuple[str, list[str]]]:
    """The files of the index, each a list of lines sorted by their first item."""
    cut = [tool.words for tool in tools]
    worth, rarity = _worth(cut)
    shares = _name_shares(cut, rarity)
    nowhere: tuple[list[int], list[float]] = ([], [])
    yield (
        "search/words.jsonl",
        _lines(
            (word, [str(round(rarity[word], 4)), *_packed(w), *_packed(shares.get(word, nowhere))])
            for word, w in worth.items()
        ),
    )
    paired = [{field: pairs(one.get(field, [])) for field in _PAIRED} for one in cut]
    yield (
        "search/pairs.jsonl",
        _lines((pair, _packed(w)) for pair, w in _worth(paired)[0].items()),
    )
    grams = ((gram, [json_text(" ".join(known))]) for gram, known in _grams(worth))
    yield "search/grams.jsonl", _lines(grams)
    if manifest.disclosure.search != "lexical" and tools:
        # Imported here: only this strategy needs the packages behind it.
        from toolfold.plan.meaning import related, vectors

        texts = [search_texts(tool.name, manifest) for tool in tools]
        yield "search/vectors.jsonl", [json_text(vector) for vector in vectors(texts)]
        near = related(texts, list(worth)).items()
        yield "search/related.jsonl", _lines((word, [json_text(others)]) for word, others in near)


def _worth(cut: Sequence[Cut]) -> tuple[Worth, dict[str, float]]:
    """BM25F: weighted, diluted counts summed over fields, saturated, times the term's rarity."""
    weighted: list[dict[str, float]] = [{} for _ in cut]
    for field, weight in _WEIGHTS.items():
        _weigh(cut, field, weight, weighted)
    frequency = Counter(term for tool in weighted for term in tool)
    rarity = {term: log(1 + (len(cut) - n + 0.5) / (n + 0.5)) for term, n in frequency.items()}
    worth: Worth = {}
    for number, tool in enumerate(weighted):
        for term, value in tool.items():
            tools, impacts = worth.setdefault(term, ([], []))
            tools.append(number)
            impacts.append(rarity[term] * value * (_SATURATION + 1) / (value + _SATURATION))
    return worth, rarity


def _weigh(
    cut: Sequence[Cut], field: str, weight: float, weighted: Sequence[dict[str, float]]
) -> None:
    lengths = [len(tool.get(field, ())) for tool in cut]
    filled = sum(length > 0 for length in lengths)
    if not filled:
        return
    mean, dilution = sum(lengths) / filled, _DILUTION.get(field, _DILUTION_OF_PROSE)
    for tool, length, sums in zip(cut, lengths, weighted, strict=True):
        if length:
            scale = weight / (1 - dilution + dilution * length / mean)
            for term in tool[field]:
                sums[term] = sums.get(term, 0.0) + scale


def _name_shares(cut: Sequence[Cut], rarity: Mapping[str, float]) -> Worth:
    """Each word's share of the names it stands in, by rarity."""
    shares: Worth = {}
    for number, tool in enumerate(cut):
        distinct = dict.fromkeys(tool["name"])
        whole = sum(rarity[word] for word in distinct) or 1.0
        for word in distinct:
            tools, parts = shares.setdefault(word, ([], []))
            tools.append(number)
            parts.append(rarity[word] / whole)
    return shares


def _grams(worth: Worth) -> Iterator[tuple[str, list[str]]]:
    """Trigram to the words that have it, for words that may be mistyped.

    In scripts without spaces, one character to the pairs that have it.
    """
    found: dict[str, list[str]] = {}
    for word in sorted(worth):
        grams: set[str] = set()
        if is_unspaced(word):
            grams = set(word)
        elif len(word) > 2 and word.isalpha():
            grams = trigrams(word)
        for gram in grams:
            found.setdefault(gram, []).append(word)
    yield from found.items()


def _lines(items: Iterable[tuple[str, list[str]]]) -> list[str]:
    """A line per item: its term, then what is JSON already."""
    ordered = sorted(items, key=lambda item: item[0].encode())
    return [f"[{json_text(term)},{','.join(rest)}]" for term, rest in ordered]


def _packed(where: tuple[list[int], list[float]]) -> list[str]:
    # In base64 there is nothing to escape.
    return [f'"{text}"' for text in packed(*where)]
