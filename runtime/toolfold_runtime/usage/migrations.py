"""The tables of a usage store, version by version; both databases have the same.

A script is never changed once it was released: a new version is a new script at the end.
"""

from typing import Final

from toolfold_runtime.usage.store import UsageStoreError

_COUNTS: Final = """
  tool TEXT NOT NULL, outcome TEXT NOT NULL, {time} BIGINT NOT NULL, bucket SMALLINT NOT NULL,
  calls BIGINT NOT NULL, millis DOUBLE PRECISION NOT NULL, last DOUBLE PRECISION NOT NULL,
  PRIMARY KEY ({time}, tool, outcome, bucket)"""

#: The statements that lead to each version from the one before; the first version is 1. The time
#: is the first part of each key: what is written is in a few pages, and what is old in others.
MIGRATIONS: Final[tuple[tuple[str, ...], ...]] = (
    (
        f"CREATE TABLE toolfold_hours ({_COUNTS.format(time='hour')})",
        f"CREATE TABLE toolfold_days ({_COUNTS.format(time='day')})",
    ),
    (
        # The last batch of each writer: one that is sent again counts once.
        "CREATE TABLE toolfold_writers (writer TEXT PRIMARY KEY, sequence BIGINT NOT NULL, at BIGINT NOT NULL)",
        # What the last compaction took for the present, and when it ran, both in hours.
        "CREATE TABLE toolfold_compaction (one SMALLINT PRIMARY KEY CHECK (one = 1), present BIGINT NOT NULL, ran BIGINT NOT NULL)",
    ),
)
VERSION: Final = len(MIGRATIONS)


def refuse_newer(version: int, shown: str) -> None:
    """Raise UsageStoreError for a store that a newer version of toolfold has made."""
    if version > VERSION:
        fact = f"{shown}: a usage store of version {version}, and this toolfold knows {VERSION}"
        raise UsageStoreError(f"{fact}; install a newer toolfold, or name another store")
