"""Credentials of requests to a server over HTTP, sent to its own origin only.

They are the gateway's own. What a caller sent to authorize itself is never among them.
"""

import asyncio
import json
import time
from base64 import b64encode
from collections.abc import Callable, Mapping, MutableMapping
from typing import Final
from urllib.parse import quote, unquote_plus, urlencode

import httpx2

from toolfold_runtime.contract.upstream import (
    ClientCredentials,
    UpstreamAuth,
    UpstreamServer,
)
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.secrets import COOKIE_OCTETS, Mask, expand

# Seconds before its end at which a token is not used any more, and what one without an end is worth.
_MARGIN: Final = 30.0
_UNKNOWN_LIFETIME: Final = 300.0
_MOST_TOKEN_BYTES: Final = 100_000
_LONGEST_CODE: Final = 60


class Credentials:
    """The credentials of one connection's requests."""

    def __init__(
        self, server: UpstreamServer, fetch: httpx2.AsyncBaseTransport, mask: Mask
    ) -> None:
        """UpstreamError where a value cannot be sent."""
        self._origin = origin_of(httpx2.URL(expand(server.url or "")))
        self._headers = {name: expand(value) for name, value in server.headers.items()}
        self._query: dict[str, str] = {}
        self._cookies: dict[str, str] = {}
        self._tokens: _Tokens | None = None
        self._mask = mask
        self._add(server.auth or UpstreamAuth(), fetch)
        checked = {name: _checked(name, value) for name, value in self._headers.items()}
        self._headers = {name.lower(): value for name, value in checked.items()}

    async def authorized(self, request: httpx2.Request) -> httpx2.Request:
        """A copy of the request, with credentials if it goes to the server's own origin.

        UpstreamError where there is no token to be had.
        """
        if origin_of(request.url) != self._origin:
            return request
        headers = httpx2.Headers(request.headers)
        url = await self.add_to(headers, request.url)
        # A copy, so that no log of the HTTP library shows a key in the query.
        return httpx2.Request(
            request.method,
            url,
            headers=headers,
            stream=request.stream,
            extensions=request.extensions,
        )

    async def add_to(self, headers: MutableMapping[str, str], url: httpx2.URL) -> httpx2.URL:
        """Add credentials to the headers of a request to the own origin; returns its address with them.

        They replace values of the same names, which somebody else may have chosen.
        UpstreamError where there is no token to be had.
        """
        headers.update(self._headers)
        if self._tokens is not None:
            token = await self._tokens.current()
            self._mask.add("<token>", token)
            headers["authorization"] = _checked("authorization", f"Bearer {token}")
        if self._cookies:
            given = (pair.strip() for pair in headers.get("cookie", "").split(";"))
            others = [
                cookie
                for cookie in given
                if cookie and cookie.partition("=")[0] not in self._cookies
            ]
            kept_cookies = [f"{name}={value}" for name, value in self._cookies.items()]
            headers["cookie"] = "; ".join([*others, *kept_cookies])
        return _with_query(url, self._query) if self._query else url

    def refused(self, headers: Mapping[str, str]) -> bool:
        """Forget the token of a request that the server refused; whether another is worth trying."""
        token = headers.get("authorization", "").removeprefix("Bearer ")
        return self._tokens is not None and self._tokens.forget(token)

    def _add(self, auth: UpstreamAuth, fetch: httpx2.AsyncBaseTransport) -> None:
        if auth.bearer is not None:
            self._headers["authorization"] = f"Bearer {expand(auth.bearer)}"
        elif auth.basic is not None:
            pair = f"{expand(auth.basic.username)}:{expand(auth.basic.password)}"
            login = b64encode(pair.encode()).decode()
            self._mask.add("<login>", login)
            self._headers["authorization"] = f"Basic {login}"
        elif auth.api_key is not None:
            places = {"query": self._query, "cookie": self._cookies, "header": self._headers}
            value = expand(auth.api_key.value)
            if auth.api_key.place == "cookie":
                value = _checked("cookie", quote(value, safe=COOKIE_OCTETS))
            places[auth.api_key.place][expand(auth.api_key.name)] = value
        elif auth.client_credentials is not None:
            self._tokens = _Tokens(auth.client_credentials, fetch)


