"""The body of a request: JSON, a form, several parts, text or bytes, by its media type."""

from base64 import b64decode
from collections.abc import Collection, Iterator
from typing import Any, Final, NamedTuple

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.http import BodyPart, HttpBody
from toolfold_runtime.http_api.errors import ArgumentError
from toolfold_runtime.http_api.multipart import multipart
from toolfold_runtime.http_api.serialize import styled_text
from toolfold_runtime.jsontext import compact

_FORM: Final = "application/x-www-form-urlencoded"
_USUAL: Final = BodyPart()


class Body(NamedTuple):
    """What is sent, and as which media type."""

    content_type: str
    content: bytes


def body_of(body: HttpBody, arguments: Json, elsewhere: Collection[str]) -> Body | None:
    """The body that arguments make; None where there is nothing to send.

    `elsewhere` are the arguments that are sent in other places. ArgumentError for what its media
    type cannot say.
    """
    if body.argument is not None:
        if body.argument not in arguments:
            return None
        return _written(body, body.argument, arguments[body.argument])
    value = {
        body.properties.get(argument, argument): argument_value
        for argument, argument_value in arguments.items()
        if argument in body.properties or (body.is_open and argument not in elsewhere)
    }
    return _written(body, "the body", value) if value or body.is_required else None


def is_json(media_type: str) -> bool:
    """Whether what has this media type is JSON."""
    kind = essence(media_type)
    return kind.endswith(("/json", "+json"))


def essence(media_type: str) -> str:
    """A media type without its parameters, in lower case."""
    return media_type.partition(";")[0].strip().lower()


def _written(body: HttpBody, argument: str, value: Any) -> Body:
    kind = essence(body.media_type)
    if body.is_base64 and isinstance(value, str):
        sent_as = "application/octet-stream" if "*" in kind else body.media_type
        return Body(sent_as, decoded_base64(argument, value))
    if isinstance(value, dict) and kind == _FORM:
        return Body(body.media_type, "&".join(_form(body, value)).encode())
    if isinstance(value, dict) and kind.startswith("multipart/"):
        return Body(*multipart(kind, value, body.parts))
    if is_json(kind) or ("*" in kind and not isinstance(value, str)):
        sent_as = "application/json" if "*" in kind else body.media_type
        return Body(sent_as, compact(value).encode())
    if isinstance(value, str):
        return Body("text/plain; charset=utf-8" if "*" in kind else body.media_type, value.encode())
    if isinstance(value, dict | list):
        raise ArgumentError(argument, f"cannot be written as {kind}; send it as text")
    return Body(body.media_type, compact(value).encode())


def decoded_base64(argument: str, text: str) -> bytes:
    """The bytes that a text is the base64 of; ArgumentError where it is none."""
    try:
        return b64decode("".join(text.split()), validate=True)
    except ValueError:
        raise ArgumentError(argument, "is no base64") from None


def _form(body: HttpBody, value: Json) -> Iterator[str]:
    for name, property_value in value.items():
        part = body.parts.get(name, _USUAL)
        if part.media_type is not None and is_json(part.media_type):
            property_value = compact(property_value)
        is_flat = not _has_parts_inside(property_value)
        style = part.style or ("form" if is_flat else "deepObject")
        explode = True if part.explode is None else part.explode
        if text := styled_text(name, property_value, style, explode):
            yield text


def _has_parts_inside(value: Any) -> bool:
    """Whether a value is an object, or a list with one inside, which plain pairs cannot say."""
    if isinstance(value, list):
        return any(isinstance(item, dict | list) for item in value)
    return isinstance(value, dict)
