"""Metrics for operators: calls, their times and the sizes of results, and how caches are used.

They go through the OpenTelemetry API, which does nothing until the process has an SDK.
"""

from collections.abc import Callable, Iterable, Mapping

from opentelemetry.metrics import CallbackOptions, Observation, get_meter

from toolfold_runtime.bounded import LookupCounts


class Metrics:
    """The instruments of a server; made once."""

    def __init__(
        self, counters: Mapping[str, LookupCounts], gauges: Mapping[str, Callable[[], int]]
    ) -> None:
        meter = get_meter("toolfold")
        self._calls = meter.create_counter("toolfold.tool.calls", "{call}", "Calls of tools")
        self._seconds = meter.create_histogram("toolfold.tool.duration", "s", "Time of a call")
        self._bytes = meter.create_histogram("toolfold.tool.result.size", "By", "Size of a result")
        self._counters, self._gauges = counters, gauges
        meter.create_observable_counter(
            "toolfold.cache.lookups", [self._lookups], "{lookup}", "Look-ups, hit or miss"
        )
        meter.create_observable_gauge(
            "toolfold.cache.size", [self._sizes], "", "Entries and bytes of the cache of results"
        )

    def record(self, labels: Mapping[str, str], seconds: float, result_bytes: int | None) -> None:
        """Count a call that has ended; `result_bytes` is None where it has no result."""
        self._calls.add(1, labels)
        self._seconds.record(seconds, labels)
        if result_bytes is not None:
            self._bytes.record(result_bytes, {"tool": labels["tool"]})

    def _lookups(self, _: CallbackOptions) -> Iterable[Observation]:
        for kind, counts in self._counters.items():
            yield Observation(counts.hits, {"kind": kind, "state": "hit"})
            yield Observation(counts.misses, {"kind": kind, "state": "miss"})

    def _sizes(self, _: CallbackOptions) -> Iterable[Observation]:
        for unit, value in self._gauges.items():
            yield Observation(value(), {"unit": unit})
