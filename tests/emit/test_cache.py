"""The cache: only speed depends on it."""

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.commands import toolfold
from tests.support.projects import generate, small_manifest, snapshot, write_manifest


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_manifest(tmp_path, small_manifest("one", "two"))
    generate(tmp_path)
    return tmp_path


def cache(project: Path) -> Path:
    return project / ".toolfold_cache/pieces.sqlite"


def change(project: Path, statement: str, *values: object) -> None:
    database = sqlite3.connect(cache(project))
    with database:
        database.execute(statement, values)
    database.close()


def test_without_the_cache_the_bytes_are_the_same(project: Path) -> None:
    before = snapshot(project / "generated")
    cache(project).unlink()

    assert generate(project).startswith("generated/: 0 written, ")
    assert generate(project, "--no-cache").startswith("generated/: 0 written, ")
    assert snapshot(project / "generated") == before


def _garbage(file: Path) -> None:
    file.write_bytes(b"this is no database" * 1000)


def _cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:5000])


def _damaged(file: Path) -> None:
    data = file.read_bytes()
    middle = len(data) // 2
    file.write_bytes(data[:4096] + b"\xff" * (middle - 4096) + data[middle:])


def _empty(file: Path) -> None:
    file.write_bytes(b"")


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _other_tables(file: Path) -> None:
    file.unlink()
    database = sqlite3.connect(file)
    database.execute("CREATE TABLE pieces (other INTEGER)")
    database.close()


def _wrong_types(file: Path) -> None:
    database = sqlite3.connect(file)
    with database:
        database.execute("UPDATE pieces SET text = x'ff00', digest = 5")
    database.close()


@pytest.mark.parametrize(
    "harm", [_garbage, _cut, _damaged, _empty, _folder, _other_tables, _wrong_types]
)
def test_a_corrupt_cache_is_survived(project: Path, harm: Callable[[Path], None]) -> None:
    before = snapshot(project / "generated")
    harm(cache(project))
    (project / "generated/demo/models/one.py").unlink()

    said = generate(project)

    assert said.startswith("generated/: 1 written, ")
    assert snapshot(project / "generated") == before


def test_a_poisoned_row_is_ignored(project: Path) -> None:
    before = snapshot(project / "generated")
    change(project, "UPDATE pieces SET text = 'import os; os.abort()'")
    (project / "generated/demo/models/one.py").unlink()

    generate(project)

    assert snapshot(project / "generated") == before


def test_a_cache_folder_that_is_a_file_is_survived(project: Path) -> None:
    for path in (project / ".toolfold_cache").iterdir():
        path.unlink()
    (project / ".toolfold_cache").rmdir()
    (project / ".toolfold_cache").write_text("mine", encoding="utf-8")

    assert generate(project).startswith("generated/: 0 written, ")
    assert (project / ".toolfold_cache").read_text(encoding="utf-8") == "mine"


def test_the_cache_is_never_committed(project: Path) -> None:
    assert (project / ".toolfold_cache/.gitignore").read_text(encoding="utf-8") == "*\n"


def test_a_check_served_from_the_cache_changes_nothing(project: Path) -> None:
    before = snapshot(project)

    done = toolfold(project, "check")

    assert (done.code, done.out) == (0, "")
    assert done.err.startswith("notice: no `implementation` is declared")
    assert snapshot(project) == before
