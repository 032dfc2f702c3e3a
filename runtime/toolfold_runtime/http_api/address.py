"""The address of a request: always of the declared origin and below the declared path, whatever the arguments are."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from toolfold_runtime.http_api.errors import ArgumentError

_BRACES: Final = re.compile(r"\{([^{}]*)\}")
_REFUSED: Final = re.compile(r"[\x00-\x1f\x7f\\]")
#: What ends a segment for some servers.
_END: Final = re.compile(r"[;?#]")
#: Rounds of decoding after which a text counts as an attack.
_MOST_ROUNDS: Final = 8
#: Bytes; more is refused by most servers.
_LONGEST: Final = 60_000


class Base(NamedTuple):
    """Where an API is: its origin, and the path and query that all its operations begin with."""

    origin: str
    path: str
    query: str


def base_of(url: str) -> Base:
    """The declared address, taken apart; ValueError where it is none."""
    parts = urlsplit(url)
    has_origin = parts.scheme in ("http", "https") and parts.hostname and "@" not in parts.netloc
    if not has_origin or "\\" in url or any(ord(character) <= 0x20 for character in url):
        raise ValueError("not an http or https address of an origin")
    return Base(f"{parts.scheme}://{parts.netloc}", parts.path.rstrip("/"), parts.query)


def filled_path(template: str, texts: Mapping[str, str]) -> str:
    """The path with each `{argument}` replaced by its encoded text; ArgumentError where that leads elsewhere."""
    for argument in _BRACES.findall(template):
        if argument not in texts:
            raise ArgumentError(argument, "is missing, and the path needs it")
        refuse_traversal(argument, texts[argument])
    path = _BRACES.sub(lambda match: texts[match[1]], template)
    # Also as a whole: two texts that are harmless by themselves may stand side by side.
    refuse_traversal(", ".join(texts) or "path", path)
    return path


def refuse_traversal(argument: str, text: str) -> None:
    """ArgumentError for a text that a server could take for a way to another path.

    However often it decodes it, and whether it folds look-alikes or cuts it short.
    """
    for _ in range(_MOST_ROUNDS):
        if _REFUSED.search(text):
            fact = "is sent in the path, where control characters and backslashes are refused"
            raise ArgumentError(argument, fact)
        segments = normalize("NFKC", text).replace("\\", "/").split("/")
        if any(_END.split(segment, 1)[0].strip() in (".", "..") for segment in segments):
            fact = "is sent in the path, where `.` and `..` as a whole segment are refused"
            raise ArgumentError(argument, fact)
        decoded = unquote(text, errors="replace")
        if decoded == text:
            return
        text = decoded
    raise ArgumentError(argument, "is sent in the path, and is encoded too often")


def address(base: Base, path: str, query: str) -> str:
    """The whole address of a request; ArgumentError where it is too long."""
    joined = "&".join(part for part in (base.query, query) if part)
    text = f"{base.origin}{base.path}{path}" + (f"?{joined}" if joined else "")
    if len(text) > _LONGEST:
        fact = f"make an address of {len(text):,} characters; {_LONGEST:,} are the most"
        raise ArgumentError("the arguments", fact)
    return text
