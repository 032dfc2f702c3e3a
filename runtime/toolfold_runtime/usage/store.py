"""The usage store as its users see it; SQLite and PostgreSQL are behind it."""

from collections.abc import Sequence
from typing import Protocol

from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal


class UsageStoreError(Exception):
    """A store that cannot be used, in words for whoever runs the server: the fact and the way out."""


class UsageStore(Protocol):
    """An open store; every method raises UsageStoreError where the database fails."""

    def add(self, rows: Sequence[UsageRow]) -> None:
        """Add rows to those that are there, all of them or none."""

    def totals(self, since: int) -> list[UsageTotal]:
        """Calls since an hour (hours since the epoch), by tool, outcome and bucket."""

    def days(self, since: int) -> list[DayTotal]:
        """Calls since a day (days since the epoch), by day, tool and outcome, the oldest first."""

    def compact(self, now: int) -> None:
        """Fold hours older than 30 days into days, and drop days older than a year; `now` is an hour."""

    def close(self) -> None:
        """Let go of the database."""
