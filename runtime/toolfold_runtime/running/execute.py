"""The call itself, one pipeline for every tool whatever carries it out.

validate arguments → look in the cache → backend → validate result → shape → record
"""

from functools import partial
from typing import Any

from toolfold_runtime.catalog.catalog import Catalog, Entry, Json
from toolfold_runtime.running import cache as cached
from toolfold_runtime.running import limits as limited
from toolfold_runtime.running.arguments import Arguments, Checked
from toolfold_runtime.running.backends.backend import Backend
from toolfold_runtime.running.cache import ResultCache, State
from toolfold_runtime.running.call import Call, Report
from toolfold_runtime.running.limits import Limits
from toolfold_runtime.running.results import Result, checked
from toolfold_runtime.running.shape import Answer, Shaper
from toolfold_runtime.running.telemetry import Telemetry
from toolfold_runtime.running.validators import Schemas

__all__ = ["Answer", "Executor"]


class Executor:
    """Carries out calls of a catalog's tools with a backend."""

    def __init__(self, catalog: Catalog, backend: Backend) -> None:
        execution = catalog.server["execution"]
        self.backend = backend
        self.cache = ResultCache(
            execution.get("cache_entries", cached.DEFAULT_ENTRIES),
            execution.get("cache_bytes", cached.DEFAULT_BYTES),
        )
        self._coerces = execution.get("coerce_strings", False)
        self._schemas = Schemas()
        self._arguments = Arguments(self._schemas)
        self.limits = Limits(
            execution.get("timeout", limited.DEFAULT_SECONDS),
            execution.get("concurrency", limited.DEFAULT_CONCURRENCY),
        )
        self.shaper = Shaper(self._schemas, catalog.server["reader"], execution.get("budget"))
        counters = {"results": self.cache.counts, "schemas": self._schemas.counts, **catalog.counts}
        gauges = {"entries": self.cache.__len__, "bytes": lambda: self.cache.size}
        self.counters = counters
        self._telemetry = Telemetry(counters, gauges)

    async def call(
        self,
        entry: Entry,
        arguments: Json,
        *,
        fields: tuple[str, ...] | None = None,
        report: Report | None = None,
    ) -> Answer:
        """Run one tool; every failure is a ToolError that tells the agent what to do.

        `fields` is None for a call by the tool's own name, which promises structured content.
        """
        with self._telemetry.call(entry, arguments) as record:
            coerces = entry.limits.get("coerce_strings", self._coerces)
            given = self._arguments.checked(entry, arguments, coerce_strings=coerces)
            result, record.cache = await self._result(entry, given, report)
            record.result_bytes, record.text = result.size, result.text
            if fields is None:
                answer = self.shaper.typed(entry, result)
            else:
                answer = self.shaper.text(entry, result, fields)
        return answer.noted(given.warnings)

    async def _result(
        self, entry: Entry, arguments: Checked, report: Report | None
    ) -> tuple[Result, State]:
        work = partial(self._run, entry, arguments, report)
        seconds = entry.limits.get("cache")
        if seconds is not None:
            return await self.cache.result(entry.name, arguments.values, seconds, work)
        return await work(), "off"

    async def _run(self, entry: Entry, arguments: Checked, report: Report | None) -> Result:
        call = Call(self.cache, report)
        try:
            work = partial(self._carried_out, entry, arguments, call)
            returned: Any = await self.limits.run(entry, call, work)
        finally:
            self._forget(entry)
            await call.end()
        return checked(self._schemas, entry, returned)

    async def _carried_out(self, entry: Entry, arguments: Checked, call: Call) -> Any:
        try:
            return await self.backend.run(entry, arguments, call)
        finally:
            self._forget(entry)  # also where it ends long after its call was answered

    def _forget(self, entry: Entry) -> None:
        """What was read before a change may be different after it."""
        if entry.effect != "read":
            self.cache.clear()
