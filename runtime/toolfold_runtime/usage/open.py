"""Opening a usage store, whichever database it is in."""

from collections.abc import Sequence
from pathlib import Path

from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal
from toolfold_runtime.usage.store import NEVER, Batch, UsageStore, UsageStoreError


class EmptyStore:
    """A store that nothing was recorded in yet."""

    def add(self, rows: Sequence[UsageRow], batch: Batch | None = None) -> None:
        """Raises UsageStoreError: it is for reading."""
        raise UsageStoreError("opened for reading")

    def totals(self, since: int, now: int = NEVER) -> list[UsageTotal]:
        """Nothing."""
        return []

    def days(self, since: int, today: int = NEVER) -> list[DayTotal]:
        """Nothing."""
        return []

    def compact(self, now: int) -> None:
        """Nothing is there to compact."""

    def close(self) -> None:
        """Nothing is open."""


def open_store(location: Location, *, is_reader: bool = False) -> UsageStore:
    """The store at a place, for the thread that opens it; UsageStoreError where it cannot be used.

    Who writes makes what is not there, and brings an older store to this version. A reader changes
    nothing: what is not there is an empty store.
    """
    # Each database is imported where it is used.
    if location.kind == "sqlite":
        from toolfold_runtime.usage.sqlite import open_sqlite, read_sqlite

        path = Path(location.target)
        if is_reader:
            return read_sqlite(path) or EmptyStore()
        return open_sqlite(path, makes_folder=location.makes_folder)
    from toolfold_runtime.usage.postgres import open_postgres, read_postgres

    if is_reader:
        return read_postgres(location) or EmptyStore()
    return open_postgres(location)
