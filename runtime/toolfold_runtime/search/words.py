"""Splitting text into words, the same for what is indexed and for queries."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import Stemmer

_STOP_WORDS: Final = """
    a about above again also am an and any are around as at be because been being below both but
    by can could did do does doing done either else etc even ever for from further had has have
    having he her here hers him his how i if in into is it its itself just let like may me might
    more much must my myself neither no nor not of on once only or our ours per rather shall she
    should so some such than that the their theirs them then there these they this those though
    through thus to too until upon us very via was we well were what when where whether which
    while who whom whose why will with within without would yet you your yours yourself d ll m
    re s t ve im don doesn didn isn please thank thanks hello hi hey dear help helps need needs
    want wants wish wanna gonna looking look able assist assistance kindly know tell give
    provide using use used uses
"""
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())

# Scripts that are written without spaces are split into pairs of characters.
_UNSPACED: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af"
    "\uf900-\ufaff"
)
# Vowel signs and points, which `\w` takes for the end of a word.
_MARKS: Final = "\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0dff"
_WORD: Final = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\\W_]|[{_MARKS}])+")
_IS_UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_ACCENTS: Final = re.compile("[\u0300-\u036f]")
_LONGEST: Final = 64  # letters; what is longer is data, not a word
_STEMMER: Final = Stemmer.Stemmer("english")


def words(text: str, stops: frozenset[str] = STOP_WORDS) -> list[str]:
    """Stems of a text in order: camelCase and snake_case split, accents and stop words omitted."""
    stems: list[str] = []
    for run in _runs(text):
        stems += _stems(run, stops)
    return stems


def spelled(text: str) -> Iterator[tuple[str, str]]:
    """Stems of a text, each with the word that it comes from, in lower case."""
    for run in _runs(text):
        for part in _CAMEL.split(run):
            yield stem(part.casefold()), part.casefold()


def joined(text: str) -> list[str]:
    """CamelCase words of two parts as one, because "YouTube" is also "youtube"."""
    return [stem(run.casefold()) for run in _runs(text) if _has_two_parts(run)]


def pairs(stems: Sequence[str]) -> list[str]:
    """The pairs of neighbouring words, each as one term."""
    return [f"{first} {second}" for first, second in pairwise(stems) if first != second]


def trigrams(word: str) -> set[str]:
    """The trigrams of a word with its edges marked, as many as it has letters."""
    edged = f"^{word}$"
    return {edged[at : at + 3] for at in range(len(edged) - 2)}


def is_unspaced(word: str) -> bool:
    """Whether a word is of a script that is written without spaces."""
    return _IS_UNSPACED.match(word) is not None


def stem(word: str) -> str:
    """The stem that the forms of an English word share; other words as they are."""
    stemmed: str = _STEMMER.stemWord(word) if word.isascii() else word
    return stemmed[:_LONGEST]


@lru_cache(maxsize=65536)
def _stems(run: str, stops: frozenset[str]) -> tuple[str, ...]:
    """The stems of what stands between two blanks."""
    if is_unspaced(run):
        return tuple(run[at : at + 2] for at in range(max(1, len(run) - 1)))
    parts = (part.casefold() for part in _CAMEL.split(run))
    return tuple(stem(part) for part in parts if part not in stops)


@lru_cache(maxsize=65536)
def _has_two_parts(run: str) -> bool:
    return len(_CAMEL.split(run)) == 2


def _runs(text: str) -> list[str]:
    runs: list[str] = _WORD.findall(_folded(text))
    return runs


def _folded(text: str) -> str:
    """The text without accents, in a normal form of Unicode."""
    if text.isascii():
        return text
    bare = _ACCENTS.sub("", unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text)))
    return unicodedata.normalize("NFC", bare)
