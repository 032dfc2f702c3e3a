"""Whom a server answers over HTTP: `Host` and `Origin`, each compared as a whole.

The one check in front of everything that the application serves. The SDK's own compares a name
with any port by its beginning, so that `localhost:8000.evil.example` would pass for `localhost`.
"""

import re
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any, Final, NamedTuple, TypeAlias

from toolfold_runtime import server_log
from toolfold_runtime.errors import StartError

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
Application: TypeAlias = Callable[[Message, Receive, Send], Awaitable[None]]

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
    """An application that refuses foreign hosts and origins, and passes on all other requests."""

    def __init__(
        self, application: Application, hosts: Iterable[str], origins: Iterable[str]
    ) -> None:
        self._application = application
        self._hosts = frozenset(allowed_host(text) for text in hosts)
        self._origins = frozenset(allowed_origin(text) for text in origins)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request: 421 for a foreign `Host`, 403 for a foreign `Origin`."""
        if scope["type"] != "http":
            await self._application(scope, receive, send)
        elif not self._is_answered(scope):
            await _refuse(send, 421, "Invalid Host header")
        elif not self._is_trusted(scope):
            await _refuse(send, 403, "Invalid Origin header")
        elif scope["method"] == "GET" and scope["path"] == "/mcp":
            # The stream that a client may ask for would hold its connection for nothing: a
            # server without sessions never sends on it.
            await _refuse(send, 405, "Method Not Allowed", (b"allow", b"POST"))
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
        except Exception as error:
            from starlette.requests import ClientDisconnect

            # Its client is gone: there is nobody to answer and nothing to look into.
            if isinstance(error, ClientDisconnect):
                return
            server_log.failure(
                "a request failed", error, path=scope["path"]
            )  # a verifier's, for one
            if not has_begun:
                await _refuse(send, 500, "Internal Server Error")

    def _is_answered(self, scope: Message) -> bool:
        if not self._hosts:
            return True
        given = _values(scope, b"host")
        peer = _parsed(_AUTHORITY, given[0]) if len(given) == 1 else None
        return peer is not None and _is_among(peer, self._hosts)

    def _is_trusted(self, scope: Message) -> bool:
        """Whether no page of another origin sent the request; programs send no `Origin`."""
        given = _values(scope, b"origin")
        if not given or not self._hosts:
            return True
        peer = _parsed_origin(given[0]) if len(given) == 1 else None
        return peer is not None and _is_among(peer, self._origins)


def allowed_host(text: str) -> _Peer:
    """The host, with any port where it ends with `:*`; StartError where it is none."""
    peer = _parsed(_AUTHORITY, text)
    if peer is None:
        raise StartError(f"--allow-host {text!r} is no host; write it like books.example:8000")
    return peer


def allowed_origin(text: str) -> _Peer:
    """The origin, with any port where it ends with `:*`; StartError where it is none."""
    peer = _parsed_origin(text)
    if peer is None:
        way_out = "write it like https://books.example"
        raise StartError(f"--allow-origin {text!r} is no origin; {way_out}")
    return peer


def _values(scope: Message, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in scope["headers"] if key == name]


def _is_among(peer: _Peer, allowed: frozenset[_Peer]) -> bool:
    return peer.port != _ANY and (peer in allowed or peer._replace(port=_ANY) in allowed)


def _parsed(form: re.Pattern[str], text: str) -> _Peer | None:
    """The parts of a host or an origin, which are the same in any case; None where it is none."""
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


async def _refuse(send: Send, status: int, text: str, *headers: tuple[bytes, bytes]) -> None:
    body = text.encode()
    own = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": [*own, *headers]})
    await send({"type": "http.response.body", "body": body})
