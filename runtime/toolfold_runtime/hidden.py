"""Characters that people do not see and agents read, for the generator and the runtime alike."""

from typing import Final

#: The characters, as the inside of a set of a regular expression.
HIDDEN: Final = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f"  # control characters, but for white space
    "\xad\u034f\u200b-\u200f\u2060-\u2064\ufeff"  # of no width
    "\u061c\u202a-\u202e\u2065-\u206f"  # order of characters
    "\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"  # letters that are blank
    "\u180b-\u180f\ufe00-\ufe0f\ufff0-\ufffb"  # variation selectors, annotations
    "\ue000-\uf8ff\U000f0000-\U0010ffff"  # private use
    "\ufdd0-\ufdef\ufffe\uffff"  # no characters
    "\U00013430-\U0001345f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # layout of other scripts
    "\U000e0000-\U000e0fff"  # tags, more variation selectors
)
