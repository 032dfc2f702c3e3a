"""A database that goes away and returns: every call is made up for, and the log says both once."""

import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.recorder import Recorder

from tests.support.postgres import Server
from tests.support.servers import Running
from tests.support.waiting import wait_until
from tests.usage.material import counted, record, warnings
from tests.usage.proxy import Proxy

FAILS = "usage cannot be recorded"
WORKS = "usage is recorded again"
_LOCK = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def proxy(postgres: Location) -> Iterator[tuple[Location, Proxy]]:
    """A way to a database that can lose answers."""
    with Proxy.to(postgres.target) as proxy:
        yield Location("postgres", proxy.dsn), proxy


def fail(recorder: Recorder) -> None:
    """Record calls that cannot be written yet."""
    record(recorder, 10)
    wait_until(lambda: recorder.state not in ("idle", "recording"), "nothing says that it fails")
    record(recorder, 10)


def work_again(recorder: Recorder) -> None:
    wait_until(lambda: recorder.state == "recording", "it is not recorded again")
    record(recorder, 10)
    recorder.close(10)


def held(log: pytest.LogCaptureFixture) -> tuple[str, str]:
    """Why it failed and that it works again, each of which was said once."""
    fails, works = warnings(log)
    return fails, works


def test_a_postgres_that_is_stopped_and_started_again(
    stoppable: Server, caplog: pytest.LogCaptureFixture
) -> None:
    location = Location("postgres", stoppable.dsn)
    recorder = Recorder(location)
    record(recorder, 10)
    wait_until(lambda: counted(location) == 10, "nothing is written")
    stoppable.stop()
    fail(recorder)
    stoppable.start()
    work_again(recorder)

    assert counted(location) == 40
    fails, works = held(caplog)
    assert fails.startswith(f"{FAILS}: PostgreSQL database postgres at this machine: ")
    assert works == WORKS


def test_a_postgres_that_can_only_be_read_for_a_while(
    postgres: Location, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(postgres).close()
    set_read_only(postgres, "on")
    recorder = Recorder(postgres)
    fail(recorder)
    set_read_only(postgres, "off")
    work_again(recorder)

    assert counted(postgres) == 30
    assert "cannot execute INSERT in a read-only transaction" in held(caplog)[0]


def test_a_batch_whose_connection_is_killed_is_sent_again(
    postgres: Location, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(postgres).close()
    recorder = Recorder(postgres)
    with psycopg.connect(postgres.target) as other:
        other.execute("LOCK TABLE toolfold_hours IN EXCLUSIVE MODE")
        record(recorder, 10)
        wait_until(lambda: kill_waiting(other), "no batch is under way")
        wait_until(lambda: recorder.state != "recording", "nothing says that it fails")
        record(recorder, 10)
    work_again(recorder)

    assert counted(postgres) == 30
    fails, works = held(caplog)
    assert "terminating connection due to administrator command" in fails
    assert works == WORKS


def test_a_commit_whose_answer_is_lost_counts_once(
    proxy: tuple[Location, Proxy], postgres: Location, caplog: pytest.LogCaptureFixture
) -> None:
    location, way = proxy
    open_store(postgres).close()
    way.loses_next_commit = True
    recorder = Recorder(location)
    fail(recorder)
    assert counted(postgres) == 10
    work_again(recorder)

    assert counted(postgres) == 30
    assert held(caplog)[1] == WORKS


def test_a_file_that_another_process_locks_for_long(
    sqlite: Location, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(sqlite).close()
    recorder = Recorder(sqlite)
    with Running((sys.executable, "-c", _LOCK, sqlite.target), Path.cwd()) as other:
        other.out.until("locked")
        fail(recorder)
    work_again(recorder)

    assert counted(sqlite) == 30
    assert held(caplog) == (f"{FAILS}: {sqlite.target}: another program has it locked", WORKS)


def test_a_file_that_is_deleted_under_a_recorder_is_made_again(
    sqlite: Location, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(sqlite)
    record(recorder, 5)
    wait_until(lambda: counted(sqlite) == 5, "nothing is written")
    for path in Path(sqlite.target).parent.glob("usage.db*"):
        path.unlink()
    fail(recorder)
    work_again(recorder)

    assert counted(sqlite) == 30
    why = "deleted or moved away while it was open"
    assert held(caplog) == (f"{FAILS}: {sqlite.target}: {why}", WORKS)


def test_a_damaged_file_that_is_moved_away_is_made_again(
    sqlite: Location, caplog: pytest.LogCaptureFixture
) -> None:
    path = Path(sqlite.target)
    path.write_bytes(b"something else" * 1000)
    recorder = Recorder(sqlite)
    fail(recorder)
    path.rename(path.with_name("elsewhere"))
    work_again(recorder)

    assert counted(sqlite) == 30
    why = "not a database; move it away, or name another file"
    assert held(caplog) == (f"{FAILS}: {sqlite.target}: {why}", WORKS)


def test_what_still_waits_at_the_end_is_said(
    sqlite: Location, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(sqlite).close()
    with Running((sys.executable, "-c", _LOCK, sqlite.target), Path.cwd()) as other:
        other.out.until("locked")
        recorder = Recorder(sqlite)
        record(recorder, 7)
        recorder.close(0.1)
        wait_until(lambda: not is_writing(), "the thread does not end")

    (left,) = [entry for entry in caplog.records if entry.getMessage() == "calls were not recorded"]
    assert vars(left)["facts"]["calls"] == 7
    assert counted(sqlite) == 0


def is_writing() -> bool:
    return any(thread.name == "toolfold-usage" for thread in threading.enumerate())


def kill_waiting(connection: psycopg.Connection) -> bool:
    """End the connection that waits for a lock in the same database; whether there was one."""
    asked = "SELECT pg_terminate_backend(pid) FROM pg_locks JOIN pg_database"
    asked += " ON database = pg_database.oid WHERE NOT granted AND datname = current_database()"
    return bool(connection.execute(asked.encode()).fetchall())


def set_read_only(location: Location, value: str) -> None:
    """For those who connect from now on."""
    with psycopg.connect(location.target, autocommit=True) as connection:
        connection.execute("SET default_transaction_read_only = off")
        name = connection.info.dbname
        changed = f'ALTER DATABASE "{name}" SET default_transaction_read_only = {value}'
        connection.execute(changed.encode())
