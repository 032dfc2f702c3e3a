"""The recorder: what was called is in the store at the end, whatever became of the store meanwhile."""

import threading
from pathlib import Path

from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.recorder import Recorder

from tests.usage.material import counted


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


def test_a_missing_folder_costs_no_call_anything(tmp_path: Path) -> None:
    recorder = Recorder(Location("sqlite", str(tmp_path / "none" / "usage.db")))
    recorder.add("own::a", "ok", 0.01)
    recorder.close(0.1)

    assert recorder.state.startswith(str(tmp_path))
    assert not (tmp_path / "none").exists()
