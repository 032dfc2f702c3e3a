"""The usage store in a PostgreSQL database, which several replicas share."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Final

from toolfold_runtime.usage.compaction import compaction_at
from toolfold_runtime.usage.location import VARIABLE, Location
from toolfold_runtime.usage.migrations import MIGRATIONS, VERSION, refuse_newer
from toolfold_runtime.usage.rows import DayTotal, UsageRow, UsageTotal
from toolfold_runtime.usage.store import NEVER, Batch, UsageStoreError, hours_and_days

try:
    import psycopg
    from psycopg.conninfo import conninfo_to_dict, make_conninfo
except ImportError as error:  # pragma: no cover - an installation without the extra
    _fact = f"{VARIABLE} names a PostgreSQL database, for which a driver is missing"
    raise UsageStoreError(f"{_fact}; run `pip install 'toolfold[postgres]'`") from error

#: A server that has gone without a word is noticed within seconds, not hours.
_DEFAULTS: Final = {
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "tcp_user_timeout": "15000",
    "application_name": "toolfold",
}
#: Held while migrating and compacting; an arbitrary number that no other program uses.
_LOCK: Final = 0x74667573
_LIMIT: Final = "SET LOCAL statement_timeout = '10s'"
_MORE_TIME: Final = "SET LOCAL statement_timeout = '5min'"
_HAS_VERSION: Final = """
SELECT 1 FROM pg_catalog.pg_class
WHERE relname = 'toolfold_version' AND pg_catalog.pg_table_is_visible(oid)"""
_ADD: Final = """
INSERT INTO toolfold_hours AS kept (tool, outcome, hour, bucket, calls, millis, last)
SELECT * FROM unnest(%s::text[], %s::text[], %s::bigint[], %s::smallint[], %s::bigint[],
  %s::float8[], %s::float8[])
