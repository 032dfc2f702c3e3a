"""The HTTP server, with a graceful shutdown of bounded length."""

import asyncio
import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from typing import Final

from uvicorn import Config
from uvicorn.server import Server

from toolfold_runtime import server_log
from toolfold_runtime.serving.connections import BoundedConnection

# For what was cut off to end, and for the last answers to leave.
_LAST_SECONDS: Final = 1.0
_PERIOD: Final = 0.05  # seconds


class WebServer(Server):
    """uvicorn's server, which leaves signals to `lifetime` and says what it waits for."""

    def __init__(self, config: Config, shutdown_seconds: float) -> None:
        super().__init__(config)
        self._seconds = shutdown_seconds

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing about them."""
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Shut down: refuse new connections, then new requests, then end.

        A connection that is there may send one more request while calls are waited for: a client
        cannot know that it comes too late, and a load balancer asks whether the server is ready.
        """
        for listener in (*self.servers, *(sockets or ())):
            listener.close()
        if calls := self._calls():
            seconds = self._seconds
            server_log.notice("calls under way are finished first", calls=calls, seconds=seconds)
            for connection in self._connections():
                connection.answer_once_more()
            await _until(lambda: not self._calls(), seconds)
        if calls := self._calls():
            server_log.warning("calls that did not end in time are cut off", calls=calls)
        for connection in self._connections():
            connection.shutdown()
        for task in self.server_state.tasks:
            task.cancel()
        await _until(
            lambda: not self.server_state.tasks and not self.server_state.connections, _LAST_SECONDS
        )
        await self.lifespan.shutdown()

    def _calls(self) -> int:
        return sum(connection.is_busy for connection in self._connections())

    def _connections(self) -> list[BoundedConnection]:
        connections = self.server_state.connections
        return [one for one in connections if isinstance(one, BoundedConnection)]


async def _until(is_so: Callable[[], bool], seconds: float) -> None:
    """Wait until a condition holds, for at most so many seconds."""
    end = time.monotonic() + seconds
    while not is_so() and time.monotonic() < end:
        await asyncio.sleep(_PERIOD)
