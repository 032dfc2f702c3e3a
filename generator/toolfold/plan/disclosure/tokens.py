"""Token counts, in o200k: the unit of every budget."""

import hashlib
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

#: Bytes of the longest token: so many spaces.
LONGEST_TOKEN: Final = 128
# Under `--watch` nearly all texts are those of the last run. Long ones are pages that are cut
# until they fit: many, and seldom met again.
_REMEMBERED: Final = 32_768
_LONG: Final = 4_000
_PAGES: Final = 4_000  # that are known from run to run


def count(text: str) -> int:
    """How many o200k tokens `text` costs."""
    return _counted(text) if len(text) > _LONG else _known(text)


class Counter:
    """Counts pages, but for long ones that an earlier run counted, known by their digests."""

    def __init__(self, known: Mapping[str, int]) -> None:
        #: For the next run; the oldest are forgotten.
        self.known = dict(list(known.items())[-_PAGES:])

    def __call__(self, text: str) -> int:
        """How many tokens a page costs."""
        if len(text) <= _LONG:
            return count(text)
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest not in self.known:
            self.known[digest] = count(text)
        return self.known[digest]


def _counted(text: str) -> int:
    return len(_tokenizer().encode_ordinary(text))


_known = lru_cache(_REMEMBERED)(_counted)


@cache
def _tokenizer() -> Any:
    from splintr import Tokenizer

    return Tokenizer.from_pretrained("o200k_base")
