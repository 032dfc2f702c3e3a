"""A disk without room, a file or a folder that may not be written, and a file of another user."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store

from tests.support.projects import ROOT
from tests.support.servers import Running
from tests.usage.material import RECORDING, counted, recording

_ROWS: Final = 4000
# Much more than fits, and at the end all of it.
_FILL: Final = f"""
import resource, subprocess
from tests.support.waiting import wait_until
from tests.usage.material import counted

way, folder = sys.argv[1:]
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
if way == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, limits[1]))
recorder = Recorder(place)
for number in range({_ROWS}):
    recorder.add(f"own::{{number:04}}" * 20, "ok", 0.01)
wait_until(lambda: recorder.state not in ("idle", "recording"), "there is room")
for number in range({_ROWS}):
    recorder.add(f"own::{{number:04}}" * 20, "ok", 0.01)
print(recorder.state, flush=True)
if way == "limit":
    resource.setrlimit(resource.RLIMIT_FSIZE, limits)
else:
    subprocess.run(["mount", "-o", "remount,size=20m", folder], check=True)
wait_until(lambda: recorder.state == "recording", "it is not recorded again")
recorder.close(60)
print(counted(place), recorder.lost, flush=True)
"""
_MOUNTED: Final = 'mount -t tmpfs -o size=300k none "$1" && shift && exec "$@"'
# Root may do everything; without its capabilities it is held to modes as any other user.
_WITHOUT_RIGHTS: Final = """
import ctypes, os
import toolfold_runtime.usage.sqlite
from tests.support.waiting import wait_until

def drop_rights():
    if os.geteuid() == 0:
        header = (ctypes.c_uint32 * 2)(0x20080522, 0)
        assert ctypes.CDLL(None).capset(header, (ctypes.c_uint32 * 6)()) == 0

def become_another_user():
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)

globals()[sys.argv[1]]()
recorder = Recorder(place)
for _ in range(10):
    recorder.add("own::a", "ok", 0.01)
wait_until(lambda: recorder.state not in ("idle", "recording"), "it may be written")
print(recorder.state, flush=True)
if sys.stdin.readline():
    wait_until(lambda: recorder.state == "recording", "it may not be written")
recorder.close(0.5)
"""


def may_mount() -> bool:
    """Whether a volume can be mounted that only one process sees."""
    command = ["unshare", "-rm", "mount", "-t", "tmpfs", "none", tempfile.gettempdir()]
    return (
        bool(shutil.which("unshare"))
        and not subprocess.run(command, capture_output=True).returncode
    )


@pytest.mark.parametrize("way", ["limit", "volume"])
def test_what_does_not_fit_on_a_full_disk_is_written_once_there_is_room(
    way: str, sqlite: Location
) -> None:
    command = [sys.executable, "-c", RECORDING + _FILL, way, str(Path(sqlite.target).parent)]
    if way == "volume":
        if not may_mount():
            pytest.skip("this system lets nobody mount a volume; a limit of size was tried")
        command = ["unshare", "-rm", "sh", "-c", _MOUNTED, "sh", command[-1], *command]
    with Running(command, ROOT, TOOLFOLD_USAGE=sqlite.target) as process:
        why, left = process.out.until(f"{2 * _ROWS} ")
        assert process.end() == 0

    words = {"volume": "no room is left on the disk", "limit": "its disk cannot be read or written"}
    assert why == f"{sqlite.target}: {words[way]}"
    assert left == f"{2 * _ROWS} 0"
    assert process.log.count("usage cannot be recorded") == 1
    assert process.log.count("usage is recorded again") == 1


@pytest.mark.parametrize("locked", ["file", "folder"])
def test_what_may_not_be_written_is_written_once_it_may(locked: str, sqlite: Location) -> None:
    path = Path(sqlite.target)
    if locked == "file":
        open_store(sqlite).close()
    place = path if locked == "file" else path.parent
    mode = place.stat().st_mode
    place.chmod(mode & ~0o222)
    with recording(sqlite, _WITHOUT_RIGHTS, "drop_rights") as process:
        (why,) = process.out.until(f"{path}: ")
        place.chmod(mode)
        process.write("now it may\n")
        assert process.end() == 0

    words = {"file": "cannot be written; look at its owner and permissions"}
    assert why == f"{path}: {words.get(locked, 'Permission denied')}"
    assert counted(sqlite) == 10


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter and write to, as /tmp is."""
    folder = Path(tempfile.mkdtemp(prefix="tfu"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder)


def test_the_file_of_another_user_is_not_written(open_folder: Path) -> None:
    location = Location("sqlite", str(open_folder / "usage.db"))
    open_store(location).close()
    before = Path(location.target).read_bytes()
    if os.geteuid() != 0:
        # There is no other user to become; the file is as closed to us as it is to one.
        Path(location.target).chmod(0)
    with recording(location, _WITHOUT_RIGHTS, "become_another_user") as process:
        (why,) = process.out.until(location.target)
        assert process.end() == 0
    Path(location.target).chmod(0o600)

    assert "cannot be written; look at its owner" in why
    assert Path(location.target).read_bytes() == before
    assert [path.name for path in open_folder.iterdir()] == ["usage.db"]
