"""All servers of a catalog: their connections, one each or one per caller, and their states."""

import asyncio
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.connection import Connection
from toolfold_runtime.upstream.errors import UpstreamError
from toolfold_runtime.upstream.starts import Starts
from toolfold_runtime.upstream.state import ServerState
from toolfold_runtime.upstream.transport import Shared

#: Connections of one server, where each caller has one.
MOST_CALLERS: Final = 32
_CLOSING: Final = 8.0


class Servers:
    """Connections by server and caller; nothing is connected before it is needed."""

    def __init__(self, servers: Iterable[UpstreamServer], folder: Path | None) -> None:
        self._servers = {server.name: server for server in servers}
        self._states = {name: ServerState(name) for name in self._servers}
        self._shared = Shared(folder)
        self._starts = Starts()
        self._connections: dict[str, dict[str | None, Connection]] = {}
        self._closing: set[asyncio.Task[None]] = set()

    def states(self) -> list[ServerState]:
        """The state of every server, in the manifest's order."""
        return list(self._states.values())

    def server(self, name: str) -> UpstreamServer:
        """The declaration of a server."""
        return self._servers[name]

    def state(self, name: str) -> ServerState:
        """The state of a server."""
        return self._states[name]

    def connection(self, name: str, caller: str | None) -> Connection:
        """The connection to use for a caller with this key; UpstreamError where there are too many."""
        server = self._servers[name]
        key = caller if server.per_caller else None
        connections = self._connections.setdefault(name, {})
        if key not in connections:
            self._make_room(connections)
            connections[key] = Connection(server, self._shared, self._starts, self._states[name])
        return connections[key]

    async def close(self) -> None:
        """End all connections at the same time, and everything that was started for them."""
        ending = [
            asyncio.get_running_loop().create_task(connection.close())
            for connections in self._connections.values()
            for connection in connections.values()
        ]
        ending += self._closing
        if ending:
            await asyncio.wait(ending, timeout=_CLOSING)
        for state in self._states.values():
            state.report()
        await self._shared.close()

    def _make_room(self, connections: dict[str | None, Connection]) -> None:
        if len(connections) < MOST_CALLERS:
            return
        idle = [key for key, connection in connections.items() if not connection.in_use]
        if not idle:
            raise UpstreamError(f"{MOST_CALLERS} callers use it now; try again in a moment")
        oldest = connections.pop(min(idle, key=lambda key: connections[key].last_use))
        closing = asyncio.get_running_loop().create_task(oldest.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)
