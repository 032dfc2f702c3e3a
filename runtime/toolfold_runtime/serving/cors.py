"""CORS: the origins whose pages may send requests and read the answers.

The guard decides about origins; here is what goes to those that it was told to allow. There are
no cookies, so a browser need not be told about credentials: a token is a header like any other.
"""

from typing import Final

from toolfold_runtime.asgi import Header, Message, Send, header_values

_METHODS: Final = b"GET, POST, DELETE"
_READABLE: Final = b"Mcp-Session-Id, WWW-Authenticate"
_SECONDS: Final = b"600"
_ORIGIN: Final = b"access-control-allow-origin"
_EXPOSED: Final = b"access-control-expose-headers"


def is_preflight(scope: Message) -> bool:
    """Whether a request is a browser's preflight, which has no token."""
    return scope["method"] == "OPTIONS" and bool(
        header_values(scope, b"access-control-request-method")
    )


async def allow_request(scope: Message, send: Send) -> None:
    """Answer a browser that it may send its request, with the headers that it asked for."""
    headers = [(b"access-control-allow-methods", _METHODS), (b"access-control-max-age", _SECONDS)]
    if names := header_values(scope, b"access-control-request-headers"):
        headers.append((b"access-control-allow-headers", b", ".join(names)))
    if header_values(scope, b"access-control-request-private-network") == [b"true"]:
        headers.append((b"access-control-allow-private-network", b"true"))
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def readable_by(origin: bytes | None, send: Send) -> Send:
    """A `send` that lets pages of the origin read every answer; no page if the origin is None.

    Every answer says that another origin may get other headers: a cache must not mix them up.
    """
    cors_headers: list[Header] = [(b"vary", b"Origin")]
    if origin is not None:
        cors_headers += [(_ORIGIN, origin), (_EXPOSED, _READABLE)]

    async def send_readable(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", ()))
            if origin is not None:
                # A browser refuses an answer that says twice whom it is for.
                headers = [one for one in headers if one[0] not in (_ORIGIN, _EXPOSED)]
            message = {**message, "headers": headers + cors_headers}
        await send(message)

    return send_readable
