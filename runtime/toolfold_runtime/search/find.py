"""One way to search, whatever ranks: the query taken apart, tools ranked, filtered, spread out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import Final, Protocol

from toolfold_runtime.search.index import Index
from toolfold_runtime.search.lexical import Lexical, Parts, Scored, sentences
from toolfold_runtime.search.query import Filter, Query, parse

# A task of several sentences: evidence that earlier hits already gave counts less.
_REPEATED: Final = 2.0
_SPREAD: Final = 30
_SHOWN: Final = 20
# Scores that differ by less are equal, so that no rounding of a machine decides.
_DIGITS: Final = 5
_TIE: Final = 1e-5
_SHORT: Final = 8  # words of a query that is no task


class Scorer(Protocol):
    """A strategy."""

    def scored(self, text: str) -> Scored:
        """The tools that match a text, and how well."""


@dataclass(frozen=True)
class Ranked:
    """A tool by its number, its score, and what each part contributed."""

    tool: int
    score: float
    parts: Parts


@dataclass(frozen=True)
class Found:
    """What a search found, and why it found no more."""

    asked: str
    query: Query
    tools: tuple[Ranked, ...]
    refused: str = ""


class Finder:
    """Searches one catalog with one strategy."""

    def __init__(self, index: Index, scorer: Scorer, words: Lexical) -> None:
        self.index = index
        self._scorer = scorer
        self._words = words

    def find(self, asked: str, limit: int) -> Found:
        """The best tools, ties by name; a tool whose name, alias or id was asked for is first."""
        query = parse(asked)
        exact = self.index.number(asked.strip())
        allowed, refused, hints = self._allowed(query)
        ranked = self._ranked(query.text, allowed, max(limit, _SPREAD))
        ranked = self._spread_out(query.text, ranked, limit)
        if exact is not None:
            first = next((r for r in ranked if r.tool == exact), Ranked(exact, 0.0, {}))
            ranked = [first, *(r for r in ranked if r.tool != exact)]
        why = refused if not ranked else ""
        return Found(asked, replace(query, hints=hints), tuple(ranked[:limit]), why)

    def _ranked(self, text: str, allowed: set[int] | None, depth: int) -> list[Ranked]:
        """The best tools, and no more than are needed."""
        if not self.index.tools:
            return []
        if not text.strip():
            # Qualifiers alone list what they allow.
            return self._sorted(Ranked(tool, 0.0, {}) for tool in allowed or ())
        scored = self._scorer.scored(text)
        places: Sequence[int] = range(len(scored.tools))
        if allowed is not None:
            places = [at for at in places if scored.tools[at] in allowed]
        if len(places) > depth:
            least = sorted([scored.totals[at] for at in places])[-depth] - _TIE
            places = [at for at in places if scored.totals[at] >= least]
        return self._sorted(
            Ranked(scored.tools[at], scored.totals[at], scored.parts(at)) for at in places
        )

    def _sorted(self, found: Iterable[Ranked]) -> list[Ranked]:
        tools = self.index.tools
        return sorted(found, key=lambda one: (-round(one.score, _DIGITS), tools[one.tool].name))

    def _spread_out(self, text: str, ranked: list[Ranked], limit: int) -> list[Ranked]:
        """The first hits of a task of several sentences, so that they cover it."""
        if len(ranked) < 2 or len(sentences(text)) < 2:
            return ranked
        head, tail = ranked[:_SPREAD], ranked[_SPREAD:]
        evidence = self._words.evidence(text, [one.tool for one in head])
        covered = [0.0] * len(evidence[0])
        left = list(range(len(head)))
        picked: list[Ranked] = []
        while left and len(picked) < limit:
            worth = {at: head[at].score - _REPEATED * _known(evidence[at], covered) for at in left}
            best = max(left, key=lambda at: (worth[at], -at))
            left.remove(best)
            picked.append(head[best])
            covered = list(map(max, covered, evidence[best]))
        return [*picked, *(head[at] for at in left), *tail]

    def _allowed(self, query: Query) -> tuple[set[int] | None, str, tuple[str, ...]]:
        """Tools that the qualifiers, phrases and excluded words leave; None for all of them."""
        every = range(len(self.index.tools))
        allowed: set[int] | None = None
        refused, hints = "", list(query.hints)
        for key in dict.fromkeys(one.key for one in query.filters):
            found = set(self._matching([f for f in query.filters if f.key == key], every))
            if not found:
                refused = self._unmatched(key)
            allowed = found if allowed is None else allowed & found
        # In a longer task, quotes are around values, not around what a tool says of itself.
        is_short = len(query.text.split()) <= _SHORT
        for phrase in query.phrases if is_short else ():
            having = self._words.having(phrase)
            if having:
                allowed = having if allowed is None else allowed & having
            else:
                hints.append(f'no tool has "{phrase[:60]}"; its words were used')
        for word in query.excluded:
            allowed = (set(every) if allowed is None else allowed) - self._words.having(word)
        return allowed, refused, tuple(hints)

    def _matching(self, filters: Sequence[Filter], every: range) -> Iterator[int]:
        """Tools with any of the wanted values of one key, and none of the unwanted."""
        wanted = {one.value.casefold() for one in filters if not one.is_negated}
        unwanted = {one.value.casefold() for one in filters if one.is_negated}
        for tool in every:
            values = {value.casefold() for value in self._values(filters[0].key, tool)}
            if (not wanted or values & wanted) and not values & unwanted:
                yield tool

    def _values(self, key: str, number: int) -> list[str]:
        """What a tool answers to for a qualifier."""
        tool = self.index.tools[number]
        if key == "tag":
            return tool.tags
        if key == "effect":
            return [tool.effect]
        return self.index.names[key][tool.server if key == "server" else tool.category]

    def _unmatched(self, key: str) -> str:
        values = (self._values(key, number)[:1] for number in range(len(self.index.tools)))
        known = sorted({value for found in values for value in found})
        more = f" and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
        return f"no tool has that {key}; there is {', '.join(known[:_SHOWN]) or 'none'}{more}"


def has_meaning() -> bool:
    """Whether the extra `toolfold[semantic]` is there, without importing any of it."""
    return all(find_spec(name) is not None for name in ("wordllama", "tokenizers", "numpy"))


def finder_for(read: Callable[[str], bytes], strategy: str) -> Finder:
    """The search over baked data, by the strategy of that name."""
    index = Index(read)
    words = Lexical(index)
    if strategy == "lexical":
        return Finder(index, words, words)
    from toolfold_runtime.search.semantic import Hybrid, Semantic

    meaning = Semantic(index)
    scorer = meaning if strategy == "semantic" else Hybrid(words, meaning)
    return Finder(index, scorer, words)


def _known(evidence: Sequence[float], covered: Sequence[float]) -> float:
    """How much of a tool's evidence was already given by others."""
    whole = sum(evidence)
    return sum(map(min, evidence, covered)) / whole if whole else 0.0
