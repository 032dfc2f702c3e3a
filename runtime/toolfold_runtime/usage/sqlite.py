"""The usage store in a file: SQLite in WAL mode, so that nobody who reads holds up who writes."""

import os
import sqlite3
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from toolfold_runtime.usage.compaction import compaction_at
from toolfold_runtime.usage.migrations import MIGRATIONS, VERSION, refuse_newer
from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal
from toolfold_runtime.usage.store import NEVER, Batch, UsageStoreError, hours_and_days

#: Seconds to wait for another process that writes; what cannot be written is tried again later.
_PATIENCE: Final = 1.0
#: Says in the file whose it is: "tfus".
_APPLICATION: Final = 0x74667573
_ADD: Final = """
INSERT INTO toolfold_hours (tool, outcome, hour, bucket, calls, millis, last)
VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (hour, tool, outcome, bucket) DO UPDATE SET calls = calls + excluded.calls,
  millis = millis + excluded.millis, last = max(last, excluded.last)"""
_NOTE_BATCH: Final = """
INSERT INTO toolfold_writers (writer, sequence, at) VALUES (?, ?, ?)
ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, at = excluded.at
WHERE sequence < excluded.sequence"""
_FOLD: Final = """
INSERT INTO toolfold_days (tool, outcome, day, bucket, calls, millis, last)
SELECT tool, outcome, hour / 24, bucket, sum(calls), sum(millis), max(last) FROM toolfold_hours
WHERE hour < ? GROUP BY hour / 24, tool, outcome, bucket
ON CONFLICT (day, tool, outcome, bucket) DO UPDATE SET calls = calls + excluded.calls,
  millis = millis + excluded.millis, last = max(last, excluded.last)"""
_NOTE_COMPACTION: Final = """
INSERT INTO toolfold_compaction (one, present, ran) VALUES (1, ?, ?)
ON CONFLICT (one) DO UPDATE SET present = excluded.present, ran = excluded.ran"""
_TOTALS: Final = """
SELECT tool, outcome, bucket, sum(calls), sum(millis), max(last) FROM (
  SELECT tool, outcome, bucket, calls, millis, last FROM toolfold_hours WHERE hour BETWEEN ? AND ?
  UNION ALL SELECT tool, outcome, bucket, calls, millis, last FROM toolfold_days WHERE day BETWEEN ? AND ?)
GROUP BY tool, outcome, bucket ORDER BY tool, outcome, bucket"""
_DAYS: Final = """
SELECT day, tool, outcome, sum(calls), sum(millis) FROM (
  SELECT hour / 24 AS day, tool, outcome, calls, millis FROM toolfold_hours WHERE hour BETWEEN ? AND ?
  UNION ALL SELECT day, tool, outcome, calls, millis FROM toolfold_days WHERE day BETWEEN ? AND ?)
GROUP BY day, tool, outcome ORDER BY day, tool, outcome"""
# One statement: another process may be about to make the tables.
_IDENTITY: Final = """
SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master),
  (SELECT count(*) FROM sqlite_master WHERE type NOT IN ('table', 'index'))
FROM pragma_user_version, pragma_application_id"""
_WAYS_OUT: Final = {
    "SQLITE_BUSY": "another program has it locked",
    "SQLITE_CANTOPEN": "cannot be opened; does its folder exist, and may it be written",
    "SQLITE_CORRUPT": "damaged; move it away, or restore it",
    "SQLITE_FULL": "no room is left on the disk",
    "SQLITE_IOERR": "its disk cannot be read or written",
    "SQLITE_NOTADB": "not a database; move it away, or name another file",
    "SQLITE_READONLY": "cannot be written; look at its owner and permissions",
}


