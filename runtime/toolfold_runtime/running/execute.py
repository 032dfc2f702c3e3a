"""The pipeline of a call, the same for every tool and backend.

look at scopes → validate arguments → ask the user → look in the cache → backend → validate result → shape → record

What takes long, or runs code of an author's, is done in a thread and within the call's timeout:
the event loop answers the others meanwhile.
"""

from asyncio import CancelledError
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar, cast

from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import Arguments, ValidArguments
from toolfold_runtime.running.backends.backend import Backend
from toolfold_runtime.running.cache import ResultCache, Sharing, State
from toolfold_runtime.running.call import ANONYMOUS, Call, CallContext, Confirm
from toolfold_runtime.running.caller import require_scopes
from toolfold_runtime.running.confirm import require_consent
from toolfold_runtime.running.error_codes import ErrorCodes
from toolfold_runtime.running.limits import Limits
from toolfold_runtime.running.limits_by_server import LimitsByServer
from toolfold_runtime.running.measure import is_small
from toolfold_runtime.running.results import NotedResult, Result, result_of_json, validated
from toolfold_runtime.running.shape import Answer, Shaper
from toolfold_runtime.running.telemetry import Record, Telemetry
from toolfold_runtime.running.threads import Threads
from toolfold_runtime.running.validators import SchemaValidators, is_slow

if TYPE_CHECKING:
    from toolfold_runtime.running.foreign import ForeignAnswer, ForeignResult
    from toolfold_runtime.usage.recorder import Recorder

T = TypeVar("T")
#: Bytes of a result that is shaped within microseconds.
_SMALL_RESULT: Final = 20_000


