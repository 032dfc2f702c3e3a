"""Which literal values of a client's file may be secret: all that are not clearly harmless.

A manifest is committed, a client's file is not. A value that is wrongly taken for a secret costs its
owner one exported variable; the other way round it costs the secret.
"""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_SECRET_NAME: Final = re.compile(
    r"token|secret|passw|passphrase|api.?key|access.?key|private|credential|auth|bearer|cookie"
    r"|session|signature|salt|cert|dsn|webhook|connection|conn.?str|jwt"
    r"|(?:^|[-_.])(?:key|keys|pat|pass|pwd|pw|sid|pin|url|uri)(?:$|[-_.])",
    re.IGNORECASE,
)
# Flags, small numbers, regions, locales, media types, levels and the like.
_HARMLESS: Final = re.compile(
    r"(?:true|false|yes|no|on|off|none|null|auto|default|enabled|disabled"
    r"|trace|debug|info|notice|warn|warning|error|critical|silent|quiet|verbose"
    r"|production|prod|development|dev|staging|test|testing|local|sandbox|main|master|latest"
    r"|stdio|http|https|sse|json|text|markdown|html|csv|yaml|utf-?8"
    r"|\d{1,5}(?:\.\d{1,3})?(?:ms|s|m|h|kb|mb|gb)?"
    r"|[a-z]{2}(?:-[a-z]{4,12}){1,2}-\d|[a-z]{2}[-_][A-Z]{2}(?:\.UTF-8)?"
    r"|(?:application|text|image)/[a-z0-9.+*-]{1,40})?",
    re.IGNORECASE,
)
_ADDRESS: Final = re.compile(
    r"https?://[A-Za-z0-9.-]+(?::\d{1,5})?(?:/(?:[a-z-]{1,15}|v\d{1,2}))*/?"
)
_PATH: Final = re.compile(r"(?:~|\.{1,2}|[A-Za-z]:)?(?:[/\\][A-Za-z0-9._ -]{1,60})+/?")
_KNOWN_TOKEN: Final = re.compile(
    r"(?<![A-Za-z0-9])(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abeprs]|hf|npm|pypi|dop_v1|shpat"
    r"|lin_api|ntn|whsec|tvly)[-_](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{8,}"
    r"|(?<![A-Za-z0-9])(?:AKIA|ASIA|AIza|ya29\.|eyJ|SG\.)[A-Za-z0-9_.-]{8,}"
)
_IDENTIFIER: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z0-9+=]{16,}")
# `sha256:…` of an image names what is run, and is public.
_DIGEST: Final = re.compile(r"sha(?:256|512)[:-][A-Za-z0-9+/=]+")
_FLAG: Final = re.compile(r"(--?[A-Za-z][A-Za-z0-9_.-]*)(?:=(.*))?", re.DOTALL)
_HEADER: Final = re.compile(r"([A-Za-z0-9-]+):\s*((?:Bearer|Basic|Token)\s+)?(\S.*)", re.IGNORECASE)
_SEGMENT: Final = re.compile(r"[/?&#](?:(?P<name>[^/?&#=]*)=)?(?P<value>[^/?&#]*)")
_USER_INFO: Final = re.compile(r"(?<=://)[^/@\s]+(?=@)")


class SecretPart(NamedTuple):
    """A part of a text that may be secret: from where to where, and what it seems to be."""

    start: int
    end: int
    hint: str


def is_harmless(name: str, value: str) -> bool:
    """Whether the value of an environment variable or a header is clearly no secret."""
    if _HARMLESS.fullmatch(value):
        return not _SECRET_NAME.search(name) or value == ""
    if is_secret_name(name) and not name.lower().endswith(("url", "uri")):
        return False
    is_plain = _ADDRESS.fullmatch(value) or _PATH.fullmatch(value)
    return bool(is_plain) and not looks_random(value)


def is_secret_name(name: str) -> bool:
    """Whether what has that name is usually secret."""
    return _SECRET_NAME.search(name) is not None


def looks_random(text: str) -> bool:
    """Whether a text holds something like a key: a known kind of token, or letters among digits."""
    bare = _DIGEST.sub("", text)
    if _KNOWN_TOKEN.search(bare):
        return True
    # Folders are often called by numbers and hashes.
    is_path = _PATH.fullmatch(text) is not None
    words = (match[0] for match in _WORD.finditer(bare))
    return not is_path and (bool(_IDENTIFIER.search(bare)) or any(map(_is_mixed, words)))


def secret_parts(arguments: tuple[str, ...]) -> Iterator[tuple[int, SecretPart]]:
    """The parts of a command's arguments that may be secret, with the index of each argument."""
    is_value_of = ""
    for index, text in enumerate(arguments):
        flag = _FLAG.fullmatch(text)
        if index and is_value_of and not flag:
            yield index, SecretPart(0, len(text), is_value_of)
        elif flag and flag[2] and is_secret_name(flag[1]):
            yield index, SecretPart(flag.start(2), len(text), _hint(flag[1]))
        elif index:
            yield from ((index, part) for part in secrets_in(text))
        is_value_of = _hint(flag[1]) if flag and not flag[2] and is_secret_name(flag[1]) else ""


def secrets_in(text: str) -> Iterator[SecretPart]:
    """The parts of a text that may be secret: of addresses, of headers, and whatever looks random."""
    user = _USER_INFO.search(text)
    if user:
        yield SecretPart(*user.span(), "login")
    header = _HEADER.fullmatch(text)
    if header and "://" not in text and is_secret_name(header[1]):
        yield SecretPart(*header.span(3), "token")
    elif "://" in text:
        yield from _in_address(text)
    elif looks_random(text):
        yield SecretPart(0, len(text), "token")


def _in_address(text: str) -> Iterator[SecretPart]:
    """The possibly secret parts of an address: random path segments and secret query parameters."""
    for match in _SEGMENT.finditer(text, text.index("://") + 3):
        name, value = match["name"], match["value"]
        if looks_random(value) or (name and value and is_secret_name(name)):
            yield SecretPart(*match.span("value"), _hint(name or "token"))


def _is_mixed(word: str) -> bool:
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def _hint(flag: str) -> str:
    return flag.strip("-").lower()
