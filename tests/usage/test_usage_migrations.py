"""A store of the first version is brought to this one with all that is in it, or left as it was."""

import sqlite3
from contextlib import closing
from typing import Final

import psycopg
import pytest
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.migrations import VERSION
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import DayTotal
from toolfold_runtime.usage.store import Batch, UsageStoreError

from tests.usage.material import NOW, counted, row

# As the first version wrote it, to the letter: what was released does not change.
_COLUMNS: Final = """bucket SMALLINT NOT NULL, calls BIGINT NOT NULL,
  millis DOUBLE PRECISION NOT NULL, last DOUBLE PRECISION NOT NULL"""
_FIRST: Final = (
    f"CREATE TABLE toolfold_hours (tool TEXT NOT NULL, outcome TEXT NOT NULL, hour BIGINT NOT NULL, {_COLUMNS}, PRIMARY KEY (hour, tool, outcome, bucket))",
    f"CREATE TABLE toolfold_days (tool TEXT NOT NULL, outcome TEXT NOT NULL, day BIGINT NOT NULL, {_COLUMNS}, PRIMARY KEY (day, tool, outcome, bucket))",
    f"INSERT INTO toolfold_hours VALUES ('own::a', 'ok', {NOW}, 3, 7, 70.0, 5.0)",
    f"INSERT INTO toolfold_days VALUES ('own::a', 'timeout', {NOW // 24 - 40}, 3, 2, 20.0, 5.0)",
)
_KEPT: Final = [
    DayTotal(NOW // 24 - 40, "own::a", "timeout", 2, 20.0),
    DayTotal(NOW // 24, "own::a", "ok", 7, 70.0),
]


@pytest.fixture
def first(location: Location) -> Location:
    """A store of the first version."""
    if location.kind == "sqlite":
        run(
            location,
            *(
                f"{statement} WITHOUT ROWID" if "CREATE" in statement else statement
                for statement in _FIRST
            ),
        )
        run(location, f"PRAGMA application_id = {0x74667573}", "PRAGMA user_version = 1")
    else:
        run(location, "CREATE TABLE toolfold_version (version BIGINT NOT NULL)", *_FIRST)
        run(location, "INSERT INTO toolfold_version VALUES (1)")
    return location


def run(location: Location, *statements: str) -> list[tuple[object, ...]]:
    """Carry out statements; the rows of the last."""
    if location.kind == "sqlite":
        with closing(sqlite3.connect(location.target, isolation_level=None)) as file:
            return [file.execute(statement).fetchall() for statement in statements][-1]
    with psycopg.connect(location.target) as connection:
        done = [connection.execute(statement.encode()) for statement in statements][-1]
        return done.fetchall() if done.description else []


def version(location: Location) -> object:
    asked = "PRAGMA user_version" if location.kind == "sqlite" else "SELECT * FROM toolfold_version"
    ((found,),) = run(location, asked)
    return found


def test_what_was_counted_is_kept_and_added_to(first: Location) -> None:
    with closing(open_store(first)) as store:
        found = store.days(0)
        store.add([row(calls=3)], Batch("new", 1))
        store.compact(NOW)

    assert found == _KEPT
    assert version(first) == VERSION
    assert counted(first) == 12


def test_a_reader_reads_an_older_store_and_leaves_it_so(first: Location) -> None:
    with closing(open_store(first, is_reader=True)) as store:
        assert store.days(0) == _KEPT

    assert version(first) == 1


def test_a_migration_that_fails_leaves_the_store_as_it_was(first: Location) -> None:
    run(first, "CREATE TABLE toolfold_compaction (mine TEXT)")
    with pytest.raises(UsageStoreError, match="toolfold_compaction"):
        open_store(first)

    assert version(first) == 1
    with closing(open_store(first, is_reader=True)) as store:
        assert store.days(0) == _KEPT
    run(first, "DROP TABLE toolfold_compaction")
    open_store(first).close()
    assert version(first) == VERSION
