"""The recorder: what was called is in the store at the end, whatever became of the store meanwhile."""

import sqlite3
import threading
from pathlib import Path

from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.recorder import Recorder

from tests.support.waiting import wait_until


def counted(location: Location) -> int:
    store = open_store(location, is_reader=True)
    try:
        return sum(total.calls for total in store.totals(0))
    finally:
        store.close()


def test_nothing_is_lost_at_a_normal_end(location: Location) -> None:
    recorder = Recorder(location)
    for number in range(5000):
        recorder.add(f"own::{number % 7}", "ok", 0.01)
    recorder.close(10)

    assert counted(location) == 5000
    assert recorder.lost == 0


def test_recorders_in_several_threads_add_up(location: Location) -> None:
    def record() -> None:
        recorder = Recorder(location)
        for number in range(1000):
            recorder.add(f"own::{number % 50}", "ok", number / 1000)
        recorder.close(10)

    threads = [threading.Thread(target=record) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert counted(location) == 4000


def test_nothing_happens_before_the_first_call(sqlite: Location) -> None:
    recorder = Recorder(sqlite)
    recorder.close()

    assert recorder.state == "idle"
    assert not Path(sqlite.target).exists()


def test_a_file_that_is_locked_is_written_when_it_is_free_again(sqlite: Location) -> None:
    open_store(sqlite).close()
    lock = sqlite3.connect(sqlite.target, isolation_level=None)
    lock.execute("BEGIN IMMEDIATE")
    recorder = Recorder(sqlite)
    recorder.add("own::a", "ok", 0.01)
    wait_until(lambda: "locked" in recorder.state, "nothing says that the file is locked")
    recorder.add("own::a", "ok", 0.01)
    lock.execute("ROLLBACK")
    lock.close()
    recorder.close(10)

    assert counted(sqlite) == 2


def test_a_missing_folder_costs_no_call_anything(tmp_path: Path) -> None:
    recorder = Recorder(Location("sqlite", str(tmp_path / "none" / "usage.db")))
    recorder.add("own::a", "ok", 0.01)
    recorder.close(0.1)

    assert recorder.state.startswith(str(tmp_path))
    assert not (tmp_path / "none").exists()
