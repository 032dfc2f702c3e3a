"""Limits of calls per server, so that one that hangs takes no slots of the others."""

from collections.abc import Iterator

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.running.limits import Limits


class LimitsByServer:
    """Limits for the tools of the implementation together, and for those of each other server."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._execution = catalog.facts.execution
        self.methods = Limits(self._execution.timeout, self._execution.concurrency)
        self._others: dict[str, Limits] = {}

    def __iter__(self) -> Iterator[Limits]:
        yield self.methods
        yield from self._others.values()

    def limits_of(self, entry: ToolEntry) -> Limits:
        """The limits that calls of a tool are held to."""
        if entry.server is None:
            return self.methods
        limits = self._others.get(entry.server)
        if limits is None:
            server = self._catalog.upstream_servers[entry.server]
            seconds = server.timeout or self._execution.timeout
            limits = Limits(seconds, server.concurrency or self._execution.concurrency)
            self._others[entry.server] = limits
        return limits
