"""Sending requests to one API: with its credentials, to its origin, again where that is harmless."""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Final, NamedTuple
from urllib.parse import urljoin

import httpx2

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.http_api.address import base_of
from toolfold_runtime.http_api.decode import ENCODINGS, BoundedBody, TooLongError
from toolfold_runtime.http_api.pace import Pace, wait_before
from toolfold_runtime.http_api.request import ApiRequest
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES
from toolfold_runtime.upstream.auth import Credentials, origin_of
from toolfold_runtime.upstream.errors import OutageError, UnsentError, UpstreamError
from toolfold_runtime.upstream.pool import HttpPool
from toolfold_runtime.upstream.secrets import Mask, expand, require_variables

#: Statuses after which the same request may well succeed.
_AGAIN: Final = frozenset({408, 425, 429, 502, 503, 504})
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
_MOST_REDIRECTS: Final = 5
_MOST_EVENT_BYTES: Final = 1_000_000
_EVENTS: Final = "text/event-stream"
#: Of the time that is left for a call, what a stream of events is read for.
_STREAM_SHARE: Final = 0.8
# A call has a limit of its own; only connecting has another.
_TIMEOUT: Final = httpx2.Timeout(None, connect=10.0).as_dict()
_LONGEST_REASON: Final = 200


class Received(NamedTuple):
    """An answer, as it came but for compression."""

    url: str
    status: int
    reason: str
    headers: Mapping[str, str]
    body: bytes
    #: Whether a stream goes on that was read for long enough.
    is_partial: bool = False


class Api:
    """One API: where it is, what authorizes requests to it, and how many it takes."""

    def __init__(self, server: UpstreamServer, pool: HttpPool) -> None:
        """MissingVariableError names variables that are not set; UpstreamError says what cannot be sent."""
        require_variables(server)
        try:
            self.base = base_of(expand(server.url or ""))
            self._origin = origin_of(httpx2.URL(self.base.origin))
        except (ValueError, httpx2.InvalidURL):
            raise UpstreamError("its url is not an http or https address of an origin") from None
        self.mask = Mask(server)
        self._pool = pool
        self._credentials = Credentials(server, pool.transport, self.mask)
        self._pace = Pace(server.rate)
        self._retries = server.retries

    async def send(
        self, request: ApiRequest, remaining: Callable[[], float], *, may_repeat: bool
    ) -> Received:
        """What the API answers; UpstreamError where there is no answer to be had.

        `remaining` tells the seconds that the call has left: no wait before another attempt is longer.
        """
        attempt = 0
        while True:
            headers: Mapping[str, str] = {}
            try:
                received = await self._followed(request, remaining)
                if not may_repeat or received.status not in _AGAIN or attempt >= self._retries:
                    return received
                headers = received.headers
                failure = None
            except httpx2.TransportError as error:
                is_unsent = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout)
                failure = (UnsentError if is_unsent else OutageError)(_reason(error))
                is_harmless = may_repeat or is_unsent
                if attempt >= self._retries or not is_harmless or _is_tls(error):
                    raise failure from None
            wait = wait_before(attempt, headers)
            if wait >= remaining():
                if failure is not None:
                    raise failure
                return received
            await asyncio.sleep(wait)
            attempt += 1

    async def _followed(self, request: ApiRequest, remaining: Callable[[], float]) -> Received:
        """The answer at the end of redirects, which stay within the origin and change nothing."""
        has_written = False
        for _ in range(_MOST_REDIRECTS + 1):
            try:
                received = await self._authorized(request, remaining)
            except httpx2.TransportError as error:
                if has_written:  # what led here must not be sent again
                    raise OutageError(_reason(error)) from None
                raise
            has_written = has_written or request.method not in _SAFE
            following = self._redirected(request, received)
            if following is None:
                return received
            request = following
        raise UpstreamError(f"it redirects more than {_MOST_REDIRECTS} times")

    def _redirected(self, request: ApiRequest, received: Received) -> ApiRequest | None:
        """The request that a redirect asks for; None where there is none, UpstreamError where it is refused."""
        location = received.headers.get("location", "")
        if received.status not in (301, 302, 303, 307, 308) or not location:
            return None
        if received.status == 303 and request.method not in _SAFE:
            request = ApiRequest("GET", request.url, {"accept": request.headers["accept"]})
        if request.method not in _SAFE:
            fact = f"it redirects a {request.method} with HTTP {received.status}"
            raise UpstreamError(f"{fact}, which is not followed; nothing says whether it was done")
        url = _joined(received.url, location)
        leads_to = _parsed(url)
        if leads_to is None or origin_of(leads_to) != self._origin:
            raise UpstreamError("it redirects to another origin, which is not followed")
        return request._replace(url=url.partition("#")[0])

    async def _authorized(self, request: ApiRequest, remaining: Callable[[], float]) -> Received:
        """The answer, with another token where the API refuses the one that it gave out."""
        sent = await self._with_credentials(request)
        received = await self._answered(request.url, sent, remaining)
        if received.status == 401 and self._credentials.refused(sent.headers):
            sent = await self._with_credentials(request)
            return await self._answered(request.url, sent, remaining)
        return received

    async def _with_credentials(self, request: ApiRequest) -> httpx2.Request:
        url = _parsed(request.url)
        # Whatever led here: nothing is sent anywhere else.
        if url is None or origin_of(url) != self._origin:
            raise UpstreamError("the request leads to another origin, and was not sent")
        headers = {"accept-encoding": ENCODINGS, "user-agent": _user_agent(), **request.headers}
        url = await self._credentials.add_to(headers, url)
        return httpx2.Request(
            request.method,
            url,
            headers=headers,
            content=request.body,
            extensions={"timeout": _TIMEOUT},
        )

    async def _answered(
        self, url: str, sent: httpx2.Request, remaining: Callable[[], float]
    ) -> Received:
        """What is answered; `url` is the address without what authorizes the request."""
        await self._pace.turn()
        response = await self._pool.transport.handle_async_request(sent)
        try:
            return await _received(url, response, remaining)
        finally:
            await response.aclose()


