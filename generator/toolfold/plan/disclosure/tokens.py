"""Token counts, in o200k: the unit of every budget."""

from functools import cache, lru_cache
from typing import Any, Final

#: Bytes of the longest token: so many spaces.
LONGEST_TOKEN: Final = 128
# Under `--watch` nearly all texts are those of the last run. Long ones are pages that are
# shortened until they fit: many, and seldom met again.
_CACHED_TEXTS: Final = 32_768
_LONG: Final = 4_000


def count(text: str) -> int:
    """How many o200k tokens `text` costs."""
    return _encoded_length(text) if len(text) > _LONG else _cached_count(text)


def _encoded_length(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text))


_cached_count = lru_cache(_CACHED_TEXTS)(_encoded_length)


@cache
def _tokenizer() -> Any:
    from splintr import Tokenizer

    return Tokenizer.from_pretrained("o200k_base")
