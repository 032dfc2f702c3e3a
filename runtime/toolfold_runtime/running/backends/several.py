"""Several backends in one catalog: each tool is run by its own."""

from typing import TYPE_CHECKING

from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.running.arguments import ValidArguments
from toolfold_runtime.running.backends.backend import Backend
from toolfold_runtime.running.call import Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolfold_runtime.upstream.state import ServerState


class SeveralBackends:
    """Runs each tool with the backend that carries it out."""

    def __init__(self, methods: Backend, upstreams: Backend, apis: Backend) -> None:
        self.methods = methods
        self.upstreams = upstreams
        self.apis = apis

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> object:
        """What the tool returned."""
        backend = self.methods if entry.server is None else self.upstreams
        if entry.http is not None:
            backend = self.apis
        return await backend.run(entry, arguments, call)

    async def start(self) -> None:
        """Get all of them ready."""
        for backend in (self.methods, self.upstreams, self.apis):
            await backend.start()

    async def close(self) -> None:
        """Let go of all of them."""
        try:
            await self.upstreams.close()
        finally:
            try:
                await self.apis.close()
            finally:
                await self.methods.close()


def upstream_states(backend: Backend) -> "list[ServerState]":
    """The states of the servers that a backend calls; none where it calls none."""
    several = (
        (backend.upstreams, backend.apis) if isinstance(backend, SeveralBackends) else (backend,)
    )
    all_states: list[ServerState] = []
    for one in several:
        states: Callable[[], list[ServerState]] | None = getattr(one, "states", None)
        all_states += states() if states else []
    return all_states
