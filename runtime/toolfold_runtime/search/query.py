"""Parsing a query: free words, quoted phrases, excluded words, and qualifiers."""

import re
import unicodedata
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Final

QUALIFIERS: Final = ("category", "tag", "server", "effect", "latency")

_LONGEST: Final = 2000  # characters; nobody describes a tool in more
# A qualifier, a phrase, or anything else up to the next blank.
_PART: Final = re.compile(
    r"""(?P<minus>-?)(?P<key>[A-Za-z_]+):(?P<value>"[^"]*"|[^\s"]+)(?!\S)"""
    r"""|(?P<not>-?)"(?P<phrase>[^"]*)"
    |(?P<text>\S+)""",
    re.VERBOSE,
)
_NO_VALUE: Final = ("//", "\\", ":")
_LATENCY: Final = re.compile(r"(?P<relation>[<>]=?)(?P<number>\d{1,9}(\.\d{1,9})?)(?P<unit>ms|s)?")
_RELATIONS: Final = {"<": lt, "<=": le, ">": gt, ">=": ge}


@dataclass(frozen=True)
class Filter:
    """A qualifier: the tools whose `key` is `value`, or is not if it is negated."""

    key: str
    value: str
    is_negated: bool = False


@dataclass(frozen=True)
class LatencyLimit:
    """A limit on the average latency of a tool, from above or from below."""

    relation: str
    millis: float
    is_negated: bool = False

    def holds(self, millis: float) -> bool:
        """Whether a latency is within the limit."""
        return _RELATIONS[self.relation](millis, self.millis) is not self.is_negated


@dataclass(frozen=True)
class Query:
    """A parsed query; `text` is what is left to rank by, phrases included."""

    text: str
    filters: tuple[Filter, ...] = ()
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()
    latency: tuple[LatencyLimit, ...] = ()


def parse(given: str) -> Query:
    """The parts of a query. Nothing is an error: what is no qualifier is text."""
    text: list[str] = []
    filters: list[Filter] = []
    latency: list[LatencyLimit] = []
    phrases: list[str] = []
    excluded: list[str] = []
    hints: dict[str, str] = {}  # one of each kind, so that their length has a limit
    for part in _PART.finditer(beginning(given)):
        if part["key"] is not None:
            _qualifier(part, text, filters, latency, hints)
        elif part["phrase"] is not None:
            (excluded if part["not"] else phrases).append(part["phrase"])
            text += [] if part["not"] else [part["phrase"]]
        elif _is_excluded(part["text"]):
            excluded.append(part["text"][1:])
        else:
            text.append(part["text"])
    quoted_phrases, unwanted = (tuple(filter(str.strip, texts)) for texts in (phrases, excluded))
    return Query(
        " ".join(text),
        tuple(filters),
        quoted_phrases,
        unwanted,
        tuple(hints.values()),
        tuple(latency),
    )


def beginning(given: str) -> str:
    """The beginning of a query, up to the longest that is searched."""
    text = given.strip()[:_LONGEST]
    if text.isascii():
        return text
    # One character may stand for many: U+FDFA for a sentence of eighteen.
    normalized = unicodedata.normalize("NFKC", text)
    return text if len(normalized) <= _LONGEST else normalized[:_LONGEST]


def quoted(text: str, room: int = 80) -> str:
    """An agent's text in quotes, escaped and truncated to `room` bytes, to be repeated to it."""
    shown = repr(text[:room]).encode()
    if len(shown) <= room and len(text) <= room:
        return shown.decode()
    return f"{shown[: room - 4].decode('utf-8', 'ignore')}…{chr(shown[0])}"


def _qualifier(
    part: "re.Match[str]",
    text: list[str],
    filters: list[Filter],
    latency: list[LatencyLimit],
    hints: dict[str, str],
) -> None:
    key, value = part["key"].lower(), part["value"].strip('"')
    if value.startswith(_NO_VALUE):  # an address, a path or an id is nobody's qualifier
        text.append(part[0])
    elif key not in QUALIFIERS:
        text.append(part[0])
        known = " ".join(f"{name}:" for name in QUALIFIERS)
        hints.setdefault("unknown", f"{quoted(key, 24)} was read as text; qualifiers are {known}")
    elif key == "latency":
        limit = _LATENCY.fullmatch(value)
        if limit is None:
            hints[key] = "latency: write latency:<100"
        else:
            millis = float(limit["number"]) * (1000 if limit["unit"] == "s" else 1)
            latency.append(LatencyLimit(limit["relation"], millis, bool(part["minus"])))
    else:
        filters.append(Filter(key, value, bool(part["minus"])))


def _is_excluded(text: str) -> bool:
    """Whether this is `-word`; a dash alone, a number or an option is not."""
    return len(text) > 2 and text[0] == "-" and text[1].isalpha()
