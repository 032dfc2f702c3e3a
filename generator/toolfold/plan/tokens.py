"""Token counts, in o200k: the unit of every budget."""

from functools import cache, lru_cache
from typing import Any, Final

# Under `--watch` nearly all texts are those of the last run. Long ones are pages that are cut
# until they fit: many, and seldom met again.
#: Bytes of the longest token: so many spaces.
LONGEST_TOKEN: Final = 128
_REMEMBERED: Final = 32_768
_LONG: Final = 4_000


def count(text: str) -> int:
    """How many o200k tokens `text` costs."""
    return _counted(text) if len(text) > _LONG else _known(text)


def _counted(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text))


_known = lru_cache(_REMEMBERED)(_counted)


@cache
def _tokenizer() -> Any:
    from splintr import Tokenizer

    return Tokenizer.from_pretrained("o200k_base")
