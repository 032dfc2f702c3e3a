"""Wrong use exits with 2 and says what to do."""

import contextlib
from pathlib import Path

import pytest

from tests.cli.material import Run
from tests.support.commands import Result, program, toolfold_process
from tests.support.projects import files_in


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["generat"],
        ["generate", "--bogus"],
        ["check", "--format", "xml"],
        ["check", "extra"],
        ["try"],
    ],
)
def test_wrong_use_exits_2_and_points_to_help(arguments: list[str], run: Run) -> None:
    said = run(*arguments)

    assert (said.code, said.out) == (2, "")
    assert "--help" in said.err


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (["genrate"], "toolfold: argument COMMAND: invalid choice: 'genrate'; did you mean generate?"),
        (["docs", "buidl"], "'buidl'; did you mean build?"),
        (["generate", "--wach"], "toolfold generate: unrecognized arguments: --wach; did you mean --watch?"),
        (["check", "--format", "jsn"], "'jsn'; did you mean json?"),
    ],
)  # fmt: skip
def test_a_slip_of_the_hand_is_answered_with_what_was_meant(
    arguments: list[str], meant: str, run: Run
) -> None:
    said = run(*arguments)

    assert said.code == 2
    assert meant in said.err


def test_nothing_at_all_is_answered_with_the_commands(run: Run) -> None:
    said = run()

    assert (said.code, said.out) == (2, "")
    assert "write a small working server to start from" in said.err


def test_help_and_version_are_fine(run: Run) -> None:
    assert run("--help").code == 0
    assert run("generate", "--help").code == 0
    assert run("--version").out.startswith("toolfold ")


@pytest.mark.parametrize("command", ["generate", "check"])
def test_missing_manifest_exits_2_and_says_what_to_do(command: str, empty: Path, run: Run) -> None:
    said = run(command)

    assert (said.code, said.out) == (2, "")
    assert (
        said.err
        == "toolfold: tools.yaml: no such file; `toolfold init` writes one, `-m` names another\n"
    )
    assert files_in(empty) == {}


def test_manifest_that_is_a_folder_is_named(empty: Path, run: Run) -> None:
    (empty / "tools.yaml").mkdir()

    said = run("generate")

    assert said.code == 2
    assert said.err.startswith("toolfold: tools.yaml: cannot be read: ")


@pytest.mark.parametrize("output", [".", "..", "sub/.."])
def test_output_that_holds_the_manifest_is_refused(output: str, project: Path, run: Run) -> None:
    (project / "sub").mkdir()
    before = files_in(project)

    said = run("generate", "-o", output)

    assert said.code == 2
    assert "holds the manifest" in said.err
    assert files_in(project) == before


def test_output_that_is_a_file_is_refused(project: Path, run: Run) -> None:
    (project / "taken").write_text("mine", encoding="utf-8")

    said = run("generate", "-o", "taken")

    assert said.code == 1
    assert said.err.startswith("taken: not a folder")
    assert (project / "taken").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("output", [".", ".."])
def test_output_without_a_name_is_refused(output: str, project: Path, run: Run) -> None:
    elsewhere = project.parent / "elsewhere" / "inner"
    elsewhere.mkdir(parents=True)

    with contextlib.chdir(elsewhere):
        said = run("generate", "-m", str(project / "tools.yaml"), "-o", output)

    assert said.code == 2
    assert (
        said.err == f"toolfold: {output}: has no name; call it by its name from the folder above\n"
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", [["schema"], ["generate"], ["check", "--format", "json"]])
def test_a_disk_that_is_full_is_no_bug(command: list[str], project: Path) -> None:
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        said = toolfold_process(project, *command, stdout=full)

    assert said.code == 2
    assert said.err.splitlines()[-1] == "toolfold: stdout: No space left on device"
    assert "Traceback" not in said.err


def test_a_working_directory_that_is_gone_is_named(empty: Path) -> None:
    code = (
        "import os, sys, toolfold.cli.main as m; os.rmdir(os.getcwd()); sys.exit(m.main(['check']))"
    )

    said = program(empty, code)

    assert said == Result(
        2, "", "toolfold: the working directory is gone; change to one that exists\n"
    )
