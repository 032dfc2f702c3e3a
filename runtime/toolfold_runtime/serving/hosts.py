"""Checking `Host` and `Origin` of requests over HTTP, each compared as a whole.

The one check in front of everything that the application serves. The SDK's own compares a name
with any port by its beginning, so that `localhost:8000.evil.example` would pass for `localhost`.
"""

import re
from asyncio import CancelledError
from collections.abc import Iterable
from typing import Final, NamedTuple

from toolfold_runtime import server_log
from toolfold_runtime.asgi import (
    Application,
    Message,
    Receive,
    Send,
    header_values,
    send_text,
)
from toolfold_runtime.errors import StartError
from toolfold_runtime.serving.cors import allow_request, is_preflight, readable_by

_HOST: Final = r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)"
_PORT: Final = r"(?::(?P<port>[0-9]{1,5}|\*))?"
_AUTHORITY: Final = re.compile(_HOST + _PORT)
_ORIGIN: Final = re.compile(r"(?P<scheme>[a-z][a-z0-9+.-]*)://" + _HOST + _PORT)
_DEFAULT_PORTS: Final = {"http": "80", "https": "443"}
_ANY: Final = "*"


class _Peer(NamedTuple):
    """A host or an origin; `port` is empty where none was given, and `*` for any."""

    scheme: str
    host: str
    port: str


class Guard:
    """An application that refuses foreign hosts and origins, and passes on all other requests.

    Pages of the origins in `cors_origins` may send requests from a browser, and read the answers.
    """

    def __init__(
        self,
        application: Application,
        hosts: Iterable[str],
        origins: Iterable[str],
        cors_origins: Iterable[str] = (),
    ) -> None:
        self._application = application
        self._hosts = frozenset(allowed_host(text) for text in hosts)
        self._cors_origins = frozenset(allowed_origin(text) for text in cors_origins)
        self._origins = self._cors_origins.union(allowed_origin(text) for text in origins)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request: 421 for a foreign `Host`, 403 for a foreign `Origin`, 400 for no clear end."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
            return
        origins = header_values(scope, b"origin")
        is_cors_origin = _is_among(_origin_of(origins), self._cors_origins)
        if self._cors_origins:
            send = readable_by(origins[0] if is_cors_origin else None, send)
        if _is_ambiguous(scope):
            text = "Content-Length and Transfer-Encoding; send one of them"
            await send_text(send, 400, text, (b"connection", b"close"))
        elif not self._is_answered(scope):
            await send_text(send, 421, "Invalid Host header; --allow-host allows it")
        elif not self._is_trusted(origins):
            await send_text(send, 403, "Invalid Origin header; --allow-origin allows it")
        elif is_cors_origin and is_preflight(scope):
            await allow_request(scope, send)
        elif scope["method"] == "GET" and scope["path"] == "/mcp":
            # The stream that a client may ask for would hold its connection for nothing: a
            # server without sessions never sends on it.
            await send_text(send, 405, "Method Not Allowed", (b"allow", b"POST"))
        else:
            await self._pass_on(scope, receive, send)

    async def _pass_on(self, scope: Message, receive: Receive, send: Send) -> None:
        has_begun = False

        async def noted(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            await send(message)

        try:
            await self._application(scope, receive, noted)
        except CancelledError:  # a call that takes longer than the server does to stop
            if not has_begun:
                await send_text(send, 503, "the server is stopping", (b"retry-after", b"5"))
            raise
        except Exception as error:
            from starlette.requests import ClientDisconnect

            # Its client is gone: there is nobody to answer and nothing to look into.
            if isinstance(error, ClientDisconnect):
                return
            # A verifier of tokens may fail in any way.
            server_log.failure("a request failed", error, path=scope["path"])
            if not has_begun:
                await send_text(send, 500, "Internal Server Error")

    def _is_answered(self, scope: Message) -> bool:
        if not self._hosts:
            return True
        hosts = header_values(scope, b"host")
        return len(hosts) == 1 and _is_among(_parsed(_AUTHORITY, _text(hosts[0])), self._hosts)

    def _is_trusted(self, origins: list[bytes]) -> bool:
        """Whether the request has no `Origin`, as from programs, or an allowed one."""
        return not origins or not self._hosts or _is_among(_origin_of(origins), self._origins)


def _is_ambiguous(scope: Message) -> bool:
    """Whether a proxy may find another end of the request than we do (request smuggling)."""
    return bool(header_values(scope, b"transfer-encoding")) and bool(
        header_values(scope, b"content-length")
    )


def allowed_host(text: str) -> _Peer:
    """The host, with any port if it ends with `:*`; StartError if it is invalid."""
    peer = _parsed(_AUTHORITY, text)
    if peer is None:
        raise StartError(f"--allow-host {text!r} is no host; write it like books.example:8000")
    return peer


def allowed_origin(text: str) -> _Peer:
    """The origin, with any port if it ends with `:*`; StartError if it is invalid."""
    peer = _parsed_origin(text)
    if peer is None:
        way_out = "write it like https://books.example"
        raise StartError(f"--allow-origin {text!r} is no origin; {way_out}")
    return peer


def _origin_of(origins: list[bytes]) -> _Peer | None:
    """The origin of a request; None if it has none, or more than one."""
    return _parsed_origin(_text(origins[0])) if len(origins) == 1 else None


def _text(value: bytes) -> str:
    return value.decode("latin-1")


def _is_among(peer: _Peer | None, allowed: frozenset[_Peer]) -> bool:
    if peer is None or peer.port == _ANY:
        return False
    return peer in allowed or peer._replace(port=_ANY) in allowed


def _parsed(form: re.Pattern[str], text: str) -> _Peer | None:
    """The parts of a host or an origin in lower case; None if it is invalid."""
    match = form.fullmatch(text.lower())
    if match is None:
        return None
    parts = match.groupdict()
    return _Peer(parts.get("scheme", ""), parts["host"], parts["port"] or "")


def _parsed_origin(text: str) -> _Peer | None:
    if text == "null":
        return _Peer("", text, "")
    peer = _parsed(_ORIGIN, text)
    return peer and peer._replace(port=peer.port or _DEFAULT_PORTS.get(peer.scheme, ""))
