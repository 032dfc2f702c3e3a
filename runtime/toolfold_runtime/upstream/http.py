"""MCP over HTTP: a failed request fails alone.

An exception of the HTTP client would end the SDK's connection and every other call on it. So
each becomes an answer to its own request, which the SDK gives to whoever waits for it.
"""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, Final

import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CONNECTION_CLOSED

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.auth import Credentials, bounded_body
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.exchange import LOST, OUTAGE, Streams
from toolfold_runtime.upstream.pool import HttpPool
from toolfold_runtime.upstream.secrets import expand

MOST_BYTES: Final = 32_000_000
_MOST_ERROR_BYTES: Final = 100_000
_LONGEST_REASON: Final = 200
# Calls have timeouts of their own, and streams have none; only connecting and ending have.
_TIMEOUT: Final = httpx2.Timeout(None, connect=10.0)
_ENDING: Final = httpx2.Timeout(2.0).as_dict()
_JSON: Final = "application/json"
_SESSION: Final = "mcp-session-id"
_WAYS_OUT: Final = {
    401: "its `auth:` or `headers:` are missing, wrong or expired",
    403: "its `auth:` or `headers:` do not allow this",
    407: "a proxy wants credentials",
    429: "too many requests; try again later",
}


@asynccontextmanager
async def http_streams(
    server: UpstreamServer,
    pool: HttpPool,
    credentials: Credentials,
    session_lost: Callable[[], None],
) -> AsyncIterator[Streams]:
    """The streams of messages from and to a server; `session_lost` is called if it forgets the session."""
    contained = _Contained(pool.transport, credentials, session_lost)
    # Nothing of the environment: neither proxies nor the passwords of a .netrc.
    async with (
        httpx2.AsyncClient(transport=contained, timeout=_TIMEOUT, trust_env=False) as client,
        streamable_http_client(
            expand(server.url or ""), http_client=client, max_sse_event_size=MOST_BYTES
        ) as streams,
    ):
        yield streams


class _Contained(httpx2.AsyncBaseTransport):
    """Sends requests with credentials; every failure becomes a response."""

    def __init__(
        self,
        inner: httpx2.AsyncBaseTransport,
        credentials: Credentials,
        session_lost: Callable[[], None],
    ) -> None:
        self._inner = inner
        self._credentials = credentials
        self._session_lost = session_lost

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """The response, of bounded size where it is not a stream."""
        if request.method == "DELETE":  # ends a session: nobody waits for that
            request.extensions = {**request.extensions, "timeout": _ENDING}
        try:
            sent, response = await self._send_with_credentials(request)
            if response.status_code == 401 and self._credentials.refused(sent.headers):
                await response.aclose()
                _, response = await self._send_with_credentials(request)
            return await self._checked(request, response)
        except httpx2.TransportError as error:
            return _failure(request, f"unreachable: {_reason(error)}")
        except UpstreamError as error:
            return _failure(request, str(error))

    async def aclose(self) -> None:
        """Nothing: the pool is shared."""

    async def _send_with_credentials(
        self, request: httpx2.Request
    ) -> tuple[httpx2.Request, httpx2.Response]:
        """The request as it was sent, with credentials, and the response."""
        sent = await self._credentials.authorized(request)
        return sent, await self._inner.handle_async_request(sent)

    async def _checked(self, request: httpx2.Request, response: httpx2.Response) -> httpx2.Response:
        status, kind = response.status_code, response.headers.get("content-type", "").lower()
        if status == 404 and _SESSION in request.headers:
            self._session_lost()
            if request.method == "POST":
                await response.aclose()
                return _failure(request, "does not know the session any more", LOST)
        if request.method != "POST" or response.is_redirect:
            return response
        if status >= 400 and not kind.startswith(_JSON) and status != 404:
            await response.aclose()
            return _failure(request, _status(response))
        if not kind.startswith(_JSON):
            return response
        body = await bounded_body(response, MOST_BYTES if status < 400 else _MOST_ERROR_BYTES)
        if status >= 400 and status != 404 and b'"jsonrpc"' not in body:
            return _failure(request, _status(response))
        headers = [
            (name, value)
            for name, value in response.headers.multi_items()
            if name not in ("content-encoding", "content-length", "transfer-encoding")
        ]
        return httpx2.Response(status, headers=headers, content=body, request=request)


def _failure(request: httpx2.Request, text: str, data: str = OUTAGE) -> httpx2.Response:
    """A response that the SDK takes for the server's own error."""
    error: dict[str, Any] = {"code": CONNECTION_CLOSED, "message": text, "data": data}
    body = {"jsonrpc": "2.0", "id": None, "error": error}
    return httpx2.Response(503, json=body, request=request)


def _status(response: httpx2.Response) -> str:
    status = response.status_code
    way_out = _WAYS_OUT.get(status)
    return f"HTTP {status} {response.reason_phrase}" + (f": {way_out}" if way_out else "")


def _reason(error: httpx2.TransportError) -> str:
    """The kind of a failure; with its text only for failed connections, which hold no address."""
    if isinstance(error, httpx2.ConnectError):
        return f"no connection: {str(error)[:_LONGEST_REASON]}"
    if isinstance(error, httpx2.ReadError | httpx2.RemoteProtocolError):
        return "the connection broke"
    return type(error).__name__
