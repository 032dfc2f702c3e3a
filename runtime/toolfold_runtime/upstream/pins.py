"""Comparing a tool as its server publishes it with its pin, the definition that was reviewed.

Pure: the generator makes pins with the same functions that the runtime compares with.
"""

import difflib
import hashlib
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from math import isfinite
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.hidden import HIDDEN
from toolfold_runtime.jsontext import canonical, compact

#: The pinned fields: all that an agent reads or a client acts on.
PINNED: Final = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
#: A marker for a missing value.
ABSENT: Final = object()

_LONGEST: Final = 200
_LONGEST_INLINE: Final = 60
_LONGEST_DIFFERENCE: Final = 4_000
_MOST_CHANGES: Final = 50
_MOST_LINES: Final = 40
_MOST_NAMED: Final = 8
_HIDDEN: Final = re.compile(f"[{HIDDEN}\\ud800-\\udfff]")


class Change(NamedTuple):
    """A difference between two definitions; ABSENT stands for a part that one of them lacks."""

    #: Where it is, as in `inputSchema.properties.path.type`.
    path: str
    before: Any
    after: Any


def pinned(definition: Json) -> Json:
    """The pinned fields of a definition in the protocol's form, normalised as in a manifest.

    There null and empty are as good as absent, a title is one line, and no text has half a character.
    """
    fields = {key: _plain(definition[key]) for key in PINNED if definition.get(key)}
    for key in ("title", "description"):
        if isinstance(fields.get(key), str):
            fields[key] = fields[key].encode("utf-8", "replace").decode()
    if isinstance(fields.get("title"), str):
        fields["title"] = " ".join(fields["title"].split())
    return {key: value for key, value in fields.items() if value}


def digest(definition: Json) -> str:
    """A digest of the pinned fields of a definition."""
    text = canonical(pinned(definition))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def changes(before: Json, after: Json) -> list[Change]:
    """The differences in pinned fields, in the order of the fields; only the first of many."""
    return list(islice(_changes((), pinned(before), pinned(after)), _MOST_CHANGES))


def difference(before: Json, after: Json) -> str:
    """The changes for people: a line per value, a diff of longer texts, hidden characters visible.

    Holds the texts of a server that nobody has reviewed: for logs and terminals, not for agents.
    """
    lines = [line for change in changes(before, after) for line in _lines(change)]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST_DIFFERENCE else f"{text[:_LONGEST_DIFFERENCE]}…"


def outline(before: Json, after: Json) -> str:
    """The changed parts on one line, for agents; without the new texts, which may be aimed at them."""
    paths = [_outlined(change) for change in changes(before, after)]
    more = f", and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(paths[:_MOST_NAMED]) + more


def _plain(value: Any) -> Any:
    """The value with equal numbers in one form: JSON does not distinguish 1 from 1.0.

    What is no number in JSON is one to some servers; it equals nothing that a manifest can hold.
    """
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    if isinstance(value, float) and not isfinite(value):
        return {"no number": str(value)}
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


def _changes(path: tuple[str, ...], before: Any, after: Any) -> Iterator[Change]:
    if isinstance(before, dict) and isinstance(after, dict):
        for key in [*before, *(key for key in after if key not in before)]:
            yield from _changes((*path, key), before.get(key, ABSENT), after.get(key, ABSENT))
    elif before is ABSENT or after is ABSENT or canonical(before) != canonical(after):
        yield Change(".".join(path), before, after)


def _lines(change: Change) -> Sequence[str]:
    path = _visible(change.path)
    if change.before is ABSENT:
        return [f"{path}: added {_excerpt(change.after)}"]
    if change.after is ABSENT:
        return [f"{path}: removed, was {_excerpt(change.before)}"]
    both = (change.before, change.after)
    if all(isinstance(text, str) for text in both) and max(map(len, both)) > _LONGEST_INLINE:
        return [f"{path}: changed", *_line_diff(*both)]
    return [f"{path}: {_excerpt(change.before)} → {_excerpt(change.after)}"]


def _line_diff(before: str, after: str) -> list[str]:
    compared = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    lines = [line for line in list(compared)[2:] if not line.startswith("@@")]
    omitted = [f"  … {len(lines) - _MOST_LINES} more lines"] if len(lines) > _MOST_LINES else []
    return [f"  {_shortened(_visible(line))}" for line in lines[:_MOST_LINES]] + omitted


def _outlined(change: Change) -> str:
    """A path, if it is a field of the protocol or was there before: new names are texts too."""
    kind = (
        "added" if change.before is ABSENT else "removed" if change.after is ABSENT else "changed"
    )
    path = change.path if change.before is not ABSENT else change.path.rpartition(".")[0]
    return f"{_shortened(_visible(path or change.path))} ({kind})"


def _excerpt(value: Any) -> str:
    return _shortened(_visible(compact(value)))


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _visible(text: str) -> str:
    """A text with hidden characters and line breaks as escapes."""
    shown = text.replace("\n", "\\n").replace("\r", "\\r")
    return _HIDDEN.sub(lambda match: f"\\u{{{ord(match[0]):x}}}", shown)
