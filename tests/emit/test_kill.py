"""A run killed at any moment leaves the old tree or the new one, and the next run repairs."""

import json
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.emit.killer import state
from tests.support.commands import program, python
from tests.support.projects import generate, small_manifest, write_manifest

State = dict[str, str]

FOREIGN: Final = {
    "README.md": b"mine\n",
    "demo/extra.py": b"x = 1\n",
    "demo/models/hand_written.py": b"y = 2\n",
    "notes/deep/note.txt": b"z\n",
    "docs/tools/empty.md": b"",
}


@dataclass(frozen=True)
class Killed:
    """The project's state before the run, after a whole run, and at each kill point."""

    old: State
    new: State
    points: dict[int, tuple[State, State]]


def killed(root: Path, *, kind: str, step: int) -> Killed:
    """Kill a run over `root/before` at each `step`-th change, with the store as after a run."""
    before, new = root / "before", root / "new"
    shutil.copytree(before, new, symlinks=True)
    generate(new)
    killer = str(Path(__file__).with_name("killer.py"))
    done = python(root, killer, kind, str(step))
    assert (done.code, done.err) == (0, "")
    lines = [json.loads(line) for line in done.out.splitlines()]
    points = {line["point"]: (line["after"], line["repaired"]) for line in lines}
    return Killed(state(before), state(new), points)


def project_with_everything(before: Path) -> None:
    """An old tree with files that will change, stay, go and come, and with foreign ones."""
    write_manifest(before, small_manifest("kept", "changed", "removed", text="old"))
    generate(before)
    for name, data in FOREIGN.items():
        path = before / "generated" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (before / "generated/link").symlink_to("README.md")
    content = small_manifest("kept", "changed", "added", text="new")
    content["tools"]["kept"]["description"] = "old"
    write_manifest(before, content)


def output_of(project: State, folder: str = "generated") -> State:
    """The part of a project's state that is its output folder."""
    return {
        path.removeprefix(f"{folder}/"): kind
        for path, kind in project.items()
        if path.startswith(f"{folder}/")
    }


def assert_repaired(run: Killed) -> None:
    assert {point: repaired for point, (_, repaired) in run.points.items()} == dict.fromkeys(
        run.points, run.new
    )


def say(capfd: pytest.CaptureFixture[str], run: Killed, kind: str) -> None:
    with capfd.disabled():
        told = f"\nkilled at each of {len(run.points)} changes ({kind})"
        print(told, file=sys.stderr, flush=True)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.long)])
def test_a_run_killed_at_any_change_leaves_the_old_tree_or_the_new_and_the_next_repairs(
    step: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project_with_everything(tmp_path / "before")

    run = killed(tmp_path, kind="exchange", step=step)

    say(capfd, run, "folders swapped in one call")
    old, new = output_of(run.old), output_of(run.new)
    found = [output_of(after) for after, _ in run.points.values()]
    assert [number for number, tree in enumerate(found, 1) if tree not in (old, new)] == []
    assert old in found
    assert new in found
    assert FOREIGN.keys() <= old.keys() & new.keys()
    assert_repaired(run)
    # Each new folder and file, each link, the swap, each removal of the old tree.
    assert len(run.points) > 100 // step


@pytest.mark.long
def test_where_folders_cannot_be_swapped_the_old_tree_waits_whole_between_two_renames(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project_with_everything(tmp_path / "before")

    run = killed(tmp_path, kind="two-renames", step=1)

    say(capfd, run, "folders replaced by two renames")
    old, new = output_of(run.old), output_of(run.new)
    between = [after for after, _ in run.points.values() if output_of(after) not in (old, new)]
    assert [output_of(after, ".generated.toolfold-old") for after in between] == [old]
    assert output_of(between[0]) == {}
    assert_repaired(run)


@pytest.mark.parametrize("step", [8, pytest.param(1, marks=pytest.mark.long)])
def test_a_first_run_that_is_killed_leaves_nothing_or_everything(
    step: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    write_manifest(tmp_path / "before", small_manifest("one", "two"))

    run = killed(tmp_path, kind="exchange", step=step)

    say(capfd, run, "no output yet")
    new = output_of(run.new)
    assert [p for p, (after, _) in run.points.items() if output_of(after) not in ({}, new)] == []
    assert_repaired(run)


def test_a_run_interrupted_by_the_keyboard_leaves_the_old_tree(tmp_path: Path) -> None:
    write_manifest(tmp_path, small_manifest("one", "two"))
    generate(tmp_path)
    old = state(tmp_path / "generated")
    write_manifest(tmp_path, small_manifest("one", "two", "three"))
    script = (
        "import os, signal, sys, toolfold.cli.main\n"
        "def watch(event, arguments):\n"
        "    if event == 'os.link': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.addaudithook(watch)\n"
        "sys.exit(toolfold.cli.main.main(['generate']))\n"
    )

    done = program(tmp_path, script)

    assert done.code == 128 + signal.SIGINT
    assert "Traceback" not in done.err
    assert state(tmp_path / "generated") == old
    generate(tmp_path)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["generated", "tools.yaml"]