ON CONFLICT (hour, tool, outcome, bucket) DO UPDATE SET calls = kept.calls + excluded.calls,
  millis = kept.millis + excluded.millis, last = greatest(kept.last, excluded.last)"""
_NOTE_BATCH: Final = """
INSERT INTO toolfold_writers AS kept (writer, sequence, at) VALUES (%s, %s, %s)
ON CONFLICT (writer) DO UPDATE SET sequence = excluded.sequence, at = excluded.at
WHERE kept.sequence < excluded.sequence"""
# One statement: what is added meanwhile is neither missed nor dropped.
_FOLD: Final = """
WITH gone AS (DELETE FROM toolfold_hours WHERE hour < %s RETURNING *)
INSERT INTO toolfold_days AS kept (tool, outcome, day, bucket, calls, millis, last)
SELECT tool, outcome, hour / 24, bucket, sum(calls), sum(millis), max(last) FROM gone
GROUP BY hour / 24, tool, outcome, bucket
ON CONFLICT (day, tool, outcome, bucket) DO UPDATE SET calls = kept.calls + excluded.calls,
  millis = kept.millis + excluded.millis, last = greatest(kept.last, excluded.last)"""
_NOTE_COMPACTION: Final = """
INSERT INTO toolfold_compaction (one, present, ran) VALUES (1, %s, %s)
ON CONFLICT (one) DO UPDATE SET present = excluded.present, ran = excluded.ran"""
_TOTALS: Final = """
SELECT tool, outcome, bucket, sum(calls)::bigint, sum(millis), max(last) FROM (
  SELECT tool, outcome, bucket, calls, millis, last FROM toolfold_hours WHERE hour BETWEEN %s AND %s
  UNION ALL SELECT tool, outcome, bucket, calls, millis, last FROM toolfold_days WHERE day BETWEEN %s AND %s
) AS both_tables GROUP BY tool, outcome, bucket
ORDER BY tool COLLATE "C", outcome COLLATE "C", bucket"""
_DAYS: Final = """
SELECT day, tool, outcome, sum(calls)::bigint, sum(millis) FROM (
  SELECT hour / 24 AS day, tool, outcome, calls, millis FROM toolfold_hours WHERE hour BETWEEN %s AND %s
  UNION ALL SELECT day, tool, outcome, calls, millis FROM toolfold_days WHERE day BETWEEN %s AND %s
) AS both_tables GROUP BY day, tool, outcome
ORDER BY day, tool COLLATE "C", outcome COLLATE "C" """


class PostgresStore:
    """An open connection; of no more use once it has failed."""

    def __init__(self, connection: psycopg.Connection, shown: str) -> None:
        self._connection = connection
        self._shown = shown

    def add(self, rows: Sequence[UsageRow], batch: Batch | None = None) -> None:
        """See `UsageStore`."""
        # Sorted by key: two writers with the same rows in another order would wait for each other.
        ordered = sorted(rows, key=lambda row: (row.hour, row.tool, row.outcome, row.bucket))
        with self._transaction() as run:
            if batch is not None:
                at = max((row.hour for row in rows), default=0)
                if not run.execute(_NOTE_BATCH, (*batch, at)).rowcount:
                    return
            if ordered:
                run.execute(_ADD, [list(column) for column in zip(*ordered, strict=True)])

    def totals(self, since: int, now: int = NEVER) -> list[UsageTotal]:
        """See `UsageStore`."""
        with self._transaction(_MORE_TIME) as run:
            found = run.execute(_TOTALS, hours_and_days(since, now)).fetchall()
            return [UsageTotal(*row) for row in found]

    def days(self, since: int, today: int = NEVER) -> list[DayTotal]:
        """See `UsageStore`."""
        with self._transaction(_MORE_TIME) as run:
            found = run.execute(_DAYS, hours_and_days(since * 24, today * 24 + 23)).fetchall()
            return [DayTotal(*row) for row in found]

    def compact(self, now: int) -> None:
        """See `UsageStore`; leaves it to another replica that is at it."""
        with self._transaction(_MORE_TIME) as run:
            is_ours = run.execute("SELECT pg_try_advisory_xact_lock(%s)", (_LOCK,)).fetchone()
            if is_ours != (True,):
                return
            last = run.execute("SELECT present, ran FROM toolfold_compaction").fetchone()
            compaction = compaction_at(now, (last[0], last[1]) if last else None)
            if compaction is None:
                return
            run.execute(_FOLD, (compaction.first_hour,))
            run.execute("DELETE FROM toolfold_days WHERE day < %s", (compaction.first_day,))
            run.execute("DELETE FROM toolfold_writers WHERE at < %s", (compaction.first_writer,))
            run.execute(_NOTE_COMPACTION, (compaction.present, now))

    def close(self) -> None:
        """See `UsageStore`."""
        with suppress(psycopg.Error):
            self._connection.close()

    @contextmanager
    def _transaction(self, limit: str = _LIMIT) -> Iterator[psycopg.Connection]:
        with _in_words(self._shown), self._connection.transaction():
            # For this transaction alone: a pool may give the connection to somebody else next.
            self._connection.execute(limit)
            yield self._connection


def open_postgres(location: Location) -> PostgresStore:
    """The store in a database, whose tables are made where they are missing."""
    connection = _connected(location)
    try:
        with _in_words(location.shown):
            if _version(connection, location.shown) < VERSION:
                _migrate(connection, location.shown)
    except BaseException:
        connection.close()
        raise
    return PostgresStore(connection, location.shown)


def read_postgres(location: Location) -> PostgresStore | None:
    """The store in a database for reading; None where nothing is recorded yet."""
    connection = _connected(location)
    try:
        with _in_words(location.shown):
            connection.read_only = True
            version = _version(connection, location.shown)
    except BaseException:
        connection.close()
        raise
    if version == 0:
        connection.close()
        return None
    return PostgresStore(connection, location.shown)


def _connected(location: Location) -> psycopg.Connection:
    try:
        options = _DEFAULTS | conninfo_to_dict(location.target)
    except psycopg.Error:
        # Not in the driver's words, which repeat parts of the DSN, and so perhaps of the password.
        raise UsageStoreError(f"{VARIABLE} is no DSN; postgresql://user@host/database") from None
    with _in_words(location.shown):
        # No prepared statements: behind a pool the next transaction is on another connection.
        connection = psycopg.connect(
            make_conninfo("", **options), autocommit=True, prepare_threshold=None
        )
    # Whatever the database's default is: what other replicas add meanwhile is no conflict.
    connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
    return connection


def _migrate(connection: psycopg.Connection, shown: str) -> None:
    """Bring the tables to the newest version, all of them or none, one replica at a time."""
    with connection.transaction():
        connection.execute(_MORE_TIME)
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        version = _version(connection, shown)  # again, now that no other replica migrates
        if version == 0:
            connection.execute("CREATE TABLE toolfold_version (version BIGINT NOT NULL)")
            connection.execute("INSERT INTO toolfold_version VALUES (0)")
        for script in MIGRATIONS[version:]:
            for statement in script:
                connection.execute(statement)
        connection.execute("UPDATE toolfold_version SET version = %s", (VERSION,))


def _version(connection: psycopg.Connection, shown: str) -> int:
    """The version of the tables, 0 where there are none; UsageStoreError for a newer one."""
    # Not by `to_regclass`, which remembers what was not there before another replica made it.
    if connection.execute(_HAS_VERSION).fetchone() is None:
        return 0
    row = connection.execute("SELECT version FROM toolfold_version").fetchone()
    version = int(row[0]) if row else 0
    refuse_newer(version, shown)
    return version


@contextmanager
def _in_words(shown: str) -> Iterator[None]:
    """What goes wrong inside as a UsageStoreError."""
    try:
        yield
    except psycopg.Error as error:
        # The first line: the others repeat the statement, or try to help.
        text = str(error).strip().partition("\n")[0] or type(error).__name__
        raise UsageStoreError(f"{shown}: {text}") from error
