"""The categories of a server's tools: one, or by the first words of names where those are few and clear."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from toolfold.importing.effects import DESTROYING, READING, WRITING, name_words
from toolfold.importing.names import slugs_for
from toolfold.importing.sources import ForeignTool

_VERBS: Final = READING | WRITING | DESTROYING
_FEWEST_TOOLS: Final = 20  # of a server that is worth dividing
_FEWEST: Final = 3
_SHARE: Final = 0.1
_COVERED: Final = 0.7
_LONGEST: Final = 64


class Grouping(NamedTuple):
    """The category of each tool by its id, and the title of each category."""

    categories: dict[str, str]
    titles: dict[str, str]


def grouping_of(
    server: str, tools: Sequence[ForeignTool], before: Mapping[str, str], others: Collection[str]
) -> Grouping:
    """A category for each tool, named after the server, with no name from `others`.

    A tool keeps the category that it had `before`: one that is added upstream moves no other.
    """
    base = slugs_for([server], others)[server]
    words = {tool.id: _word(tool.name, server) for tool in tools}
    known = {word: f"{base}-{word}" for word in words.values() if word}
    taken = {name.casefold() for name in others}
    free = {w: name for w, name in known.items() if _is_free(name, taken)}
    if before:
        free = {w: name for w, name in free.items() if name in before.values()}
    else:
        free = {w: free[w] for w in _clear_words([w if w in free else "" for w in words.values()])}
    categories = {tool.id: before.get(tool.id) or free.get(words[tool.id], base) for tool in tools}
    titles = {name: f"{server}: {word}" for word, name in free.items()}
    used = dict.fromkeys(categories.values())
    return Grouping(categories, {name: titles.get(name, server) for name in used})


def _word(name: str, server: str) -> str:
    """The word to group a tool by: the first that the server's name lacks; empty if it is a verb."""
    server_words = set(name_words(server))
    first = next((word for word in name_words(name) if word not in server_words), "")
    return "" if first in _VERBS else first


def _clear_words(words: Sequence[str]) -> list[str]:
    """The words of groups that together hold most of many tools; else none."""
    counts = Counter(word for word in words if word)
    least = max(_FEWEST, _SHARE * len(words))
    clear = [word for word, number in counts.items() if number >= least]
    covered = sum(counts[word] for word in clear)
    is_worth_it = len(words) >= _FEWEST_TOOLS and len(clear) > 1
    return clear if is_worth_it and covered >= _COVERED * len(words) else []


def _is_free(name: str, taken: Collection[str]) -> bool:
    return len(name) <= _LONGEST and name.casefold() not in taken