async def _received(
    url: str, response: httpx2.Response, remaining: Callable[[], float]
) -> Received:
    headers = response.headers
    is_stream = headers.get("content-type", "").lower().startswith(_EVENTS)
    body = BoundedBody(headers.get("content-encoding", ""), MOST_ANSWER_BYTES)
    if not is_stream:
        async for part in response.aiter_raw():
            body.add(part)
        content = body.content()
        return Received(url, response.status_code, response.reason_phrase, headers, content)
    events = BoundedBody(headers.get("content-encoding", ""), _MOST_EVENT_BYTES)
    is_partial = False
    try:
        async with asyncio.timeout(max(0.0, remaining() * _STREAM_SHARE)):
            async for part in response.aiter_raw():
                events.add(part)
    except (TimeoutError, TooLongError):
        is_partial = True
    content = events.so_far()
    return Received(url, response.status_code, response.reason_phrase, headers, content, is_partial)


def _parsed(url: str) -> httpx2.URL | None:
    """An address as the HTTP library sees it; None for what is no plain address."""
    try:
        parsed = httpx2.URL(url)
    except httpx2.InvalidURL:
        return None
    return None if parsed.userinfo else parsed


def _joined(url: str, location: str) -> str:
    """Where a redirect leads; empty where it leads nowhere."""
    try:
        return urljoin(url, location)
    except ValueError:
        return ""


def _is_tls(error: BaseException | None) -> bool:
    """Whether it is about certificates or the like, which is the same the next time."""
    while error is not None:
        if isinstance(error, ssl.SSLError):
            return True
        error = error.__cause__ or error.__context__
    return False


def _reason(error: httpx2.TransportError) -> str:
    """What kind of failure it is; only the texts about connecting never hold an address."""
    if isinstance(error, httpx2.ConnectTimeout):
        return "unreachable: no connection in time"
    if isinstance(error, httpx2.ConnectError):
        text = f"unreachable: no connection: {str(error)[:_LONGEST_REASON]}"
        is_unknown = "CERTIFICATE_VERIFY_FAILED" in text
        return f"{text}; SSL_CERT_FILE names authorities of your own" if is_unknown else text
    if isinstance(error, httpx2.RemoteProtocolError) and "connect" not in str(error):
        return "what it answers is not HTTP"  # and is not shown: it may hold anything
    if isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError | httpx2.WriteError):
        return "the connection broke before its answer was complete"
    return f"unreachable: {type(error).__name__}"


@cache
def _user_agent() -> str:
    try:
        return f"toolfold/{version('toolfold')}"
    except PackageNotFoundError:
        return "toolfold"
