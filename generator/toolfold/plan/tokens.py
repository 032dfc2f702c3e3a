"""Token counts, in o200k: the unit of every budget."""

from functools import cache
from typing import Any


def count(text: str) -> int:
    """How many o200k tokens `text` costs."""
    return len(_tokenizer().encode_ordinary(text))


@cache
def _tokenizer() -> Any:
    from splintr import Tokenizer

    return Tokenizer.from_pretrained("o200k_base")
