"""Types of ASGI applications, and a function to send a short answer."""

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]
Header: TypeAlias = tuple[bytes, bytes]


def header_values(scope: Message, name: bytes) -> list[bytes]:
    """Every value of a header, which is named in lower case."""
    return [value for key, value in scope["headers"] if key == name]


async def send_text(send: Send, status: int, text: str, *headers: Header) -> None:
    """A whole answer."""
    body = text.encode()
    first = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", b"%d" % len(body)),
    ]
    await send({"type": "http.response.start", "status": status, "headers": [*first, *headers]})
    await send({"type": "http.response.body", "body": body})
