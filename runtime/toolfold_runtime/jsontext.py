"""JSON text as it is sent: compact, with few escapes, and never NaN or Infinity."""

import json
from typing import Final

#: No answer is larger than this, whatever its budget: it would fill the client's memory and ours.
MOST_ANSWER_BYTES: Final = 16_000_000
_LONGEST_EXCERPT: Final = 100
_WRITER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_SORTED: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True
)


def compact(value: object) -> str:
    """The value on one line; ValueError for what JSON cannot say."""
    return _WRITER.encode(value)


def byte_size(value: object) -> int:
    """The bytes of a value when it is sent."""
    return len(compact(value).encode("utf-8", "replace"))


def canonical(value: object) -> str:
    """JSON with sorted keys: equal values give the same text."""
    return _SORTED.encode(value)


def sendable(text: str, most: int) -> str:
    """The beginning of a text, without halves of surrogate pairs, which cannot be sent."""
    return text[:most].encode("utf-8", "replace").decode()


def excerpt(text: str) -> str:
    """The beginning of a text in quotes, on one line, to be repeated to whoever sent it."""
    return _WRITER.encode(shortened(text))


def shortened(text: str) -> str:
    """The beginning of a text."""
    return text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}…"
