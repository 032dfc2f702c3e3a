"""Telemetry for operators: a span, metrics and a log line for every call.

Spans and metrics go through the OpenTelemetry API, which does nothing until the process has an
SDK; see `export`. The SDK of MCP opens a span for the request and takes the trace context from the
client, so ours are its children. Sizes are recorded, values only where TOOLFOLD_TRACE_VALUES is 1.
"""

import os
import time
from asyncio import CancelledError
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from opentelemetry import trace
from opentelemetry.trace import StatusCode

from toolfold_runtime import server_log
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import CODES
from toolfold_runtime.errors import InputRequired, ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.deadline import Deadline

if TYPE_CHECKING:
    from toolfold_runtime.running.metrics import Metrics
    from toolfold_runtime.running.results import Result
    from toolfold_runtime.usage.recorder import Recorder

_NAME: Final = "toolfold"
_LONGEST: Final = 4000
#: Outcomes that are no errors; `asked` where the client was sent a question for its user.
_NO_ERRORS: Final = ("ok", "asked")

_OUTCOMES: Final = frozenset({*CODES, "ok", "asked", "cancelled", "failed"})


@dataclass
class Record:
    """What is known about a call by its end."""

    cache: str = "off"
    result: "Result | None" = None
    outcome: str = "ok"

    @property
    def result_bytes(self) -> int:
        """The size of the result as it is sent."""
        return self.result.sent_size if self.result is not None else 0


@dataclass
class ProgramRecord:
    """What is known about a program by its end."""

    calls: int = 0
    outcome: str = "ok"


class Telemetry:
    """Records calls, and exports counters."""

    def __init__(
        self,
        counters: Mapping[str, LookupCounts],
        gauges: Mapping[str, Callable[[], int]],
        recorder: "Recorder | None" = None,
    ):
        self._recorder = recorder
        self._tracer = trace.get_tracer(_NAME)
        self._shows_values = os.environ.get("TOOLFOLD_TRACE_VALUES") == "1"
        self._counters, self._gauges = counters, gauges

    @cached_property
    def _metrics(self) -> "Metrics":
        # Imported for the first call: a server that is only asked for its tools needs none.
        from toolfold_runtime.running.metrics import Metrics

        return Metrics(self._counters, self._gauges)

    @contextmanager
    def call(self, entry: ToolEntry, arguments: Json, deadline: Deadline) -> Iterator[Record]:
        """Record what happens inside; the caller fills in what only it knows.

        The time that the user took to answer, which the deadline knows, is not the tool's.
        """
        record, started = Record(), time.perf_counter()
        span = self._tracer.start_span(f"tool.exec.{entry.name}")
        try:
            if not span.is_recording():
                yield record
                return
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield record
        except BaseException as error:
            record.outcome = _outcome(error)
            raise
        finally:
            seconds = time.perf_counter() - started - deadline.waited
            self._measure(entry, record, seconds)
            if span.is_recording():
                span.set_attribute("toolfold.latency_ms", round(seconds * 1000, 3))
                self._describe(span, entry, arguments, record)
            span.end()

    @contextmanager
    def program(self, name: str, code: str) -> Iterator["ProgramRecord"]:
        """Record the run of a program: its calls are children of its span, and recorded as such."""
        record, started = ProgramRecord(), time.perf_counter()
        span = self._tracer.start_span(f"tool.exec.{name}")
        try:
            with trace.use_span(span, record_exception=False, set_status_on_exception=False):
                yield record
        except BaseException as error:
            record.outcome = _outcome(error)
            raise
        finally:
            milliseconds = round((time.perf_counter() - started) * 1000, 3)
            if span.is_recording():
                span.set_attributes(
                    {
                        "gen_ai.tool.name": name,
                        "toolfold.outcome": record.outcome,
                        "toolfold.latency_ms": milliseconds,
                        "toolfold.program.calls": record.calls,
                        "toolfold.program.bytes": len(code.encode("utf-8", "replace")),
                    }
                )
                if self._shows_values:
                    span.set_attribute("toolfold.program", code[:_LONGEST])
                if record.outcome not in _NO_ERRORS:
                    span.set_attribute("error.type", record.outcome)
                    span.set_status(StatusCode.ERROR)
            span.end()
            if server_log.shows_info():
                facts = {"tool": name, "outcome": record.outcome, "calls": record.calls}
                server_log.info("program", **facts, ms=milliseconds)

    def _measure(self, entry: ToolEntry, record: Record, seconds: float) -> None:
        labels = {"tool": entry.name, "outcome": record.outcome, "cache": record.cache}
        self._metrics.record(
            labels, seconds, record.result_bytes if record.outcome == "ok" else None
        )
        if self._recorder is not None:
            self._recorder.add(_id_of(entry), _stored_outcome(entry, record.outcome), seconds)
        if server_log.shows_info():
            server_log.info(
                "call", **labels, ms=round(seconds * 1000, 3), result_bytes=record.result_bytes
            )

    def _describe(
        self, span: trace.Span, entry: ToolEntry, arguments: Json, record: Record
    ) -> None:
        given = _shown(arguments)
        span.set_attributes(
            {
                "gen_ai.tool.name": entry.name,
                "toolfold.effect": entry.effect,
                "toolfold.outcome": record.outcome,
                "toolfold.cache": record.cache,
                "toolfold.arguments.bytes": len(given.encode("utf-8", "replace")),
                "toolfold.result.bytes": record.result_bytes,
            }
        )
        if self._shows_values:
            span.set_attribute("toolfold.arguments", given[:_LONGEST])
            shown = record.result.shown if record.result is not None else ""
            span.set_attribute("toolfold.result", shown[:_LONGEST])
        if record.outcome not in _NO_ERRORS:
            span.set_attribute("error.type", record.outcome)
            span.set_status(StatusCode.ERROR)


def _outcome(error: BaseException) -> str:
    if isinstance(error, ToolError):
        return error.code
    if isinstance(error, InputRequired):
        return "asked"
    return "cancelled" if isinstance(error, CancelledError) else "failed"


def _id_of(entry: ToolEntry) -> str:
    """The id of a tool in the usage store, which stays when the tool is renamed."""
    return str((entry.definition.meta or {}).get("toolfold/id", entry.name))


def _stored_outcome(entry: ToolEntry, outcome: str) -> str:
    """The outcome if it is a known code; an undeclared code could contain data."""
    is_known = outcome in _OUTCOMES or outcome in entry.errors
    return outcome if is_known else "undeclared_error"


def _shown(arguments: Json) -> str:
    try:
        return compact(arguments)
    except ValueError:
        return ""
