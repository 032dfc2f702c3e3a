"""What a usage store holds: calls by tool, outcome, hour and latency, and nothing about who called.

Latencies are counted in buckets whose bounds grow by a tenth, so that the rows of several replicas
are added up by the database, without reading them, and quantiles are within 5 % of the truth.
"""

from collections.abc import Mapping
from math import log
from typing import Final, NamedTuple

_BASE: Final = 1.1
_PER_E: Final = 1 / log(_BASE)
#: No call takes a century; a damaged file may say so.
_MOST_BUCKET: Final = 300

#: Outcomes that say nothing about whether the tool works: the call was not carried out, or the
#: caller left. They are counted, and left out of success rates and latencies.
NOT_RUN: Final = frozenset(
    {"asked", "cancelled", "effect_refused", "forbidden", "invalid_arguments", "unconfirmed"}
)


class UsageRow(NamedTuple):
    """The calls of a tool with the same outcome in the same hour and latency bucket."""

    #: `server::tool`.
    tool: str
    outcome: str
    #: Hours since the epoch.
    hour: int
    bucket: int
    calls: int
    millis: float
    #: When the last of them ended, in seconds since the epoch.
    last: float


class UsageTotal(NamedTuple):
    """The calls of a tool with the same outcome and latency bucket, over some time."""

    tool: str
    outcome: str
    bucket: int
    calls: int
    millis: float
    last: float


class DayTotal(NamedTuple):
    """The calls of a tool with the same outcome on one day."""

    #: Days since the epoch, in UTC.
    day: int
    tool: str
    outcome: str
    calls: int
    millis: float


def bucket_of(millis: float) -> int:
    """The bucket of a latency; everything up to a millisecond is in the first."""
    return int(log(millis) * _PER_E) if millis > 1 else 0


def quantile(calls_by_bucket: Mapping[int, int], share: float) -> float:
    """The latency in milliseconds below which a share of the calls was; 0 where there are none."""
    wanted = share * sum(calls_by_bucket.values())
    running = 0
    for bucket in sorted(calls_by_bucket):
        running += calls_by_bucket[bucket]
        if running >= wanted:
            return float(_BASE ** (min(bucket, _MOST_BUCKET) + 0.5))
    return 0.0
