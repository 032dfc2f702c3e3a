"""Searching by any strategy: the query is parsed, tools are ranked, filtered and diversified."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Final, Protocol

from toolfold_runtime.contract.vocabulary import Strategy
from toolfold_runtime.search.index import SearchIndex
from toolfold_runtime.search.lexical import Lexical, Parts, Scored, sentences
from toolfold_runtime.search.query import Filter, LatencyLimit, Query, parse, quoted
from toolfold_runtime.search.words import words

# A task of several sentences: evidence that earlier results already gave counts less.
_REPEATED: Final = 2.0
_SPREAD: Final = 30
_SHOWN: Final = 120  # characters of what an answer lists
# Scores that differ by less are equal, so that no rounding of a machine decides.
_DIGITS: Final = 5
_TIE: Final = 1e-5
_SHORT: Final = 8  # words of a query that is no task
_DEPRECATED: Final = -1000.0  # below every match that is not deprecated
# What usage adds to a score, by its own from 0 to 1: it decides between tools that match about
# equally well. A tool that was never measured is between those that work and those that do not.
_USAGE: Final = 0.02
_UNMEASURED: Final = 0.3


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
class SearchResults:
    """The best tools for a query; `reason` says why there are none."""

    given: str
    query: Query
    tools: tuple[Ranked, ...]
    reason: str = ""


class Finder:
    """Searches one catalog with one strategy."""

    def __init__(self, index: SearchIndex, scorer: Scorer, words: Lexical) -> None:
        self.index = index
        self._scorer = scorer
        self._words = words

    def find(self, given: str, limit: int) -> SearchResults:
        """The best tools, ties by name; a tool whose name, alias or id was given is first."""
        known = self.index.number(given.strip())
        if known is not None and is_identifier(given):
            return SearchResults(given, Query(given), (Ranked(known, 0.0, {}),))
        query, allowed = self._allowed(parse(given))
        ranked = self._ranked(query.text, allowed, max(limit, _SPREAD))
        ranked = self._diversified(query.text, ranked, limit)
        exact = self._exact(given, query.text, allowed)
        if exact is not None:
            first = next((r for r in ranked if r.tool == exact), Ranked(exact, 0.0, {}))
            ranked = [first, *(r for r in ranked if r.tool != exact)]
        reason = "" if ranked else self._reason(query, allowed)
        return SearchResults(given, query, tuple(ranked[:limit]), reason)

    def _exact(self, given: str, text: str, allowed: set[int] | None) -> int | None:
        """The tool that the query names exactly, alone or beside qualifiers that it meets; else None."""
        named = self.index.number(given.strip())
        if named is None:
            named = self.index.number(text.strip())
            return named if allowed is None or named in allowed else None
        return named

    def _ranked(self, text: str, allowed: set[int] | None, depth: int) -> list[Ranked]:
        """The best tools in order, as many as are needed."""
        if not self.index.tools:
            return []
        if not has_words(text):
            # Qualifiers alone list what they allow; nothing is found by punctuation.
            return self._sorted(self._placed(tool, 0.0, {}) for tool in allowed or ())
        scored = self._scorer.scored(text)
        totals = self._totals(scored)
        places: Sequence[int] = range(len(scored.tools))
        if allowed is not None:
            places = [at for at in places if scored.tools[at] in allowed]
        if len(places) > depth:
            least = sorted([totals[at] for at in places])[-depth] - _TIE
            places = [at for at in places if totals[at] >= least]
        return self._sorted(
            self._placed(scored.tools[at], scored.totals[at], scored.parts(at)) for at in places
        )

    def _totals(self, scored: Scored) -> Sequence[float]:
        """The scores with what usage adds; deprecated tools come below all others."""
        if not self.index.deprecated and not self.index.usage_scores:
            return scored.totals
        pairs = zip(scored.tools, scored.totals, strict=True)
        return [total + sum(self._beside_words(tool).values()) for tool, total in pairs]

    def _placed(self, tool: int, score: float, parts: Parts) -> Ranked:
        beside = self._beside_words(tool)
        return (
            Ranked(tool, score + sum(beside.values()), parts | beside)
            if beside
            else Ranked(tool, score, parts)
        )

    def _beside_words(self, tool: int) -> Parts:
        """The part of a tool's score that does not depend on the query."""
        beside: Parts = {}
        if tool in self.index.usage_scores:
            beside["usage"] = _USAGE * (self.index.usage_scores[tool] - _UNMEASURED)
        if tool in self.index.deprecated:
            beside["deprecated"] = _DEPRECATED
        return beside

    def _sorted(self, ranked: Iterable[Ranked]) -> list[Ranked]:
        tools = self.index.tools
        return sorted(ranked, key=lambda one: (-round(one.score, _DIGITS), tools[one.tool].name))

    def _diversified(self, text: str, ranked: list[Ranked], limit: int) -> list[Ranked]:
        """The tools reordered so that the first ones cover all sentences of a longer task."""
        if len(ranked) < 2 or len(sentences(text)) < 2:
            return ranked
        head, tail = ranked[:_SPREAD], ranked[_SPREAD:]
        evidence = self._words.evidence(text, [one.tool for one in head])
        covered = [0.0] * len(evidence[0])
        candidates = list(range(len(head)))
        picked: list[Ranked] = []
        scores = [round(one.score, _DIGITS) for one in head]
        while candidates and len(picked) < limit:
            best, most = candidates[0], float("-inf")
            for at in candidates:
                if scores[at] <= most:
                    break  # neither this one nor a later one can be worth more
                worth = round(scores[at] - _REPEATED * _overlap(evidence[at], covered), _DIGITS)
                best, most = (at, worth) if worth > most else (best, most)
            candidates.remove(best)
            picked.append(head[best])
            covered = list(map(max, covered, evidence[best]))
        return [*picked, *(head[at] for at in candidates), *tail]

    def _allowed(self, query: Query) -> tuple[Query, set[int] | None]:
        """The query with hints, and the tools that its qualifiers and phrases allow; None for all."""
        query, limits = self._latency_limits(query)
        tool_sets = [set(self._matching(key, query.filters)) for key in _keys(query)]
        tool_sets += [self._within(limit) for limit in limits]
        # In a longer task, quotes are around values, not around what a tool says of itself.
        is_short = len(query.text.split()) <= _SHORT
        missing = ""
        # A phrase of nothing but stop words is not in the index.
        for phrase in filter(words, query.phrases) if is_short else ():
            having = self._words.with_neighbours(phrase)
            tool_sets += [having] if having else []
            missing = missing or ("" if having else phrase)
        if query.excluded:
            excluded = set[int]().union(
                *map(self._words.with_neighbours, dict.fromkeys(query.excluded))
            )
            tool_sets.append(set(range(len(self.index.tools))) - excluded)
        if missing:
            hint = f"no tool has {quoted(missing, 30)}; its words were used"
            query = replace(query, hints=(*query.hints, hint))
        return query, set.intersection(*tool_sets) if tool_sets else None

    def _latency_limits(self, query: Query) -> tuple[Query, tuple[LatencyLimit, ...]]:
        """The query with a hint about tools that were never measured, and the limits that apply."""
        if not query.latency:
            return query, ()
        unmeasured = sum(tool.latency_ms is None for tool in self.index.tools)
        if unmeasured == len(self.index.tools):
            hint = "latency: not measured yet"
            return replace(query, hints=(*query.hints, hint)), ()
        if unmeasured:
            hint = f"latency: {unmeasured:,} tools were never measured and are left out"
            query = replace(query, hints=(*query.hints, hint))
        return query, query.latency

    def _within(self, limit: LatencyLimit) -> set[int]:
        """The measured tools whose average latency is within a limit."""
        return {
            number
            for number, tool in enumerate(self.index.tools)
            if tool.latency_ms is not None and limit.holds(tool.latency_ms)
        }

    def _matching(self, key: str, filters: Sequence[Filter]) -> Iterator[int]:
        """Tools with any of the wanted values of one key, and none of the unwanted."""
        of_key = [one for one in filters if one.key == key]
        wanted = {one.value.casefold() for one in of_key if not one.is_negated}
        unwanted = {one.value.casefold() for one in of_key if one.is_negated}
        for tool in range(len(self.index.tools)):
            values = {value.casefold() for value in self._values(key, tool)}
            if (not wanted or values & wanted) and not values & unwanted:
                yield tool

    def _values(self, key: str, number: int) -> Sequence[str]:
        """The values that a tool has for a qualifier."""
        tool = self.index.tools[number]
        if key == "tag":
            return tool.tags
        if key == "effect":
            return [tool.effect]
        names = self.index.names
        return names.servers[tool.server] if key == "server" else names.categories[tool.category]

    def _reason(self, query: Query, allowed: set[int] | None) -> str:
        """Why there are no results, and what to do about it."""
        for key in _keys(query):
            if not any(True for _ in self._matching(key, query.filters)):
                return f"no tool has that {key}; {self._known_values(key)}. Leave it out"
        if allowed is not None and not allowed:
            return "its qualifiers, phrases and -words leave no tool. Leave one of them out"
        if has_words(query.text):
            those = "none" if allowed is None else f"none of the {len(allowed)} tools it leaves"
            return f"{those} has these words. Try other words"
        return "it says no word to search by. Say what the tool should do"

    def _known_values(self, key: str) -> str:
        """The values that a qualifier can have, as many as fit into an answer."""
        by_tool = (self._values(key, number) for number in range(len(self.index.tools)))
        known = sorted({v for values in by_tool for v in (values if key == "tag" else values[:1])})
        lengths = accumulate(len(value) + 2 for value in known)
        shown = [value for value, length in zip(known, lengths, strict=True) if length <= _SHOWN]
        more = f" and {len(known) - len(shown)} more" if len(shown) < len(known) else ""
        return f"there is {', '.join(shown)}{more}" if shown else "there is none"


def finder_for(read: Callable[[str], bytes], strategy: Strategy) -> Finder:
    """The search over baked data, by a strategy; `read` gives the bytes of a file by its path."""
    index = SearchIndex(read)
    words = Lexical(index)
    if strategy == "lexical":
        return Finder(index, words, words)
    from toolfold_runtime.search.semantic import Hybrid, Semantic

    meaning = Semantic(index)
    scorer = meaning if strategy == "semantic" else Hybrid(words, meaning)
    return Finder(index, scorer, words)


def has_words(text: str) -> bool:
    """Whether a text has any words to search by."""
    return bool(words(text, frozenset()))


def is_identifier(name: str) -> bool:
    """Whether a text can only be a name or id, which is looked up and not ranked."""
    return "_" in name or "::" in name


def _keys(query: Query) -> Iterable[str]:
    return dict.fromkeys(one.key for one in query.filters)


def _overlap(evidence: Sequence[float], covered: Sequence[float]) -> float:
    """The share of a tool's evidence that other tools have already given."""
    total = sum(evidence)
    return sum(map(min, evidence, covered)) / total if total else 0.0
