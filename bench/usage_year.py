"""A drawn year of use: 1,641 tools, 1,000 calls an hour by Zipf's law, as both databases would have it."""

import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import psycopg
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.rows import UsageRow, bucket_of
from toolfold_runtime.usage.sqlite import open_sqlite

from bench.catalogs import SEED

TOOLS: Final = 1641
AN_HOUR: Final = 1000
_HOURS, _DAYS = "toolfold_hours", "toolfold_days"

Rows = list[UsageRow]


def drawn_year() -> Iterator[tuple[str, Rows]]:
    """The rows of each day and then of each hour, with their table: 335 days, then 30 days of hours."""
    draw = random.Random(SEED)
    weights = [1 / (rank + 1) for rank in range(TOOLS)]
    now = int(time.time()) // 3600
    for day in range(now // 24 - 364, now // 24 - 30):
        yield _DAYS, _drawn(draw, weights, day, AN_HOUR * 24)
    for hour in range((now // 24 - 30) * 24, now):
        yield _HOURS, _drawn(draw, weights, hour, AN_HOUR)


def fill_file(path: Path) -> int:
    """Fill a file with a year; the number of its rows."""
    open_sqlite(path, makes_folder=False).close()
    count = 0
    with closing(open_connection(path)) as connection:
        connection.execute("BEGIN")
        for table, rows in drawn_year():
            connection.executemany(f"INSERT INTO {table} VALUES (?, ?, ?, ?, ?, ?, ?)", rows)
            count += len(rows)
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return count


def fill_postgres(dsn: str) -> float:
    """Fill a database with a year; its tables and indices in MB."""
    open_store(Location("postgres", dsn)).close()
    with psycopg.connect(dsn, autocommit=True) as connection:
        with connection.transaction(), connection.cursor() as cursor:
            for table, rows in drawn_year():
                with cursor.copy(f"COPY {table} FROM STDIN".encode()) as copy:
                    for row in rows:
                        copy.write_row(row)
        connection.execute("VACUUM ANALYZE")
        sizes = "SELECT pg_total_relation_size('toolfold_hours') + pg_total_relation_size('toolfold_days')"
        found = connection.execute(sizes.encode()).fetchone()
    return int(found[0]) / 1e6 if found else 0.0


def open_connection(path: Path) -> sqlite3.Connection:
    """A plain connection to a file."""
    return sqlite3.connect(path, isolation_level=None)


def _drawn(draw: random.Random, weights: list[float], at: int, calls: int) -> Rows:
    counts: dict[tuple[int, str, int], int] = {}
    for tool in draw.choices(range(TOOLS), weights, k=calls):
        millis = draw.lognormvariate(4, 0.3)
        outcome = "ok" if draw.random() < 0.97 else "backend_failed"
        key = (tool, outcome, bucket_of(millis))
        counts[key] = counts.get(key, 0) + 1
    return [
        UsageRow(f"year::tool_{tool}", outcome, at, bucket, n, n * 1.1**bucket, 0.0)
        for (tool, outcome, bucket), n in sorted(counts.items())
    ]
