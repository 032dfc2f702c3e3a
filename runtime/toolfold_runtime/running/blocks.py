"""Content as blocks of the protocol: validated, encoded, with its size in bytes and tokens.

The SDK answers a call with an internal error for one wrong block, so nothing wrong reaches it.
"""

import re
from binascii import b2a_base64
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolfold_runtime.content import Audio, File, Image, Link, Text
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import ContentError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.models import result_json
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.walk import faults_of
from toolfold_runtime.running.explain import explanations
from toolfold_runtime.running.measure import TooLargeError, refuse_large
from toolfold_runtime.running.media import audio_tokens, image_tokens, media_type_of
from toolfold_runtime.running.tokens import estimated

#: The kinds of blocks; `other` is an unknown kind from another server.
BlockKind: TypeAlias = Literal["text", "image", "audio", "file", "link", "other"]

#: Bytes that are encoded at a time; a multiple of three.
_STEP: Final = 3 << 17
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+( *;[ -~]*)?", re.ASCII)
_STRING: Final = {"type": "string"}
_ICON: Final = {
    "type": "object",
    "properties": {
        "src": _STRING,
        "mimeType": _STRING,
        "sizes": {"type": "array", "items": _STRING},
        "theme": {"enum": ["light", "dark"]},
    },
    "required": ["src"],
}
#: The types that the attributes of content may have; the data of media is checked apart.
_ATTRIBUTES: Final[Json] = {
    "text": _STRING,
    "uri": {"type": "string", "format": "uri"},
    "name": _STRING,
    "title": _STRING,
    "description": _STRING,
    "mime_type": _STRING,
    "size": {"type": "integer", "minimum": 0},
    "icons": {"type": "array", "items": _ICON},
    "annotations": {
        "type": "object",
        "properties": {
            "audience": {"type": "array", "items": {"enum": ["user", "assistant"]}},
            "priority": {"type": "number", "minimum": 0, "maximum": 1},
            "lastModified": _STRING,
        },
    },
    "meta": {"type": "object"},
    "file_meta": {"type": "object"},
}
_PROTOCOL_NAMES: Final = {"mime_type": "mimeType", "meta": "_meta", "file_meta": "_meta"}


class Block(NamedTuple):
    """A block as it is sent, its size in bytes, and what a model is charged for it."""

    kind: BlockKind
    sent: Json
    size: int
    tokens: int


def block_of(content: object, room: int) -> Block:
    """The block that stands for content; ContentError where it is wrong.

    TooLargeError where its data, encoded, take more bytes than there is room for: they are not
    encoded then.
    """
    if isinstance(content, str):
        return _text_block(_attributes(Text(content)))
    if isinstance(content, Text):
        return _text_block(_attributes(content))
    if isinstance(content, Image):
        return _media_block("image", content, room)
    if isinstance(content, Audio):
        return _media_block("audio", content, room)
    if isinstance(content, File):
        return _file_block(content, room)
    if isinstance(content, Link):
        return _link_block(_attributes(content))
    raise ContentError(f"{_type_name(content)} is no content: str, Image, Audio, File and Link are")


def described(block: Json) -> str:
    """A block as a line for people: its text, or what it is and how large."""
    try:
        return _described(block)
    except (KeyError, TypeError, AttributeError):  # what another server sent may be of any form
        return f"{block['type']}, {_size(block):,} bytes"


def _described(block: Json) -> str:
    kind = block["type"]
    if kind == "text":
        return str(block["text"])
    if kind == "resource_link":
        return f"link to {block['uri']} ({block['name']})"
    if kind == "resource":
        inner = block["resource"]
        size = len(inner["text"].encode()) if "text" in inner else _decoded_size(inner["blob"])
        return f"{inner['uri']}: {inner.get('mimeType', 'file')}, {size:,} bytes"
    return f"{block['mimeType']}, {_decoded_size(block['data']):,} bytes"


def _text_block(given: Json) -> Block:
    sent = {
        "type": "text",
        "text": given["text"],
        **_given_attributes(given, "annotations", "meta"),
    }
    return Block("text", sent, _size(given), estimated(given["text"]))


def _link_block(given: Json) -> Block:
    names = ("uri", "name", "title", "description", "mime_type", "size", "icons")
    sent = {"type": "resource_link", **_given_attributes(given, *names, "annotations", "meta")}
    words = " ".join(given[name] for name in names[:4] if name in given)
    return Block("link", sent, _size(given), estimated(words))


