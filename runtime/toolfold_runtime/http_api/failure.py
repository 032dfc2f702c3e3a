"""An answer that says that an operation failed, in words for an agent: status, the API's words, what to do."""

import json
import re
from typing import Any, Final

from toolfold_runtime.contract.http import HttpOperation
from toolfold_runtime.http_api.answer import text_of
from toolfold_runtime.http_api.body import essence, is_json
from toolfold_runtime.http_api.send import Received
from toolfold_runtime.jsontext import compact
from toolfold_runtime.upstream.secrets import Mask

_LONGEST: Final = 2_000
_LONGEST_PAGE: Final = 300
#: Bytes of an answer that are looked at, which takes a millisecond.
_MOST_READ: Final = 20_000
#: Of the seconds that an API says to wait; more are no number for anybody.
_MOST_DIGITS: Final = 6
_MARKUP: Final = re.compile(
    r"<(script|style)\b.*?</\1\s*>|<[^>]{0,1000}>", re.DOTALL | re.IGNORECASE
)
_WAYS_OUT: Final = {
    400: "Look at the arguments: what the API says above is about them.",
    401: "Whoever runs this server must look at the `auth:` of the API.",
    403: "The credentials of this server do not allow it; whoever runs it can change that.",
    404: "Look at the names and ids in the arguments.",
    405: "The API does not offer this; whoever runs this server should import its document again.",
    409: "It clashes with the present state: read that first.",
    410: "It is gone for good.",
    413: "Send less.",
    422: "Look at the arguments: what the API says above is about them.",
}


def failure_text(operation: HttpOperation, received: Received, mask: Mask) -> str:
    """What happened, what the document and the API say about it, and the way out."""
    status = received.status
    fact = f"{operation.server} answered {operation.method} {operation.path} with HTTP {status}"
    meaning = _meaning(operation.errors, status) or received.reason
    parts = [f"{fact} ({mask(meaning)})." if meaning else f"{fact}."]
    if words := _words(received, mask):
        parts.append(f"It says: {words}")
    return "\n".join([*parts, _way_out(received)])


def _meaning(errors: dict[str, str], status: int) -> str:
    """What the document says of a status, of its hundred, or of all errors."""
    known = (str(status), f"{status // 100}XX", "default")
    return next((errors[key] for key in known if key in errors), "")


def _words(received: Received, mask: Mask) -> str:
    """The API's own words: JSON compact, pages without their markup, nothing of what is no text."""
    declared = received.headers.get("content-type", "")
    kind = essence(declared)
    text = mask(text_of(received.body[:_MOST_READ], declared)[0]).strip()
    if is_json(kind) or text[:1] in ("{", "["):
        return _shortened(mask(_compact(text)), _LONGEST)
    if kind in ("text/html", "application/xhtml+xml") or text[:1] == "<":
        return _shortened(" ".join(_MARKUP.sub(" ", text).split()), _LONGEST_PAGE)
    if kind.startswith("text/") or not kind:
        return _shortened(text, _LONGEST)
    return ""


def _compact(text: str) -> str:
    try:
        value: Any = json.loads(text)
        return compact(value)
    except (ValueError, RecursionError):
        return text


def _way_out(received: Received) -> str:
    status = received.status
    if status == 429 or (status == 503 and "retry-after" in received.headers):
        after = received.headers.get("retry-after", "")
        is_number = after.isascii() and after.isdigit() and len(after) <= _MOST_DIGITS
        when = f" in {after} seconds" if is_number else " later"
        return f"Try again{when}, and ask for less at once."
    if status >= 500:
        return "It failed by itself; try again later."
    return _WAYS_OUT.get(status, "What the API says above is the reason.")


def _shortened(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"
