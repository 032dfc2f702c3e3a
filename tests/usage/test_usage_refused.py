"""What is in the place of a store, and is none: said once, left as it is, and no call suffers."""

import json
import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

import psycopg
import pytest
from toolfold_runtime.usage.location import VARIABLE, Location
from toolfold_runtime.usage.migrations import VERSION
from toolfold_runtime.usage.open import open_store
from toolfold_runtime.usage.recorder import Recorder
from toolfold_runtime.usage.store import UsageStoreError

from tests.support.commands import toolfold
from tests.support.projects import project, small_manifest
from tests.support.servers import Stdio, text_of
from tests.usage.material import counted, record, row, warnings

Make = Callable[[Path], None]


def damaged(path: Path) -> None:
    """A store in the middle of which something else was written."""
    with closing(open_store(Location("sqlite", str(path)))) as store:
        store.add([row(f"own::{number:05}") for number in range(500)])
    with path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xee" * (path.stat().st_size - 4096))


def foreign(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE usage (mine TEXT)")


def newer(path: Path) -> None:
    open_store(Location("sqlite", str(path))).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")


def endless(path: Path) -> None:
    """A store whose table was replaced by a view that never ends."""
    open_store(Location("sqlite", str(path))).close()
    with closing(sqlite3.connect(path)) as connection:
        numbers = "WITH RECURSIVE own(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM own)"
        connection.execute("DROP TABLE toolfold_days")
        connection.execute(f"CREATE VIEW toolfold_days AS {numbers} SELECT n AS day FROM own")


def linked(path: Path) -> None:
    open_store(Location("sqlite", str(path.with_name("real.db")))).close()
    path.symlink_to("real.db")


PLACES: Final[dict[str, tuple[Make, str]]] = {
    "no database": (lambda path: no_database(path), "not a database"),
    "damaged": (damaged, "damaged; move it away"),
    "of another program": (foreign, "another program's database; name another file"),
    "of endless rows": (endless, "not as toolfold made it; move it away"),
    "newer": (newer, f"version {VERSION + 1}, and this toolfold knows {VERSION}; install a newer"),
    "a folder": (lambda path: path.mkdir(), "no file; name another file"),
    "a link": (linked, "a link, and nothing is written through one"),
    "a link to nothing": (lambda path: path.symlink_to("nothing"), "a link"),
    "a pipe": (lambda path: os.mkfifo(path), "no file"),
}


def no_database(path: Path) -> None:
    path.write_bytes(b"something else" * 1000)


@pytest.mark.parametrize("name", PLACES)
def test_what_is_no_store_is_said_once_and_left_as_it_is(
    name: str, sqlite: Location, caplog: pytest.LogCaptureFixture
) -> None:
    make, words = PLACES[name]
    path = Path(sqlite.target)
    make(path)
    before = looks(path.parent)
    recorder = Recorder(sqlite)
    record(recorder, 5)
    recorder.close(0.2)

    fails, lost = warnings(caplog)
    assert fails.startswith(f"usage cannot be recorded: {path}: ")
    assert words in fails
    assert lost.startswith("calls were not recorded: ")
    assert looks(path.parent) == before


def looks(folder: Path) -> dict[str, object]:
    """What is in a folder, without following links, but for SQLite's files of an open database."""
    return {
        path.name: path.read_bytes() if stat.S_ISREG(path.lstat().st_mode) else path.lstat().st_mode
        for path in folder.iterdir()
        if not path.name.endswith(("-wal", "-shm"))
    }


@pytest.mark.parametrize(
    "change", ["last = 'soon'", "calls = -1", "millis = 9e999", "bucket = -1", "tool = x'ff'"]
)
def test_values_that_nobody_wrote_are_damage(change: str, sqlite: Location) -> None:
    with closing(open_store(sqlite)) as store:
        store.add([row()])
    with closing(sqlite3.connect(sqlite.target)) as connection:
        connection.execute(f"UPDATE toolfold_hours SET {change}")
        connection.commit()

    with (
        closing(open_store(sqlite, is_reader=True)) as store,
        pytest.raises(UsageStoreError, match="damaged; move it away"),
    ):
        store.totals(0)


def test_a_newer_postgres_is_refused_by_writers_and_readers(
    postgres: Location, caplog: pytest.LogCaptureFixture
) -> None:
    open_store(postgres).close()
    with psycopg.connect(postgres.target) as connection:
        connection.execute("UPDATE toolfold_version SET version = version + 1")
    recorder = Recorder(postgres)
    record(recorder, 5)
    recorder.close(0.2)

    assert "install a newer toolfold, or name another store" in warnings(caplog)[0]
    with pytest.raises(UsageStoreError, match="install a newer toolfold"):
        open_store(postgres, is_reader=True)
    with psycopg.connect(postgres.target) as connection:
        assert connection.execute("SELECT count(*) FROM toolfold_hours").fetchone() == (0,)


def test_a_role_without_rights_is_said(
    postgres: Location, caplog: pytest.LogCaptureFixture
) -> None:
    with psycopg.connect(postgres.target, autocommit=True) as connection:
        connection.execute(
            "DO $$ BEGIN CREATE ROLE nobody LOGIN; EXCEPTION WHEN duplicate_object THEN END $$"
        )
    recorder = Recorder(Location("postgres", postgres.target.replace("postgres:@", "nobody:@")))
    record(recorder, 5)
    recorder.close(0.5)

    assert "permission denied for schema public" in warnings(caplog)[0]


@pytest.mark.parametrize(
    ("dsn", "words"),
    [
        ("postgresql://me:se%cret@host:port/base", "TOOLFOLD_USAGE is no DSN"),
        ("postgresql://me:secret@127.0.0.1:1/base", "PostgreSQL database base at 127.0.0.1: "),
    ],
)
def test_a_postgres_that_is_not_there_is_said_without_its_password(
    dsn: str, words: str, caplog: pytest.LogCaptureFixture
) -> None:
    recorder = Recorder(Location("postgres", dsn))
    record(recorder, 5)
    recorder.close(1)

    assert warnings(caplog)[0].startswith(f"usage cannot be recorded: {words}")
    assert "cret" not in "".join(warnings(caplog))


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("postgresql://me:se@cret@host/base", "@ and / in a password as %40 and %2F"),
        ("postgresql://me:se/cret@host/base", "@ and / in a password as %40 and %2F"),
        ("postgresql+psycopg://me:secret@host/base", "neither a path nor the DSN that is known"),
        ("host=here password=secret", "neither a path nor the DSN that is known"),
        ("~nobody-of-this-name/usage.db", "no home folder is known; write the whole path"),
    ],
)
def test_what_names_no_place_keeps_a_server_from_starting_and_no_secret_is_said(
    place: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project(tmp_path, served(), IMPLEMENTATION)
    monkeypatch.setenv(VARIABLE, place)
    served_there = toolfold(tmp_path, "serve", "--log", "text")
    read = toolfold(tmp_path, "usage")

    assert (served_there.code, words in served_there.err) == (1, True)
    assert (read.code, words in read.err) == (2, True)
    assert "cret" not in served_there.err + read.err


@pytest.mark.parametrize(
    ("dsn", "shown"),
    [
        ("postgresql://me:se#?cret@host:1/base", "PostgreSQL database base at host"),
        ("postgres://host", "PostgreSQL database (default) at host"),
        ("postgresql:///base?password=secret", "PostgreSQL database base at this machine"),
    ],
)
def test_a_database_is_named_by_its_host_alone(dsn: str, shown: str) -> None:
    assert Location("postgres", dsn).shown == shown


def test_a_server_whose_store_is_newer_answers_and_says_so(
    sqlite: Location, tmp_path: Path
) -> None:
    newer(Path(sqlite.target))
    made = project(tmp_path / "made", served(), IMPLEMENTATION)
    with Stdio.of(made, TOOLFOLD_USAGE=sqlite.target) as server:
        server.call(1, "find", v="x")
        (answer,) = server.wait(1)
        assert server.end() == 0

    (said,) = [json.loads(line) for line in server.err.lines if "cannot be recorded" in line]
    assert text_of(answer) == "found x"
    assert "install a newer toolfold" in said["why"]
    assert "Traceback" not in server.log


IMPLEMENTATION: Final = (
    "class Tools:\n    def find(self, params):\n        return f'found {params.v}'\n"
)


def served() -> dict[str, object]:
    manifest = small_manifest("find")
    manifest["server"]["implementation"] = "implementation:Tools"
    return manifest


def test_a_store_is_for_its_owner_alone(sqlite: Location) -> None:
    recorder = Recorder(sqlite)
    record(recorder, 5)
    recorder.close(10)
    with closing(open_store(sqlite)) as store:
        store.add([row()])
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in Path(sqlite.target).parent.iterdir()
        }

    assert modes == dict.fromkeys(("usage.db", "usage.db-shm", "usage.db-wal"), 0o600)
    assert counted(sqlite) == 6
