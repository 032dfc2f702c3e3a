"""The MCP backend: tools that other servers carry out."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from toolfold_runtime import server_log
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.upstream import UpstreamServer, UpstreamTool
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import ValidArguments
from toolfold_runtime.running.call import Call
from toolfold_runtime.upstream.errors import OutageError, UpstreamError
from toolfold_runtime.upstream.secrets import MissingVariableError

if TYPE_CHECKING:
    from toolfold_runtime.running.foreign import ForeignAnswer
    from toolfold_runtime.upstream.connection import Live
    from toolfold_runtime.upstream.servers import Servers
    from toolfold_runtime.upstream.state import ServerState

_INPUT_REQUIRED: Final = "input_required"
_GONE: Final = "is no longer one of its tools"
_MAX_WARNINGS: Final = 1000


class Upstreams:
    """Runs tools on other servers, which are connected to when they are first needed."""

    def __init__(self, catalog: Catalog, folder: Path | None) -> None:
        self._catalog = catalog
        self._folder = folder
        self._servers: Servers | None = None
        self._warned: set[str] = set()

    async def run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> "ForeignAnswer":
        """The server's own answer; its failures are ToolErrors that say what is wrong with it."""
        from toolfold_runtime.running.foreign import ForeignAnswer

        tool = entry.upstream
        if tool is None:
            raise ToolError("backend_failed", f"{entry.name} has no server.")
        servers = self._connected()
        state = servers.state(tool.server)
        state.calls += 1
        state.failed_calls += 1  # until it has an answer
        call.obstacle = f"{tool.server} has not started yet"
        try:
            connection = servers.connection(tool.server, call.caller.key)

            async def work(live: "Live") -> ForeignAnswer:
                call.obstacle = ""
                self._warn_of_sharing(connection.server, live, call)
                await self._require_pin(entry, tool, connection.server, live)
                return ForeignAnswer(await _called(live, tool.tool, arguments, call))

            answer = await connection.run(work)
        except (UpstreamError, MissingVariableError) as error:
            raise _failure(tool.server, error) from None
        state.failed_calls -= 1
        if answer.sent.get("resultType") == _INPUT_REQUIRED:
            text = (
                f"{tool.server} asks its user something before it goes on, which is not passed on."
            )
            raise ToolError("backend_failed", f"{text} Give it all it needs in the arguments.")
        return answer

    async def start(self) -> None:
        """Nothing is connected before it is needed."""

    async def close(self) -> None:
        """End all connections, and everything that was started for them."""
        if self._servers is not None:
            await self._servers.close()

    def states(self) -> "list[ServerState]":
        """The state of every declared server, in the manifest's order."""
        return self._connected().states()

    def _connected(self) -> "Servers":
        if self._servers is None:
            from toolfold_runtime.upstream.servers import Servers

            declared = self._catalog.upstream_servers.values()
            mcp_servers = (server for server in declared if not server.is_http_api)
            self._servers = Servers(mcp_servers, self._folder)
        return self._servers

    async def _require_pin(
        self, entry: ToolEntry, tool: UpstreamTool, server: UpstreamServer, live: "Live"
    ) -> None:
        """ToolError `definition_changed` where the tool is not the one that was reviewed."""
        if not entry.pin or server.pin == "off":
            await live.learn_headers()
            return
        digest = await live.digests.digest_of(tool.tool)
        if digest == entry.pin:
            return
        from toolfold_runtime.upstream.pins import difference, outline

        pinned, current = self._catalog.pin(entry.name), await live.digests.definition_of(tool.tool)
        change = difference(pinned, current) if current else "it is gone"
        event = f"{server.name}: a tool is not the one that was reviewed"
        self._warn(event, {"tool": entry.name, "change": change})
        if server.pin == "warn":
            return
        fact = (
            f"has changed since it was reviewed: {outline(pinned, current)}" if current else _GONE
        )
        way_out = "Whoever runs this server must import it again and look at the change."
        text = f"{tool.tool} of {server.name} {fact}. It was not run. {way_out}"
        raise ToolError("definition_changed", text)

    def _warn_of_sharing(self, server: UpstreamServer, live: "Live", call: Call) -> None:
        """Warn once where callers with identities share a connection that may remember things."""
        if call.caller.key is None or server.per_caller or not live.session.is_stateful:
            return
        hint = "if it remembers anything between calls, set `per_caller: true`"
        self._warn(f"{server.name}: all callers share one connection", {"hint": hint})

    def _warn(self, event: str, facts: dict[str, str]) -> None:
        key = f"{event} {facts}"
        if key not in self._warned and len(self._warned) < _MAX_WARNINGS:
            self._warned.add(key)
            server_log.warning(event, **facts)


async def _called(live: "Live", tool: str, arguments: ValidArguments, call: Call) -> Json:
    async def on_progress(progress: float, total: float | None, message: str | None) -> None:
        call.notifications.progress(progress, total, message)

    return await live.session.call(
        tool, arguments.sent, on_progress if call.wants_progress else None
    )


def _failure(server: str, error: UpstreamError | MissingVariableError) -> ToolError:
    if isinstance(error, MissingVariableError):
        way_out = " Whoever runs this server must set what is missing and start it again."
    else:
        way_out = " Other tools are not affected." if isinstance(error, OutageError) else ""
    return ToolError("backend_failed", f"{server}: {error}.{way_out}")
