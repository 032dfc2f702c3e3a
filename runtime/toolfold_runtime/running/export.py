"""Exporting spans and metrics over OTLP, if the environment names a collector.

The standard variables of OpenTelemetry decide everything; nothing is loaded without them. A process
that has set up an SDK of its own, in the author's code or by `opentelemetry-instrument`, keeps it.
"""

import contextlib
import os
from collections.abc import Iterator
from typing import Final, Protocol

from toolfold_runtime import server_log


class _Provider(Protocol):
    def shutdown(self) -> None:
        """Send what is left, and end."""


_ENDPOINTS: Final = (
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
)


@contextlib.contextmanager
def exporting(service: str) -> Iterator[None]:
    """Export over OTLP while the server runs, if a collector is named; what is left is flushed."""
    is_off = os.environ.get("OTEL_SDK_DISABLED", "").lower() == "true"
    if is_off or not any(os.environ.get(name) for name in _ENDPOINTS):
        yield
        return
    try:
        providers = _providers(service)
    except ModuleNotFoundError as error:
        hint = "pip install 'toolfold[telemetry]'"
        server_log.warning(
            "a collector is named, but no exporter is installed", error=str(error), hint=hint
        )
        yield
        return
    try:
        yield
    finally:
        for provider in providers:
            with contextlib.suppress(Exception):
                provider.shutdown()


def _providers(service: str) -> list["_Provider"]:
    from opentelemetry import metrics, trace
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    if isinstance(trace.get_tracer_provider(), TracerProvider):
        return []
    # The variable wins over what we call it.
    resource = Resource.create(
        {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": service}
    )
    tracers = TracerProvider(resource=resource, shutdown_on_exit=False)
    tracers.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    meters = MeterProvider(
        [PeriodicExportingMetricReader(OTLPMetricExporter())], resource, shutdown_on_exit=False
    )
    trace.set_tracer_provider(tracers)
    metrics.set_meter_provider(meters)
    return [tracers, meters]
