"""The usage store as its users see it; SQLite and PostgreSQL are behind it."""

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal

#: Hours by which the clock of another machine may be ahead.
_AHEAD: Final = 24
#: An hour and a day that no clock says.
NEVER: Final = 2**40


class UsageStoreError(Exception):
    """A store that cannot be used, in words for whoever runs the server: the fact and the way out."""


class Batch(NamedTuple):
    """Which rows these are: what is sent again, because nobody knows whether it came, counts once."""

    #: An arbitrary text that no other writer has.
    writer: str
    #: Larger than that of the writer's batch before.
    sequence: int


class UsageStore(Protocol):
    """An open store; every method raises UsageStoreError where the database fails."""

    def add(self, rows: Sequence[UsageRow], batch: Batch | None = None) -> None:
        """Add rows to those that are there, all of them or none; no key may be in them twice."""

    def totals(self, since: int, now: int = NEVER) -> list[UsageTotal]:
        """Calls since an hour (hours since the epoch), by tool, outcome and bucket.

        Those later than a day after `now` are left out: a clock that was wrong recorded them.
        """

    def days(self, since: int, today: int = NEVER) -> list[DayTotal]:
        """Calls since a day (days since the epoch), by day, tool and outcome, the oldest first.

        Those later than the day after `today` are left out.
        """

    def compact(self, now: int) -> None:
        """Fold hours older than 30 days into days, and drop days older than a year; `now` is an hour.

        Does nothing within a day of the last time, and drops nothing at the first. Of what a clock
        far ahead would drop, a week at most is dropped; see `compaction`.
        """

    def close(self) -> None:
        """Let go of the database."""


def hours_and_days(since: int, now: int) -> tuple[int, int, int, int]:
    """The first and the last hour of a time, and the first and the last day that is wholly in it."""
    # Replicas may be a little ahead of whoever asks.
    last = now + _AHEAD
    return since, last, -(-since // 24), last // 24
