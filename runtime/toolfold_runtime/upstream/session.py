"""One client of a server, from its start to its end.

The SDK's client must be entered and left by one task, which every session has; calls come from any.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Iterator
from contextvars import Context
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from mcp import Client, ClientSession
from mcp.shared.dispatcher import ProgressFnT
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CallToolRequest,
    CallToolRequestParams,
    Implementation,
    PaginatedRequestParams,
    ToolListChangedNotification,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import TypeAdapter

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.errors import OutageError, UnsentError, UpstreamError
from toolfold_runtime.upstream.exchange import LOST, Exchange, Original, is_outage
from toolfold_runtime.upstream.secrets import MissingVariableError
from toolfold_runtime.upstream.starts import Starts
from toolfold_runtime.upstream.transport import Shared, Transport

#: Seconds for a server to start and say who it is; the first start may have to install it.
CONNECTING: Final = 120.0
_LONGEST_TEXT: Final = 2_000
_LISTEN_AGAIN: Final = 15.0
_ENDED_DURING: Final = "ended during the call, and what it did before is not known"
_CLOSED: Final = "Connection closed"  # the SDK's own words
_ANY: Final[TypeAdapter[Any]] = TypeAdapter(dict)
# What they say would stand in our log without a label, and with tracebacks; callers hear of it.
for _name in ("mcp.client", "mcp.shared", "client", "httpx2"):
    logging.getLogger(_name).addHandler(logging.NullHandler())


class Session:
    """A client that is connecting, connected, or at its end."""

    def __init__(
        self,
        server: UpstreamServer,
        shared: Shared,
        starts: Starts,
        *,
        ended: Callable[["Session"], None] = lambda _: None,
    ) -> None:
        """Begin to connect; `ended` is called as soon as the server is gone, before all is tidied up."""
        loop = asyncio.get_running_loop()
        self.server = server
        #: Why it ended by itself; None before that.
        self.failure: UpstreamError | None = None
        self.was_connected = False
        #: Whether the list of tools has changed since it was last asked for.
        self.has_changed = True
        self.ready: asyncio.Future[Client] = loop.create_future()
        self.ready.add_done_callback(_retrieve_exception)
        self._exchange = Exchange()
        self._transport = Transport(server, shared)
        self._starts = starts
        self._ended = ended
        self._is_stopping = False
        #: Requests that wait for their answers.
        self._waiting = 0
        self._is_quiet = asyncio.Event()
        self._is_quiet.set()
        # Of nobody: what is known of the caller that happens to come first is not for the others.
        self._task = loop.create_task(self._run(), context=Context())

    @property
    def is_over(self) -> bool:
        """Whether no call can succeed any more."""
        return self._exchange.gone.is_set() or self._transport.has_lost_session

    @property
    def has_lost_session(self) -> bool:
        """Whether the server has forgotten this client's session, and so carried nothing out."""
        return self._transport.has_lost_session

    @property
    def is_stateful(self) -> bool:
        """Whether the server can tell this client from others, and so may remember what it did."""
        return (
            bool(self.server.command)
            or self.ready.result().protocol_version not in MODERN_PROTOCOL_VERSIONS
        )

    async def call(self, tool: str, arguments: Json, on_progress: ProgressFnT | None) -> Json:
        """The result of a tool, as the server sent it; UpstreamError says why there is none."""
        request = CallToolRequest(params=CallToolRequestParams(name=tool, arguments=arguments))
        return await self._result(
            lambda session: session.send_request(request, _ANY, progress_callback=on_progress)
        )

    async def page(self, cursor: str | None) -> Json:
        """A page of the list of tools, as the server sent it."""
        params = PaginatedRequestParams(cursor=cursor) if cursor is not None else None
        # Which arguments are headers, too, is remembered by the SDK.
        return await self._result(lambda session: session.list_tools(params=params))

    def stop(self) -> None:
        """Begin to end it."""
        self._is_stopping = True
        self._exchange.gone.set()
        if not self.was_connected:
            self._task.cancel()

    async def end(self, *, is_patient: bool = False) -> None:
        """End it, and wait until nothing of it is left; a patient end is after the requests under way."""
        if is_patient:
            await self._is_quiet.wait()
        self.stop()
        await asyncio.wait([self._task])

    async def _result(self, send: Callable[[ClientSession], Awaitable[object]]) -> Json:
        client = await asyncio.shield(self.ready)  # a cancelled caller harms nobody
        with self._exchange.original() as original, self._under_way():
            try:
                await send(client.session)
            except MCPError as error:
                raise self._error_for(error, original) from None
            except Exception as error:
                raise UpstreamError(f"broke the protocol: {type(error).__name__}") from None
        return original.result

    @contextlib.contextmanager
    def _under_way(self) -> Iterator[None]:
        """Count a request while it waits for its answer."""
        self._waiting += 1
        self._is_quiet.clear()
        try:
            yield
        finally:
            self._waiting -= 1
            if not self._waiting:
                self._is_quiet.set()

    def _error_for(self, error: MCPError, original: Original) -> UpstreamError:
        """Why a request has no result."""
        if not self._exchange.gone.is_set() and error.error.message != _CLOSED:
            return self._told(error)
        self._exchange.gone.set()  # writing may fail before reading does
        outage = self._transport.outage(_ENDED_DURING)
        return outage if original.was_sent else UnsentError(outage.fact, outage.detail)

    async def _run(self) -> None:
        """Enter the client, wait for the end, and leave it."""
        try:
            async with contextlib.AsyncExitStack() as stack:
                async with self._starts.slot(self.server):
                    with self._limited():
                        client = await stack.enter_async_context(self._client())
                if not self.ready.done():
                    self.was_connected = True
                    self.ready.set_result(client)
                    stack.enter_context(self._listening(client))
                    await self._exchange.gone.wait()
                if not self._is_stopping:
                    self._fail(self._transport.outage("ended"))
                self._ended(self)
        except BaseException as error:
            self._fail(self._reason(error))
            self._ended(self)
            if isinstance(error, asyncio.CancelledError) and not self._is_stopping:
                raise

    def _client(self) -> Client:
        return Client(
            self._exchange.over(self._transport.streams()),
            cache=None,
            message_handler=self._on_notification,
            client_info=Implementation(name="toolfold", version=_own_version()),
        )

    async def _on_notification(self, message: object) -> None:
        """Handle notifications of a server that speaks the older protocol."""
        if isinstance(message, ToolListChangedNotification):
            self.has_changed = True

    @contextlib.contextmanager
    def _listening(self, client: Client) -> Iterator[None]:
        """Subscribe to changes of the list of tools, as the newer protocol requires."""
        tools = client.server_capabilities.tools
        if client.protocol_version not in MODERN_PROTOCOL_VERSIONS or not (
            tools and tools.list_changed
        ):
            yield
            return
        task = asyncio.get_running_loop().create_task(self._listen(client))
        try:
            yield
        finally:
            task.cancel()

    async def _listen(self, client: Client) -> None:
        """Listen for as long as the session lasts, unless the server cannot tell of changes."""
        while True:
            try:
                async with client.listen(tools_list_changed=True) as events:
                    self.has_changed = True  # perhaps: nobody listened until now
                    async for _ in events:
                        self.has_changed = True
            except MCPError as error:
                if not is_outage(error):
                    return
            except Exception:  # noqa: S110 - the stream was lost: what changes meanwhile is asked for
                pass
            self.has_changed = True
            await asyncio.sleep(_LISTEN_AGAIN)

    @contextlib.contextmanager
    def _limited(self) -> Iterator[None]:
        """Give up on connecting after a time."""
        timer = asyncio.get_running_loop().call_later(CONNECTING, self._time_out)
        try:
            yield
        finally:
            timer.cancel()

    def _time_out(self) -> None:
        """Give up on connecting: waiting calls fail at once, before the cleanup is done."""
        self._fail(self._transport.outage(f"did not say who it is within {CONNECTING:g} s"))
        self._task.cancel()

    def _fail(self, why: UpstreamError) -> None:
        self.failure = self.failure or why
        self._exchange.gone.set()
        if not self.ready.done():
            self.ready.set_exception(self.failure)

    def _reason(self, error: BaseException) -> UpstreamError:
        """Why a session failed, in our words."""
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        if isinstance(error, UpstreamError):
            return error
        if isinstance(error, MissingVariableError):
            return OutageError(str(error))
        if not isinstance(error, MCPError):
            return self._transport.outage(f"failed with {type(error).__name__}")
        if error.error.message == _CLOSED:
            return self._transport.outage("ended before it said who it is")
        return self._transport.outage(self._told(error).fact)

    def _told(self, error: MCPError) -> UpstreamError:
        """The exception for an error response: the server's own, or one of ours in its place."""
        text = self._transport.mask(error.error.message)[:_LONGEST_TEXT]
        if error.error.data == LOST and self.has_lost_session:
            return UnsentError(text)
        if is_outage(error):
            return OutageError(text)
        return UpstreamError(f"answered with error {error.error.code}: {text}")


def _own_version() -> str:
    try:
        return version("toolfold")
    except PackageNotFoundError:  # a copy that was never installed
        return ""


def _retrieve_exception(ready: "asyncio.Future[Client]") -> None:
    """Retrieve the exception of a future that nobody may wait for."""
    if not ready.cancelled():
        ready.exception()
