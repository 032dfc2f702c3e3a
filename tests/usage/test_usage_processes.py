"""Real processes on one store: they add up, and one that is killed leaves nothing half-counted."""

import os
import signal
import sqlite3
from contextlib import ExitStack, closing

import psycopg
from toolfold_runtime.usage.figures import figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.store import Batch

from tests.support.waiting import PATIENCE, wait_until
from tests.usage.material import counted, recording, row

_PROCESSES, _CALLS, _TOOLS = 4, 2000, 40
_RECORD = f"""
recorder = Recorder(place)
print("ready", flush=True)
sys.stdin.readline()
for number in range({_CALLS}):
    recorder.add(f"own::{{number % {_TOOLS}}}", "ok", number / 1000)
recorder.close({PATIENCE})
"""
# Comes to a halt in the middle of a batch, when the database has half of it.
_HALF_A_BATCH = """
class Batched(list):
    passes = 0
    def __iter__(self):
        self.passes += 1
        for number, own in enumerate(list(super().__iter__())):
            if self.passes == 2 and number == len(self) // 2:
                print("half", flush=True)
                sys.stdin.readline()
            yield own

store = open_store(place)
rows = Batched(UsageRow(f"own::{n:06}" * 8, "ok", 500_000, 1, 1, 1.0, 1.0) for n in range(60_000))
store.add(rows, Batch("killed", 1))
"""
_A_BATCH = """
open_store(place).add([UsageRow("own::killed", "ok", 500_000, 1, 1, 1.0, 1.0)], Batch("killed", 1))
"""


def test_processes_that_start_and_write_at_once_add_up(location: Location) -> None:
    with ExitStack() as stack:
        running = [stack.enter_context(recording(location, _RECORD)) for _ in range(_PROCESSES)]
        for process in running:
            process.out.until("ready")
        for process in running:
            process.write("go\n")
        codes = [process.process.wait(PATIENCE) for process in running]
        said = [process.log for process in running]

    assert (codes, said) == ([0] * _PROCESSES, [""] * _PROCESSES)
    assert by_tool(location) == dict.fromkeys(
        sorted(f"own::{n}" for n in range(_TOOLS)), _PROCESSES * _CALLS // _TOOLS
    )


def test_a_process_killed_within_a_batch_leaves_nothing_of_it_in_a_file(sqlite: Location) -> None:
    with recording(sqlite, _HALF_A_BATCH) as writer:
        writer.out.until("half")
        os.kill(writer.process.pid, signal.SIGKILL)
        assert writer.process.wait(PATIENCE) == -signal.SIGKILL

    add_after_the_crash(sqlite)
    with closing(sqlite3.connect(sqlite.target)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT writer FROM toolfold_writers").fetchall() == [("next",)]


def test_a_process_killed_within_a_batch_leaves_nothing_of_it_in_postgres(
    postgres: Location,
) -> None:
    open_store(postgres).close()
    with psycopg.connect(postgres.target) as other:
        # The batch has noted its number by the time it comes to its rows.
        other.execute("LOCK TABLE toolfold_hours IN EXCLUSIVE MODE")
        with recording(postgres, _A_BATCH) as writer:
            wait_until(lambda: is_waiting(other), "no batch is under way")
            os.kill(writer.process.pid, signal.SIGKILL)
            assert writer.process.wait(PATIENCE) == -signal.SIGKILL

    add_after_the_crash(postgres)
    with psycopg.connect(postgres.target) as connection:
        found = connection.execute("SELECT writer FROM toolfold_writers").fetchall()
    assert found == [("next",)]


def is_waiting(connection: psycopg.Connection) -> bool:
    """Whether somebody waits for a lock in the database of a connection."""
    asked = "SELECT count(*) FROM pg_locks JOIN pg_database ON database = pg_database.oid"
    asked += " WHERE NOT granted AND datname = current_database()"
    found = connection.execute(asked.encode()).fetchone()
    return found is not None and found[0] > 0


def add_after_the_crash(location: Location) -> None:
    with closing(open_store(location)) as store:
        store.add([row(calls=3)], Batch("next", 1))
    assert counted(location) == 3


def by_tool(location: Location) -> dict[str, int]:
    with closing(open_store(location, is_reader=True)) as store:
        figures = figures_by_tool(store.totals(0))
    return {tool: tool_figures.calls for tool, tool_figures in figures.items()}
