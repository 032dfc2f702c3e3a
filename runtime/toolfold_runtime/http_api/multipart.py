"""A body of several parts: texts, JSON and files."""

import secrets
from base64 import b64decode
from collections.abc import Iterator, Mapping
from mimetypes import MimeTypes
from typing import Any, Final, NamedTuple
from urllib.parse import unquote

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import BodyPart
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.http_api.serialize import scalar, styled_text
from toolfold_runtime.jsontext import compact

_USUAL: Final = BodyPart()
_UNKNOWN: Final = "application/octet-stream"
#: The types of Python's own table; those of the machine would make requests differ.
_TYPES: Final = MimeTypes()
_ESCAPES: Final = str.maketrans({'"': "%22", "\r": "%0D", "\n": "%0A"})


class _Part(NamedTuple):
    name: str
    content: bytes
    file_name: str | None = None
    media_type: str | None = None


def multipart(kind: str, value: Json, parts: Mapping[str, BodyPart]) -> tuple[str, bytes]:
    """The media type with its boundary, and the content; each item of a list is a part of its own."""
    boundary = secrets.token_hex(16)
    chunks: list[bytes] = []
    for name, property_value in value.items():
        for part in _parts(name, property_value, parts.get(name, _USUAL)):
            chunks.extend(_lines(boundary, part))
    chunks.append(f"--{boundary}--\r\n".encode())
    return f"{kind}; boundary={boundary}", b"".join(chunks)


def _parts(name: str, value: Any, how: BodyPart) -> Iterator[_Part]:
    """What a property is sent as: in the style that it has, else each item of a list by itself."""
    if (how.style is not None or how.explode is not None) and not how.is_file:
        written = styled_text(name, value, how.style or "form", how.explode is not False)
        pairs = (pair.partition("=") for pair in written.split("&") if pair)
        yield from (_Part(unquote(field), unquote(text).encode()) for field, _, text in pairs)
        return
    is_whole = how.media_type is not None and not how.is_file
    for item in value if isinstance(value, list) and not is_whole else [value]:
        if item is not None:
            yield _part(name, item, how)


def _lines(boundary: str, part: _Part) -> Iterator[bytes]:
    file_name = "" if part.file_name is None else f'; filename="{_escaped(part.file_name)}"'
    yield f"--{boundary}\r\n".encode()
    yield f'content-disposition: form-data; name="{_escaped(part.name)}"{file_name}\r\n'.encode()
    if part.media_type is not None:
        yield f"content-type: {_escaped(part.media_type)}\r\n".encode()
    yield b"\r\n" + part.content + b"\r\n"


def _part(name: str, value: Any, how: BodyPart) -> _Part:
    if how.is_file:
        return _file(name, value, how)
    if isinstance(value, str):
        return _Part(name, value.encode(), media_type=how.media_type)
    if isinstance(value, dict | list):
        return _Part(name, compact(value).encode(), media_type=how.media_type or "application/json")
    return _Part(name, scalar(value).encode(), media_type=how.media_type)


def _file(name: str, value: Any, how: BodyPart) -> _Part:
    """A file: base64 alone, or an object with its name, and text or base64."""
    given = value if isinstance(value, dict) else {"name": name, "base64": value}
    file_name, text, encoded = (given.get(key) for key in ("name", "text", "base64"))
    if isinstance(text, str):
        content = text.encode()
    elif isinstance(encoded, str):
        try:
            content = b64decode("".join(encoded.split()), validate=True)
        except ValueError:
            raise ArgumentError(name, "is a file whose content is no base64") from None
    else:
        raise ArgumentError(name, "is a file, and needs `text` or `base64`")
    file_name = str(file_name or name)
    declared = how.media_type if how.media_type and "*" not in how.media_type else None
    declared = declared.partition(",")[0].strip() if declared else None
    guessed = _TYPES.guess_type(file_name.rpartition("/")[2])[0]
    media_type = given.get("type") or declared or guessed or _UNKNOWN
    return _Part(name, content, file_name, str(media_type))


def _escaped(text: str) -> str:
    """A text that ends neither the quotes nor the line it stands in, as browsers write it."""
    return text.translate(_ESCAPES)
