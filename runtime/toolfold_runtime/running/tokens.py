"""Estimating the tokens of a text: the runtime has no token counter.

Three bytes per token is less than real texts have (JSON of words and prose have 3.3 to 4.2), so
the estimate is rather too high. Digits and capitals count twice, because numbers, hashes and keys
are split into shorter tokens. Only texts of nothing but random letters cost more than estimated.
"""

from typing import Final

_DENSE: Final = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#: The most bytes of a token, by this estimate.
BYTES_PER_TOKEN: Final = 3


def estimated(text: str) -> int:
    """Tokens, rather too many than too few."""
    data = text.encode("utf-8", "replace")
    dense = len(data) - len(data.translate(None, _DENSE))
    return -(-(len(data) + dense) // BYTES_PER_TOKEN)
