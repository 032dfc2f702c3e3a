"""Code as HTML: strings, numbers, words and comments marked, for the languages of our pages.

One expression for all of them, because a page has to be rendered in well under a millisecond.
"""

import html
import re
from typing import Final

_WORDS: Final = (
    "async|await|class|const|def|else|export|false|False|for|from|function|if|import|in|let|new"
    "|None|null|return|true|True|try|with|yield"
)
_STRING: Final = r'"(?:[^"\\\n]|\\.)*"|' + r"'(?:[^'\\\n]|\\.)*'"
_NUMBER: Final = r"(?<![\w.])-?\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b"
_TOKEN: Final = {
    "json": re.compile(
        rf"(?P<p>{_STRING})(?=\s*:)|(?P<s>{_STRING})|(?P<n>{_NUMBER})|(?P<k>\b(?:true|false|null)\b)"
    ),
    "python": re.compile(rf"(?P<c>\#.*)|(?P<s>{_STRING})|(?P<n>{_NUMBER})|(?P<k>\b(?:{_WORDS})\b)"),
    "typescript": re.compile(
        rf"(?P<c>//.*)|(?P<s>{_STRING})|(?P<n>{_NUMBER})|(?P<k>\b(?:{_WORDS})\b)"
    ),
    "yaml": re.compile(
        rf"(?P<c>(?:^|(?<=\s))\#.*)|(?P<p>^[ \t-]*[\w$/.-]+)(?=:(?:\s|$))|(?P<s>{_STRING})|(?P<n>{_NUMBER})",
        re.MULTILINE,
    ),
    "console": re.compile(
        r"(?P<c>(?:^|(?<=\s))\#.*)|(?P<k>^\$ )|(?P<s>" + _STRING + ")", re.MULTILINE
    ),
}
_ALIASES: Final = {"bash": "console", "sh": "console", "ts": "typescript", "toml": "yaml"}
# Marking costs more than it is worth in what nobody reads to its end.
_MOST_CHARACTERS: Final = 20_000


def coloured(language: str, code: str) -> str:
    """The HTML of a piece of code."""
    pattern = _TOKEN.get(_ALIASES.get(language, language))
    if pattern is None or len(code) > _MOST_CHARACTERS:
        return html.escape(code, quote=False)
    parts, at = [], 0
    for match in pattern.finditer(code):
        parts.append(html.escape(code[at : match.start()], quote=False))
        marked = html.escape(match.group(), quote=False)
        parts.append(f'<span class="{match.lastgroup}">{marked}</span>')
        at = match.end()
    parts.append(html.escape(code[at:], quote=False))
    return "".join(parts)
