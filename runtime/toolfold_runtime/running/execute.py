"""The pipeline of a call, the same for every tool and backend.

look at scopes → validate arguments → ask the user → look in the cache → backend → validate result → shape → record
"""

from dataclasses import replace
from functools import partial

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import Arguments, ValidArguments
from toolfold_runtime.running.backends.backend import Backend
from toolfold_runtime.running.cache import ResultCache, State
from toolfold_runtime.running.call import ANONYMOUS, Call, CallContext
from toolfold_runtime.running.caller import require_scopes
from toolfold_runtime.running.confirm import require_consent
from toolfold_runtime.running.error_codes import ErrorCodes
from toolfold_runtime.running.limits import Limits
from toolfold_runtime.running.results import Result, validated
from toolfold_runtime.running.shape import Answer, Shaper
from toolfold_runtime.running.telemetry import Telemetry
from toolfold_runtime.running.validators import SchemaValidators


class Executor:
    """Runs a catalog's tools with a backend."""

    def __init__(self, catalog: Catalog, backend: Backend) -> None:
        execution = catalog.facts.execution
        self.backend = backend
        self.cache = ResultCache(execution.cache_entries, execution.cache_bytes)
        self._coerces_strings = execution.coerce_strings
        self._validators = SchemaValidators()
        self._arguments = Arguments(self._validators)
        self._codes = ErrorCodes()
        self.limits = Limits(execution.timeout, execution.concurrency)
        self.shaper = Shaper(self._validators, catalog.facts.reader, execution.budget)
        self.counters = {
            "results": self.cache.counts,
            "schemas": self._validators.counts,
            **catalog.counts,
        }
        gauges = {"entries": self.cache.__len__, "bytes": lambda: self.cache.size}
        self._telemetry = Telemetry(self.counters, gauges)

    async def call(
        self,
        entry: ToolEntry,
        arguments: Json,
        *,
        runner: str = "",
        fields: tuple[str, ...] = (),
        context: CallContext = ANONYMOUS,
    ) -> Answer:
        """Run one tool; every failure is a ToolError that says what the agent can do.

        A call by a `runner` promises text, of some `fields` only where they are named; a call by
        the tool's own name promises structured content.
        """
        caller = context.caller
        with self._telemetry.call(entry, arguments) as record:
            require_scopes(entry, caller)
            own = entry.limits.coerce_strings
            coerces = self._coerces_strings if own is None else own
            given = self._arguments.validated(
                entry, arguments, coerce_strings=coerces, runner=runner
            )
            if entry.confirm is not None:
                with record.waiting():
                    await require_consent(entry, given.values, context.confirm)
            result, record.cache = await self._result(entry, given, context)
            record.result_bytes, record.text = result.size, result.text
            if runner:
                answer = self.shaper.text(entry, result, caller, fields)
            else:
                answer = self.shaper.typed(entry, result, caller)
        if given.warnings:
            answer = replace(answer, notes=(*given.warnings, *answer.notes))
        return answer

    def read_on(self, entry: ToolEntry, cursor: str, context: CallContext) -> Answer:
        """What was omitted from an earlier answer to the same caller; runs nothing."""
        require_scopes(entry, context.caller)
        return self.shaper.read_on(entry, cursor, context.caller)

    async def _result(
        self, entry: ToolEntry, arguments: ValidArguments, context: CallContext
    ) -> tuple[Result, State]:
        work = partial(self._run, entry, arguments, context)
        seconds = entry.limits.cache_ttl
        if seconds is not None:
            owner = None if entry.limits.is_cache_shared else context.caller.key
            return await self.cache.result(entry.name, arguments.values, seconds, work, owner)
        return await work(), "off"

    async def _run(
        self, entry: ToolEntry, arguments: ValidArguments, context: CallContext
    ) -> Result:
        call = Call(self.cache, context)
        try:
            work = partial(self._run_backend, entry, arguments, call)
            returned = await self.limits.run(entry, call, work)
        finally:
            self._invalidate(entry)
            await call.end()
        return validated(self._validators, entry, returned)

    async def _run_backend(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> object:
        try:
            return await self.backend.run(entry, arguments, call)
        except ToolError as error:
            self._codes.normalize(entry, error)
            raise
        finally:
            self._invalidate(entry)  # also where it ends long after its call was answered

    def _invalidate(self, entry: ToolEntry) -> None:
        """Clear the cache after a change: what was read before it may be different now."""
        if entry.effect != "read":
            self.cache.clear()