class SqliteStore:
    """An open file; for the thread that opened it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._file = _identity(path)

    def add(self, rows: Sequence[UsageRow], batch: Batch | None = None) -> None:
        """See `UsageStore`."""
        with self._transaction() as run:
            if batch is not None:
                at = max((row.hour for row in rows), default=0)
                if not run.execute(_NOTE_BATCH, (*batch, at)).rowcount:
                    return
            run.executemany(_ADD, rows)
        # Only now: what went into a file that is gone is to be sent again, to a new one.
        if _identity(self._path) != self._file:
            raise UsageStoreError(f"{self._path}: deleted or moved away while it was open")

    def totals(self, since: int, now: int = NEVER) -> list[UsageTotal]:
        """See `UsageStore`."""
        with _in_words(self._path):
            found = self._connection.execute(_TOTALS, hours_and_days(since, now))
            return [UsageTotal(*row) for row in _sound(found, (str, str, int, int, float, float))]

    def days(self, since: int, today: int = NEVER) -> list[DayTotal]:
        """See `UsageStore`."""
        with _in_words(self._path):
            found = self._connection.execute(_DAYS, hours_and_days(since * 24, today * 24 + 23))
            return [DayTotal(*row) for row in _sound(found, (int, str, str, int, float))]

    def compact(self, now: int) -> None:
        """See `UsageStore`."""
        with self._transaction() as run:
            last = run.execute("SELECT present, ran FROM toolfold_compaction").fetchone()
            compaction = compaction_at(now, last)
            if compaction is None:
                return
            run.execute(_FOLD, (compaction.first_hour,))
            run.execute("DELETE FROM toolfold_hours WHERE hour < ?", (compaction.first_hour,))
            run.execute("DELETE FROM toolfold_days WHERE day < ?", (compaction.first_day,))
            run.execute("DELETE FROM toolfold_writers WHERE at < ?", (compaction.first_writer,))
            run.execute(_NOTE_COMPACTION, (compaction.present, now))

    def close(self) -> None:
        """See `UsageStore`."""
        with suppress(sqlite3.Error):
            self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self._path), _transaction(self._connection) as run:
            yield run


def open_sqlite(path: Path, *, makes_folder: bool) -> SqliteStore:
    """The store in a file, which is made where there is none; UsageStoreError where it cannot be."""
    with _in_words(path):
        if makes_folder:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _refuse_other_than_file(path)
        with suppress(FileExistsError):  # nobody else may read it, also before SQLite writes to it
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        if not os.access(path, os.W_OK):
            # Not left to SQLite, whose files beside it would be as read-only, and stay so.
            raise UsageStoreError(f"{path}: {_WAYS_OUT['SQLITE_READONLY']}")
        connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
        try:
            _migrate(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except BaseException:
            connection.close()
            raise
        return SqliteStore(connection, path)


def read_sqlite(path: Path) -> SqliteStore | None:
    """The store in a file for reading; None where nothing is recorded yet."""
    with _in_words(path):
        try:
            path.lstat()
        except FileNotFoundError:
            return None
        _refuse_other_than_file(path)
        address = f"file:{quote(os.fsencode(path))}?mode=ro"
        connection = sqlite3.connect(address, timeout=_PATIENCE, isolation_level=None, uri=True)
        try:
            version = _version(connection, path)
        except BaseException:
            connection.close()
            raise
        if version == 0:
            connection.close()
            return None
        return SqliteStore(connection, path)


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Bring a file to the newest version; all of it or nothing."""
    if _version(connection, path) == VERSION:
        return
    with _transaction(connection) as run:
        # Again, now that no other process migrates.
        for script in MIGRATIONS[_version(connection, path) :]:
            for statement in script:
                run.execute(statement + " WITHOUT ROWID")
        run.execute(f"PRAGMA application_id = {_APPLICATION}")
        run.execute(f"PRAGMA user_version = {VERSION}")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of a file, 0 for an empty one; UsageStoreError where it is not ours or newer."""
    version, application, tables, programs = connection.execute(_IDENTITY).fetchone()
    if programs:  # views and triggers, which may run without end
        raise UsageStoreError(f"{path}: not as toolfold made it; move it away, or restore it")
    if application != _APPLICATION and (tables or version):
        raise UsageStoreError(f"{path}: another program's database; name another file")
    refuse_newer(version, str(path))
    return int(version)


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file a path leads to; None where there is none."""
    with suppress(OSError):
        found = path.lstat()
        return found.st_dev, found.st_ino
    return None


def _refuse_other_than_file(path: Path) -> None:
    """Raise UsageStoreError for a link, a folder, a FIFO or a device."""
    with suppress(FileNotFoundError):
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):
            what = "a link, and nothing is written through one" if stat.S_ISLNK(mode) else "no file"
            raise UsageStoreError(f"{path}: {what}; name another file")


def _sound(found: Iterable[tuple[Any, ...]], kinds: tuple[type, ...]) -> list[tuple[Any, ...]]:
    """Rows of these types; DatabaseError where one was never written: SQLite keeps whatever is there."""
    rows = list(found)
    for kind, column in zip(kinds, zip(*rows, strict=True), strict=False):
        if set(map(type, column)) != {kind} or (
            kind is not str and not 0 <= min(column) <= max(column) < inf
        ):
            raise sqlite3.DatabaseError(_WAYS_OUT["SQLITE_CORRUPT"])
    return rows


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All of what is done inside or nothing, and nobody else writes meanwhile."""
    # IMMEDIATE: who reads first and writes then fails at once where another has written.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # a full disk has rolled back already
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    """What goes wrong inside as a UsageStoreError."""
    try:
        yield
    except sqlite3.Error as error:
        name = str(getattr(error, "sqlite_errorname", ""))
        known = (words for code, words in _WAYS_OUT.items() if name.startswith(code))
        raise UsageStoreError(f"{path}: {next(known, str(error))}") from error
    except FileNotFoundError as error:
        raise UsageStoreError(f"{path}: its folder does not exist; make it") from error
    except OSError as error:
        raise UsageStoreError(f"{path}: {error.strerror or error}") from error
