"""What an API answered, by its media type: JSON, text, or bytes that are passed on."""

import json
import re
from codecs import lookup
from typing import Any, Final, NamedTuple

from toolfold_runtime.http_api.body import essence, is_json
from toolfold_runtime.http_api.send import Received
from toolfold_runtime.jsontext import compact
from toolfold_runtime.upstream.secrets import Mask

#: Types beside `text/…` whose content is text.
_TEXT_TYPES: Final = frozenset(
    {
        "application/xml",
        "application/yaml",
        "application/x-yaml",
        "application/javascript",
        "application/x-ndjson",
        "application/jsonl",
        "application/graphql",
        "application/sql",
        "application/toml",
        "application/x-www-form-urlencoded",
        "image/svg+xml",
    }
)
_EVENTS: Final = "text/event-stream"
_CHARSET: Final = re.compile(r""";\s*charset\s*=\s*["']?([^\s"';,]+)""", re.IGNORECASE)
_LONGEST_TYPE: Final = 1_000
#: Codecs of Python's that are no character sets of the web: they fail in ways of their own, take long, or
#: make halves of surrogate pairs.
_OWN_CODECS: Final = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"}
)
#: Escapes, behind which a secret may hide or half of a surrogate pair, and numbers without end.
_DOUBTFUL: Final = re.compile(r"\\[u/]|[eE]\+?[0-9]{3}")
_MEDIA_TYPE: Final = re.compile(r"[a-z0-9!#$&^_.+-]+/[a-z0-9!#$&^_.+-]+")
#: What the answer to a HEAD says, beside its status.
_TOLD_HEADERS: Final = (
    "content-type",
    "content-length",
    "last-modified",
    "etag",
    "location",
    "link",
)
_MOST_EVENTS: Final = 1000


class Bytes(NamedTuple):
    """An answer that is neither JSON nor text: a picture, sound, or any other file."""

    data: bytes
    media_type: str
    #: Where it came from, without a query.
    url: str


class ApiAnswer(NamedTuple):
    """A result, and what is to be said about it."""

    value: Any
    notes: tuple[str, ...] = ()
    #: Whether the value is JSON, whose schema is known.
    is_json: bool = False


def answer_of(received: Received, method: str, mask: Mask) -> ApiAnswer:
    """The result that an answer stands for; what is secret in it is masked where it is text."""
    if method == "HEAD":
        given = received.headers
        told = {name: mask(given[name]) for name in _TOLD_HEADERS if name in given}
        return ApiAnswer({"status": received.status, "headers": told})
    if not received.body:
        done = f"HTTP {received.status}: done; the API answers with nothing."
        return ApiAnswer(None, (done,))
    declared = received.headers.get("content-type", "")
    kind = essence(declared)
    if kind == _EVENTS:
        return _events(received, mask)
    if is_json(kind):
        return _json(received.body, declared, mask)
    if not kind or kind in ("application/octet-stream", "binary/octet-stream", "text/plain"):
        return _sniffed(received, kind, mask)
    if is_text(kind):
        return _text(received.body, declared, mask)
    return ApiAnswer(_bytes(received, kind, mask))


def is_text(kind: str) -> bool:
    """Whether what has this media type is text."""
    return kind.startswith("text/") or kind in _TEXT_TYPES or kind.endswith("+xml")


def text_of(body: bytes, declared: str) -> tuple[str, str]:
    """The text in the character set that its media type names, else UTF-8; and what is wrong with it."""
    named = _charset(declared)
    try:
        return body.decode(named or "utf-8-sig"), ""
    except UnicodeDecodeError:
        wanted = (named or "utf-8").removesuffix("-sig").upper()
        note = f"the answer is not the {wanted} that it should be; what cannot be read is �"
        return body.decode(named or "utf-8", "replace"), note


def _charset(declared: str) -> str:
    """The character set that a media type names, if Python knows it as one of text; else nothing."""
    named = _CHARSET.search(declared[:_LONGEST_TYPE])
    try:
        codec = lookup(named[1] if named else "")
    except (LookupError, ValueError):
        return ""
    # Among Python's codecs are some that make bytes of bytes.
    is_of_text = getattr(codec, "_is_text_encoding", True)
    if not is_of_text or codec.name.replace("_", "-") in _OWN_CODECS:
        return ""
    return "utf-8-sig" if codec.name == "utf-8" else codec.name  # which may begin with a mark


def _json(body: bytes, declared: str, mask: Mask) -> ApiAnswer:
    text, note = text_of(
        body, declared if "charset" in declared.lower() else f"; charset={_unicode(body)}"
    )
    text = mask(text)
    notes = (note,) if note else ()
    try:
        return ApiAnswer(_parsed(text, mask), notes, is_json=True)
    except (ValueError, RecursionError):
        wrong = "the answer should be JSON, and is not: it is passed on as text"
        return ApiAnswer(text, (*notes, wrong))


def _unicode(body: bytes) -> str:
    """Which of the encodings of Unicode JSON is in, as RFC 4627 finds out."""
    return json.detect_encoding(body)


def _parsed(text: str, mask: Mask) -> Any:
    """The value of JSON, without what cannot be sent; ValueError or RecursionError where it is none."""
    value = json.loads(text, parse_constant=_refuse_constant)
    if not _DOUBTFUL.search(text):
        return value
    return json.loads(mask(compact(value)).encode("utf-8", "replace"))


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def _sniffed(received: Received, kind: str, mask: Mask) -> ApiAnswer:
    """JSON that is called text, or nothing; else text where it can be, else a file."""
    start = received.body.lstrip()[:1]
    if start in (b"{", b"[") and kind != "application/octet-stream":
        answer = _json(received.body, received.headers.get("content-type", ""), mask)
        if answer.is_json:
            return answer
    if kind == "text/plain":
        return _text(received.body, received.headers.get("content-type", ""), mask)
    if not kind:
        try:
            return ApiAnswer(mask(received.body.decode("utf-8-sig")))
        except UnicodeDecodeError:
            pass
    return ApiAnswer(_bytes(received, kind, mask))


def _text(body: bytes, declared: str, mask: Mask) -> ApiAnswer:
    text, note = text_of(body, declared)
    return ApiAnswer(mask(text), (note,) if note else ())


def _bytes(received: Received, kind: str, mask: Mask) -> Bytes:
    named = kind if _MEDIA_TYPE.fullmatch(kind) else "application/octet-stream"
    return Bytes(received.body, named, mask(received.url.partition("?")[0]))


def _events(received: Received, mask: Mask) -> ApiAnswer:
    """The data of the events of a stream, as JSON where they are."""
    text, note = text_of(received.body, "; charset=utf-8")
    blocks = mask(text).replace("\r\n", "\n").replace("\r", "\n").split("\n\n")
    if received.is_partial:
        blocks = blocks[:-1]  # the last one is not complete
    events = [event for block in blocks if (event := _event(block, mask)) is not None]
    notes = (note,) if note else ()
    if received.is_partial or len(events) > _MOST_EVENTS:
        more = "the stream goes on: these are the events that came first"
        notes = (*notes, more)
    return ApiAnswer(events[:_MOST_EVENTS], notes)


def _event(block: str, mask: Mask) -> Any:
    """The data of one event; None where it has none."""
    lines = [line.partition(":") for line in block.split("\n")]
    data = [value.removeprefix(" ") for field, _, value in lines if field == "data"]
    if not data:
        return None
    text = "\n".join(data)
    try:
        return _parsed(text, mask)
    except (ValueError, RecursionError):
        return text
