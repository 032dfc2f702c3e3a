"""An HTTP endpoint that answers with JSON, or with an event stream if the client asks for it.

Nearly every client accepts both with every request, so `Accept` decides little. A request asks for
a stream by a token for progress, or by a level for log messages; a client that accepts nothing but
a stream gets one too. Whoever goes away cancels its call, however that would be answered.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import anyio
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import LOG_LEVEL_META_KEY
from pydantic_core import SchemaValidator, core_schema

from toolfold_runtime.asgi import Application, Message, Receive, Send, header_values

if TYPE_CHECKING:
    from mcp.server.lowlevel import Server
    from starlette.applications import Starlette

_PROGRESS_KEY: Final = "progressToken"
#: Looked for before a body is parsed. No client escapes them; one that did would get JSON.
_HINTS: Final = (_PROGRESS_KEY.encode(), LOG_LEVEL_META_KEY.encode())
#: Makes no object of anything but the metadata: of a large body that would take as long again as
#: answering it.
_METADATA: Final = SchemaValidator(
    core_schema.typed_dict_schema(
        {
            "params": core_schema.typed_dict_field(
                core_schema.typed_dict_schema(
                    {"_meta": core_schema.typed_dict_field(core_schema.dict_schema())}
                )
            )
        }
    )
)
_TYPE: Final = b"content-type"
_JSON: Final = b"application/json"
_EVENTS: Final = b"text/event-stream"
_BOTH: Final = _JSON + b", " + _EVENTS
#: Neither a cache nor a proxy may hold back what was sent.
_EVENT_HEADERS: Final = (
    (_TYPE, _EVENTS),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)


def stream_where_asked(server: "Server[Any]", application: "Starlette") -> None:
    """Let a server's application, which answers with JSON, also answer with event streams.

    There are two managers behind one endpoint, so a `lifespan` of the server is entered twice.
    """
    plain = server.session_manager
    streaming = StreamableHTTPSessionManager(
        server,
        stateless=True,
        security_settings=plain.security_settings,
        max_request_body_size=plain.max_request_body_size,
    )
    endpoint = Endpoint(plain.asgi_app, streaming.asgi_app, plain.max_request_body_size)
    plain.asgi_app = endpoint  # type: ignore[assignment] # behind the check of tokens
    running = application.router.lifespan_context

    @asynccontextmanager
    async def lifespan(app: "Starlette") -> AsyncIterator[None]:
        async with running(app), streaming.run():
            yield

    application.router.lifespan_context = lifespan


class Endpoint:
    """An application that reads a request and passes it on, to be answered with JSON or events.

    `plain` answers with JSON and `streaming` with events; both refuse a body of more than
    `most` bytes.
    """

    def __init__(self, plain: Application, streaming: Application, most: int) -> None:
        self._plain = plain
        self._streaming = streaming
        self._most = most

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, for as long as its client is there."""
        if scope["method"] != "POST" or _declared_size(scope) > self._most:
            await self._plain(scope, receive, send)
            return
        body = await _body(receive, self._most)
        if body is None:
            return  # there is nobody to answer
        values = header_values(scope, b"accept")
        accept = b",".join(values)
        accepts = _accepted(accept)
        application = self._plain
        if accepts.events and (not accepts.json or _asks_for_events(body)):
            application = self._streaming
            accept = _BOTH  # which it insists on
            if not accepts.json:
                send = _as_events(send)
        if values != [accept]:
            others = [header for header in scope["headers"] if header[0] != b"accept"]
            scope = {**scope, "headers": [*others, (b"accept", accept)]}
        await _while_connected(application, scope, body, receive, send)


class _Accepted(NamedTuple):
    """The content types that a client accepts."""

    json: bool
    events: bool


@lru_cache(maxsize=64)
def _accepted(accept: bytes) -> _Accepted:
    types = {part.split(b";")[0].strip().lower() for part in accept.split(b",")}
    return _Accepted(
        json=not types.isdisjoint({_JSON, b"application/*", b"*/*"}),
        events=not types.isdisjoint({_EVENTS, b"text/*", b"*/*"}),
    )


def _asks_for_events(body: bytes) -> bool:
    if not any(hint in body for hint in _HINTS):
        return False
    try:
        meta = _METADATA.validate_json(body)["params"]["_meta"]
    except ValueError:
        return False  # without metadata, or answered as any other body that is no JSON
    token = meta.get(_PROGRESS_KEY)
    is_token = isinstance(token, str | int) and not isinstance(token, bool)
    return is_token or LOG_LEVEL_META_KEY in meta


def _declared_size(scope: Message) -> int:
    values = header_values(scope, b"content-length")
    return int(values[0]) if values and values[0].isdigit() else 0


async def _body(receive: Receive, most: int) -> bytes | None:
    """The body, or so much of it that it is known to be too large; None where its client left."""
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        body += message.get("body", b"")
        if not message.get("more_body") or len(body) > most:
            return bytes(body)


async def _while_connected(
    application: Application, scope: Message, body: bytes, receive: Receive, send: Send
) -> None:
    """Answer a request; cancel that if the client disconnects."""
    received = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        if received:
            return received.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send_watched(message: Message) -> None:
        if message["type"] == "http.response.body" and not message.get("more_body"):
            watching.cancel()  # from here on the end of the connection is no news
        await send(message)

    with anyio.CancelScope() as call:
        watching = asyncio.get_running_loop().create_task(_cancel_when_gone(receive, call))
        try:
            await application(scope, replay, send_watched)
        finally:
            watching.cancel()


async def _cancel_when_gone(receive: Receive, call: anyio.CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass  # what is left of a body that is too large
    call.cancel()


def _as_events(send: Send) -> Send:
    """A `send` that makes an answer in JSON the only event of a stream; others stay as they are."""
    is_turned = False

    async def send_events(message: Message) -> None:
        nonlocal is_turned
        if message["type"] == "http.response.start":
            headers = message["headers"]
            is_json = dict(headers).get(_TYPE, b"").startswith(_JSON)
            is_turned = is_json and message["status"] == 200
            if is_turned:
                others = [one for one in headers if one[0] not in (_TYPE, b"content-length")]
                message = {**message, "headers": [*_EVENT_HEADERS, *others]}
        elif is_turned:
            # One line: the SDK writes JSON without line breaks.
            event = b"event: message\r\ndata: " + message["body"] + b"\r\n\r\n"
            message = {**message, "body": event}
        await send(message)

    return send_events
