"""JSON as it is sent: compact, no escapes that are not needed, nothing that is not JSON."""

import json
from typing import Final

_WRITER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_SORTED: Final = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True
)


def compact(value: object) -> str:
    """The value on one line; ValueError for what JSON cannot say."""
    return _WRITER.encode(value)


def canonical(value: object) -> str:
    """The same text for equal values, whatever the order of their keys."""
    return _SORTED.encode(value)