class Executor:
    """Runs a catalog's tools with a backend."""

    def __init__(
        self, catalog: Catalog, backend: Backend, recorder: "Recorder | None" = None
    ) -> None:
        execution = catalog.facts.execution
        self.recorder = recorder
        #: Functions to call at the end, besides ending calls.
        self.endings: list[Callable[[], Awaitable[None]]] = []
        self.backend = backend
        self.cache = ResultCache(execution.cache_entries, execution.cache_bytes)
        self._coerces_strings = execution.coerce_strings
        self._package = catalog.package
        self._threads = Threads()
        self._validators = SchemaValidators(execution.timeout, catalog.input_schema)
        self._arguments = Arguments(self._validators, catalog.facts.arguments)
        self._codes = ErrorCodes()
        self._limits = LimitsByServer(catalog)
        self.limits = self._limits.methods
        # For validating and shaping: a wrong call is answered even while all methods hang.
        self._preparation_limits = Limits(execution.timeout, execution.concurrency)
        self.shaper = Shaper(self._validators, catalog.facts.reader, execution.budget)
        self.counters = {
            "results": self.cache.counts,
            "schemas": self._validators.counts,
            **catalog.counts,
        }
        gauges = {"entries": self.cache.__len__, "bytes": lambda: self.cache.size}
        self.telemetry = Telemetry(self.counters, gauges, recorder)

    async def call(
        self,
        entry: ToolEntry,
        arguments: Json,
        *,
        runner: str = "",
        fields: tuple[str, ...] = (),
        offset: int = 0,
        are_texts: bool = False,
        context: CallContext = ANONYMOUS,
    ) -> Answer:
        """Run one tool; every failure is a ToolError that says what the agent can do.

        A call by a `runner` promises text, of some `fields` only where they are named; a call by
        the tool's own name promises structured content. With an `offset`, so many items or
        characters of the result are left out, which were shown before. Of arguments that `are_texts`, as those of
        addresses and prompts are, `5` is taken for a number where the schema wants one.
        """
        call = Call(self.cache, context)
        with self.telemetry.call(entry, arguments, call.deadline) as record:
            given, result = await self._run_validated(
                entry, arguments, call, record, context.confirm, runner=runner, are_texts=are_texts
            )
            answer = await self._shaped(
                entry, result, call, runner=runner, fields=fields, offset=offset
            )
            if answer.is_error:
                record.outcome = "tool_failed"
        if result.notes:
            answer = replace(answer, notes=(*answer.notes, *result.notes))
        if given.warnings and not are_texts:
            answer = replace(answer, notes=(*given.warnings, *answer.notes))
        return answer

    async def result(self, entry: ToolEntry, arguments: Json, context: CallContext) -> Result:
        """The whole result of a tool, for a program.

        Every failure is a ToolError, but for what another server's result says of itself.
        """
        call = Call(self.cache, context)
        with self.telemetry.call(entry, arguments, call.deadline) as record:
            _, result = await self._run_validated(entry, arguments, call, record, context.confirm)
            if result.is_error:
                record.outcome = "tool_failed"
        return result

    async def end(self) -> bool:
        """Wait a while for all that still runs; whether it has ended. The rest is left behind."""
        for end in self.endings:
            await end()
        all_limits = (*self._limits, self._preparation_limits)
        return all([await limits.end_abandoned() for limits in all_limits])

    async def read_on(self, entry: ToolEntry, cursor: str, context: CallContext) -> Answer:
        """What was omitted from an earlier answer to the same caller; ToolError where nothing was."""
        call = Call(self.cache, context)
        require_scopes(entry, call.caller)
        work = partial(self.shaper.read_on, entry, cursor, call.caller)
        return await self._in_thread(entry, call, work)

    async def _run_validated(
        self,
        entry: ToolEntry,
        arguments: Json,
        call: Call,
        record: Record,
        confirm: Confirm | None,
        *,
        runner: str = "",
        are_texts: bool = False,
    ) -> tuple[ValidArguments, Result]:
        """The valid arguments, and the tool's result."""
        require_scopes(entry, call.caller)
        owner = call.caller.key  # before the method runs: it could change the claims
        given = await self._valid_arguments(
            entry, arguments, call, runner=runner, are_texts=are_texts
        )
        if entry.confirm is not None:
            async with call.waiting():
                await require_consent(entry, given.values, confirm)
        try:
            result, record.cache = await self._result(entry, given, call, owner)
        except CancelledError:
            call.notifications.discard()  # nobody listens
            raise
        finally:
            await call.end()
        record.result = result
        return given, result

    async def _valid_arguments(
        self, entry: ToolEntry, arguments: Json, call: Call, *, runner: str, are_texts: bool
    ) -> ValidArguments:
        if is_small(arguments) and not is_slow(entry.input_checks):
            valid = self._arguments.if_valid(entry, arguments)
            if valid is not None:
                return valid
        declared = entry.limits.coerce_strings
        coerces = are_texts or (self._coerces_strings if declared is None else declared)
        work = partial(
            self._arguments.validated, entry, arguments, coerce_strings=coerces, runner=runner
        )
        return await self._in_thread(entry, call, work)

    async def _result(
        self, entry: ToolEntry, arguments: ValidArguments, call: Call, owner: str | None
    ) -> tuple[Result, State]:
        work = partial(self._run, entry, arguments, call)
        seconds = entry.limits.cache_ttl
        if seconds is None:
            return await work(), "off"
        owner = None if entry.limits.is_cache_shared else owner
        sharing = call.sharing = Sharing()
        return await self.cache.result(entry.name, arguments.values, seconds, work, owner, sharing)

    async def _run(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> Result:
        try:
            work = partial(self._run_backend, entry, arguments, call)
            return await self._limits.limits_of(entry).run(entry, call, work)
        finally:
            self._invalidate(entry)

    async def _run_backend(self, entry: ToolEntry, arguments: ValidArguments, call: Call) -> Result:
        try:
            returned = await self.backend.run(entry, arguments, call)
        except ToolError as error:
            if type(error.code) is str and type(error.text) is str:
                self._codes.normalize(entry, error)
            else:  # of a class of an author's
                await self._threads.run(self._codes.normalize, entry, error)
            raise
        finally:
            self._invalidate(entry)  # also where it ends long after its call was answered
        if entry.upstream is not None:
            return await self._foreign(entry, returned)
        if not isinstance(returned, NotedResult):
            return await self._validated(entry, returned)
        promises = entry.content is not None or entry.definition.output_schema is not None
        if returned.is_small_json and not promises:
            result = result_of_json(entry, returned.returned)
        else:
            result = await self._validated(entry, returned.returned)
        return replace(result, notes=returned.notes) if returned.notes else result

    async def _validated(self, entry: ToolEntry, returned: object) -> Result:
        work = partial(validated, self._validators, entry, returned)
        is_plain = entry.content is None and is_small(returned, self._package)
        if is_plain and not is_slow(entry.output_checks):
            return work(is_measured=True)
        return await self._threads.run(work)

    async def _foreign(self, entry: ToolEntry, returned: object) -> Result:
        from toolfold_runtime.running.foreign import foreign_result

        answer = cast("ForeignAnswer", returned)
        work = partial(foreign_result, self._validators, entry, answer)
        if answer.is_quick and not is_slow(entry.output_checks):
            return work()
        return await self._threads.run(work)

    async def _shaped(
        self,
        entry: ToolEntry,
        result: Result,
        call: Call,
        *,
        runner: str,
        fields: tuple[str, ...],
        offset: int,
    ) -> Answer:
        work: Callable[[], Answer]
        is_quick = result.sent_size <= _SMALL_RESULT
        if entry.upstream is not None:
            from toolfold_runtime.running.foreign import passed_on

            foreign = cast("ForeignResult", result)
            is_quick = is_quick or (foreign.fits(self.shaper.budget_of(entry)) and not fields)
            work = partial(passed_on, self.shaper, entry, foreign, call.caller, fields)
            work = partial(work, is_direct=not runner)
        elif runner:
            work = partial(self.shaper.text, entry, result, call.caller, fields, offset)
        else:
            work = partial(self.shaper.typed, entry, result, call.caller)
        return work() if is_quick else await self._in_thread(entry, call, work)

    async def _in_thread(self, entry: ToolEntry, call: Call, work: Callable[[], T]) -> T:
        """The result of our own work in a thread, within the limits of methods."""
        seconds = self._limits.limits_of(entry).seconds_of(entry)
        threaded = partial(self._threads.run, work)
        return await self._preparation_limits.run(entry, call, threaded, seconds)

    def _invalidate(self, entry: ToolEntry) -> None:
        """Clear the cache after a tool that changes something."""
        if entry.effect != "read":
            self.cache.clear()