def _media_block(kind: Literal["image", "audio"], content: Image | Audio, room: int) -> Block:
    given = _attributes(content)
    data = _bytes(content.data, room)
    if not data:
        raise ContentError("no data", "data")
    recognised = media_type_of(data)
    mime_type = given.get("mime_type", recognised)
    if mime_type is None:
        fact = f"not recognised; say what it is: {type(content).__name__}(data, mime_type=…)"
        raise ContentError(fact, "data")
    if not mime_type.lower().startswith(f"{kind}/"):
        raise ContentError(f"{compact(mime_type)} is no type of {kind}", "mime_type")
    _refuse_contradiction(mime_type, recognised)
    encoded = _base64(data)
    sent = {"type": kind, "data": encoded, "mimeType": mime_type}
    sent |= _given_attributes(given, "annotations", "meta")
    tokens = image_tokens(data) if kind == "image" else audio_tokens(data)
    return Block(kind, sent, _size(given) + len(encoded), tokens)


def _file_block(content: File, room: int) -> Block:
    """A file; pictures and sound cost what they cost, other binary files nothing but their names.

    Clients store those, or hand them to a model in a form of their own.
    """
    given = _attributes(content)
    names = estimated(given["uri"])
    resource = _given_attributes(given, "uri", "mime_type")
    if isinstance(content.data, str):
        given["text"] = resource["text"] = _attributes(Text(content.data))["text"]
        size, tokens = _size(given), estimated(given["text"])
    else:
        data = _bytes(content.data, room)
        recognised = media_type_of(data)
        if recognised:
            _refuse_contradiction(given.get("mime_type", recognised), recognised)
            resource.setdefault("mimeType", recognised)
        resource["blob"] = _base64(data)
        size = _size(given) + len(resource["blob"])
        kind = str(recognised).partition("/")[0]
        tokens = {"image": image_tokens, "audio": audio_tokens}.get(kind, lambda _: 0)(data)
    resource |= _given_attributes(given, "file_meta")
    sent = {
        "type": "resource",
        "resource": resource,
        **_given_attributes(given, "annotations", "meta"),
    }
    return Block("file", sent, size, names + tokens)


def _attributes(content: object) -> Json:
    """The attributes of content as plain JSON, without absent ones; ContentError if one is invalid."""
    instance: Any = content
    named = {f.name: getattr(instance, f.name) for f in fields(instance) if f.name in _ATTRIBUTES}
    optional = {f.name for f in fields(instance) if f.default is None}
    given = {
        name: dict(value) if isinstance(value, Mapping) else value
        for name, value in named.items()
        if value is not None or name not in optional
    }
    try:
        refuse_large(given)
        plain: Json = result_json(given)
        compact(plain).encode()
    except (ValueError, TypeError) as error:  # NaN, half of a surrogate pair, an iterator
        raise ContentError(str(error)) from None
    document = _document()
    if not document.accepts((), plain):
        explanation = explanations(faults_of(document, plain)[:1])[0]
        raise ContentError(explanation.text, explanation.path)
    mime_type = plain.get("mime_type")
    if mime_type is not None and not _MEDIA_TYPE.fullmatch(mime_type):
        raise ContentError(f"{compact(mime_type)} is no media type like image/png", "mime_type")
    return plain


@cache
def _document() -> SchemaDocument:
    return SchemaDocument({"properties": _ATTRIBUTES}, asserts_formats=True)


def _bytes(data: object, room: int) -> bytes:
    """The data as plain bytes, if they are bytes and fit when encoded."""
    if not isinstance(data, bytes | bytearray | memoryview):
        hint = "; decode base64 first" if isinstance(data, str) else ""
        raise ContentError(f"{_type_name(data)} is not bytes{hint}", "data")
    view = memoryview(data)  # whatever an author's class makes of `len` and `[]`
    if -(-view.nbytes // 3) * 4 > room:
        raise TooLargeError
    return view.tobytes()


def _base64(data: bytes) -> str:
    """The data as base64, in steps: nothing else in the process runs during one of them."""
    starts = range(0, len(data), _STEP)
    return "".join(
        b2a_base64(data[at : at + _STEP], newline=False).decode("ascii") for at in starts
    )


def _refuse_contradiction(mime_type: str, recognised: str | None) -> None:
    """Raise ContentError if the data clearly has another media type: models refuse such images."""
    named = mime_type.partition(";")[0].strip().lower()
    is_known = named in ("image/png", "image/jpeg", "image/gif", "image/webp")
    if is_known and recognised is not None and named != recognised:
        raise ContentError(f"{named}, and the data are {recognised}", "mime_type")


def _given_attributes(given: Json, *names: str) -> Json:
    """The attributes that have values, by their names in the protocol."""
    return {_PROTOCOL_NAMES.get(name, name): given[name] for name in names if name in given}


def _size(given: Json) -> int:
    return len(compact(given).encode())


def _decoded_size(encoded: str) -> int:
    return len(encoded) // 4 * 3 - encoded[-2:].count("=")


def _type_name(value: object) -> str:
    return type(value).__name__
