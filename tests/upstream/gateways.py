"""Gateways before servers that tests start: generated, and called in this process or over a client."""

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any, Final, TypeVar

from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher, Reply
from toolfold_runtime.running.backends.mcp import Upstreams
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.call import CallContext
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.execute import Executor

from tests.support.projects import Json, Project, project
from tests.upstream import stub

T = TypeVar("T")

STUB: Final = Path(stub.__file__)
_FIELDS: Final = ("title", "description", "annotations")


def stub_server(**more: Any) -> Json:
    """A server under `servers:` that is the stub; `env` are plain values."""
    env = {name: {"plain": value} for name, value in more.pop("env", {}).items()}
    command = [sys.executable, "-S", "-E", str(STUB)]
    return {"command": command, **({"env": env} if env else {}), **more}


def imported(server: str, definitions: Iterable[Json], **more: Any) -> dict[str, Json]:
    """Tools of a server as an import writes them; their names carry the server's."""
    return {
        f"{server}_{one['name']}": {
            "id": f"{server}::{one['name']}",
            "category": "all",
            "effect": "read",
            "summary": f"The {one['name']} of {server}",
            "input_schema": one["inputSchema"],
            **({"output_schema": one["outputSchema"]} if "outputSchema" in one else {}),
            **{key: one[key] for key in _FIELDS if key in one},
            **more,
        }
        for one in definitions
    }


class Gateway:
    """A generated gateway; its servers are started by the calls that need them."""

    def __init__(
        self,
        folder: Path,
        servers: dict[str, Json],
        tools: dict[str, Json] | None = None,
        **manifest: Any,
    ) -> None:
        declared = {
            name: tool for server in servers for name, tool in imported(server, stub.TOOLS).items()
        }
        given = {
            "toolfold": 1,
            "server": {"name": "gateway", "version": "1"},
            "categories": {"all": {}},
            "tools": declared if tools is None else tools,
            "servers": servers,
            **manifest,
        }
        self.project: Project = project(folder, given)
        self.project.server()  # makes the package importable

    def run(self, calls: "Callable[[Door], Awaitable[T]]") -> T:
        """What a coroutine that makes calls returns; everything is closed after it."""

        async def inside() -> T:
            catalog = self.project.catalog
            backend = backend_of(catalog, None, self.project.folder)
            door = Door(Dispatcher(catalog, {}, Executor(catalog, backend)))
            try:
                return await calls(door)
            finally:
                await backend.close()

        return asyncio.run(inside())

    def call(self, name: str, arguments: Json | None = None) -> Reply:
        """The answer to one call; ToolError where it failed."""
        return self.run(lambda door: door.call(name, arguments))


class Door:
    """The one way to call tools, with what tests look at."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self.dispatcher = dispatcher

    @property
    def upstreams(self) -> Upstreams:
        backend: Any = self.dispatcher.executor.backend
        upstreams: Upstreams = backend.upstreams
        return upstreams

    async def call(
        self, name: str, arguments: Json | None = None, caller: Caller | None = None
    ) -> Reply:
        """The answer; ToolError where there is none."""
        return await self.dispatcher.call(name, arguments or {}, CallContext(caller or Caller()))

    async def text(self, name: str, arguments: Json | None = None, **more: Any) -> str:
        """The text of an answer, or of the error."""
        try:
            reply = await self.call(name, arguments, **more)
        except ToolError as error:
            return str(error)
        return "\n".join(reply.texts)


async def until(door: Door, server: str, status: str) -> None:
    """Come back once a server has a status."""
    while status_of(door, server) != status:
        await asyncio.sleep(0.005)


def status_of(door: Door, server: str) -> str:
    return next(state.status for state in door.upstreams.states() if state.name == server)
