"""Fetching a document once: within its origin, within a size, and with nobody's credentials."""

from typing import Final
from urllib.parse import urljoin, urlsplit

import httpx2

from toolfold.errors import UsageError

_MOST_REDIRECTS: Final = 5
_REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
_ACCEPTED: Final = "application/json, application/yaml, text/yaml, */*;q=0.5"


def is_address(source: str) -> bool:
    """Whether a document is named by an address and not by a path."""
    return source.startswith(("http://", "https://"))


def fetched(address: str, limit: int, seconds: float) -> bytes:
    """What an address answers; UsageError where it answers anything else than a document.

    The author chose the address, so it may be a local one; a redirect may not lead elsewhere.
    """
    if "@" in urlsplit(address).netloc:
        way_out = "save the document in a file, and import that"
        raise UsageError(f"an address with a name or a password in it is not kept; {way_out}")
    try:
        with httpx2.Client(trust_env=False, timeout=seconds, follow_redirects=False) as client:
            for _ in range(_MOST_REDIRECTS + 1):
                with client.stream("GET", address, headers={"Accept": _ACCEPTED}) as response:
                    if response.status_code not in _REDIRECTS:
                        return _content(response, address, limit)
                    address = _next(address, response.headers.get("Location", ""))
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError) as error:
        reason = str(error) or type(error).__name__
        raise UsageError(f"{address}: cannot be fetched: {reason}") from None
    raise UsageError(f"{address}: more than {_MOST_REDIRECTS} redirects")


def _content(response: httpx2.Response, address: str, limit: int) -> bytes:
    if response.status_code != 200:
        raise UsageError(f"{address}: HTTP {response.status_code}, and no document")
    content = bytearray()
    for part in response.iter_bytes():  # as they are after any decompression
        content += part
        if len(content) > limit:
            raise UsageError(f"{address}: more than {limit:,} bytes; save a part of it in a file")
    return bytes(content)


def _next(address: str, location: str) -> str:
    following = urljoin(address, location)
    if _origin(following) != _origin(address):
        way_out = "import that address, if you trust it"
        raise UsageError(f"{address}: a redirect to another origin, {following[:200]}; {way_out}")
    return following


def _origin(address: str) -> tuple[str, str | None, int | None]:
    parts = urlsplit(address)
    port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    return parts.scheme, parts.hostname, port
