"""What was measured of a tool, in words and as JSON."""

from math import floor

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.summary import Measured


def figures(measured: Measured) -> str:
    """`47 ms, 98.7 % of 12,453 calls`."""
    calls = f"{measured.calls:,} call{'' if measured.calls == 1 else 's'}"
    return f"{duration(measured.latency_ms)}, {share(measured.success_rate)} of {calls}"


def sentence(measured: Measured) -> str:
    """All figures with p95, as a sentence for people."""
    calls = f"{measured.calls:,} call{'' if measured.calls == 1 else 's'}"
    rate = share(measured.success_rate)
    average, slow = duration(measured.latency_ms), duration(measured.p95_ms)
    return (
        f"In the 30 days before tiers were last updated: {calls}, of which {rate} succeeded;"
        f" {average} on average, 95 % within {slow}."
    )


def short_figures(measured: Measured) -> str:
    """`47 ms, 98.7 %`."""
    return f"{duration(measured.latency_ms)}, {share(measured.success_rate)}"


def figures_json(measured: Measured) -> Json:
    """Calls, the share that succeeded, and latencies; the score is nothing to a caller."""
    return {
        "calls": measured.calls,
        "success_rate": _short(measured.success_rate, 4),
        "latency_ms": _short(measured.latency_ms, 1),
        "p95_ms": _short(measured.p95_ms, 1),
    }


def duration(millis: float) -> str:
    """`47 ms`, `1,204 ms`, `<1 ms`."""
    return f"{millis:,.0f} ms" if millis >= 0.5 else "<1 ms"


def share(part: float) -> str:
    """`98.7 %`, rounded down: a tool that ever failed is not shown as one that never did."""
    return f"{floor(part * 1000 + 1e-6) / 10:g} %"


def _short(value: float, digits: int) -> float:
    rounded = round(value, digits)
    return int(rounded) if rounded == int(rounded) else rounded