class _Tokens:
    """The access token of a client, fetched when it is needed and again before it expires."""

    def __init__(
        self,
        client: ClientCredentials,
        fetch: httpx2.AsyncBaseTransport,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._request = _token_request(client)
        self._fetch = fetch
        self._clock = clock
        self._lock = asyncio.Lock()
        self._token = ""
        self._expires = 0.0
        self._was_used = False

    async def current(self) -> str:
        """A token that is valid for a while; many callers at once make one request."""
        async with self._lock:
            if not self._token or self._clock() >= self._expires:
                await self._renew()
            else:
                self._was_used = True
            return self._token

    def forget(self, token: str) -> bool:
        """Forget a token; False where it was new, so that another would be refused as well."""
        if token != self._token:
            return True  # another call, which was refused too, has forgotten it
        was_used, self._token, self._was_used = self._was_used, "", False
        return was_used

    async def _renew(self) -> None:
        try:
            response = await self._fetch.handle_async_request(self._request)
            body = await bounded_body(response, _MOST_TOKEN_BYTES)
        except httpx2.TransportError as error:
            raise UpstreamError(f"no token: {type(error).__name__} at its address") from None
        answer = _object(body)
        token = answer.get("access_token")
        if response.status_code != 200 or not isinstance(token, str) or not token:
            reason = str(answer.get("error", ""))[:_LONGEST_CODE]
            reason = f", {reason}" if reason.isascii() and reason.isprintable() and reason else ""
            raise UpstreamError(f"no token: HTTP {response.status_code}{reason} at its address")
        seconds = answer.get("expires_in")
        lifetime = float(seconds) if isinstance(seconds, int | float) else _UNKNOWN_LIFETIME
        self._token, self._was_used = token, False
        self._expires = self._clock() + max(lifetime - _MARGIN, lifetime / 2)


async def bounded_body(response: httpx2.Response, most: int) -> bytes:
    """The decoded body; UpstreamError where it is too large."""
    parts: list[bytes] = []
    size = 0
    try:
        async for part in response.aiter_bytes():
            parts.append(part)
            size += len(part)
            if size > most:
                raise UpstreamError(f"an answer has more than {most:,} bytes")
    finally:
        await response.aclose()
    return b"".join(parts)


def _token_request(client: ClientCredentials) -> httpx2.Request:
    scopes = {"scope": " ".join(map(expand, client.scopes))} if client.scopes else {}
    more = {name: expand(value) for name, value in client.parameters.items()}
    form = {"grant_type": "client_credentials", **scopes, **more}
    # Both are encoded as in a form first (RFC 6749, 2.3.1).
    pair = f"{quote(expand(client.client_id), '')}:{quote(expand(client.client_secret), '')}"
    return httpx2.Request(
        "POST",
        expand(client.token_url),
        headers={
            "authorization": f"Basic {b64encode(pair.encode()).decode()}",
            "content-type": "application/x-www-form-urlencoded",
            "accept": "application/json",
        },
        content=urlencode(form).encode(),
        extensions={"timeout": httpx2.Timeout(10.0).as_dict()},
    )


def _checked(name: str, value: str) -> str:
    """The value, if a header can hold it; else UpstreamError, which does not show the value."""
    if not value.isascii() or not value.replace("\t", " ").isprintable():
        fact = "holds a newline, or another character that cannot be sent"
    elif value != value.strip():
        fact = "begins or ends with a space, which cannot be sent"
    else:
        return value
    raise UpstreamError(f"the value of its header {name} {fact}")


def _object(body: bytes) -> dict[str, object]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _with_query(url: httpx2.URL, more: dict[str, str]) -> httpx2.URL:
    """The address with parameters added to its query, in place of any with the same names."""
    given = url.query.decode("ascii").split("&") if url.query else []
    others = [pair for pair in given if unquote_plus(pair.partition("=")[0]) not in more]
    return url.copy_with(query="&".join([*others, urlencode(more)]).encode())


def origin_of(url: httpx2.URL) -> tuple[str, str, int | None]:
    """The origin of an address, which credentials are bound to: scheme, host and port."""
    return url.scheme, url.host, url.port
