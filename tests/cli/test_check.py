"""`check`: drift in every form, and what is no drift."""

import shutil
from pathlib import Path

import pytest

from tests.cli.material import FILES, MANIFEST, NOTICE, Run
from tests.support.commands import Result, must
from tests.support.projects import files_in


def test_check_of_a_current_tree_is_quiet(project: Path, run: Run) -> None:
    assert run("check") == Result(0, "", NOTICE)


def test_check_from_another_folder_names_paths_from_there(
    project: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "generated" / "docs" / "index.md").unlink()
    monkeypatch.chdir(project.parent)

    said = run("check", "-m", "project/tools.yaml")

    assert said.out == "project/generated/docs/index.md: missing\n"


def test_check_catches_a_changed_file(project: Path, run: Run) -> None:
    path = project / "generated" / "docs" / "index.md"
    path.write_text(path.read_text(encoding="utf-8") + "added\n", encoding="utf-8")

    said = run("check")

    assert said.code == 1
    assert said.out == "generated/docs/index.md: out of date (+0 -1)\n"
    assert said.err == "run `toolfold generate` and commit the result\n"


def test_check_catches_a_missing_file(project: Path, run: Run) -> None:
    (project / "generated" / "demo_mcp" / "models" / "find.py").unlink()

    said = run("check")

    assert said.code == 1
    assert said.out == "generated/demo_mcp/models/find.py: missing\n"


def test_check_catches_a_left_over_file(project: Path, run: Run) -> None:
    source = project / "generated" / "docs" / "tools" / "find.md"
    shutil.copy(source, source.with_name("old_tool.md"))

    said = run("check")

    assert said.code == 1
    assert said.out == "generated/docs/tools/old_tool.md: no longer generated\n"


def test_check_catches_a_changed_manifest(project: Path, run: Run) -> None:
    manifest = project / "tools.yaml"
    manifest.write_text(MANIFEST.replace("summary: Find", "summary: Seek"), encoding="utf-8")
    before = files_in(project / "generated")

    said = run("check")

    assert said.code == 1
    assert "generated/docs/tools/find.md: out of date (+1 -1)" in said.out
    assert files_in(project / "generated") == before


def test_check_of_nothing_generated_lists_every_file(project: Path, run: Run) -> None:
    shutil.rmtree(project / "generated")

    said = run("check")

    assert said.code == 1
    assert [line.endswith(": missing") for line in said.out.splitlines()] == [True] * FILES


def test_check_says_nothing_about_files_of_others(project: Path, run: Run) -> None:
    (project / "generated" / "notes.md").write_text("mine", encoding="utf-8")

    assert run("check").code == 0


def test_diff_shows_how_a_file_changed(project: Path, run: Run) -> None:
    path = project / "generated" / "docs" / "index.md"
    path.write_text(path.read_text(encoding="utf-8").replace("# demo", "# mine"), encoding="utf-8")

    lines = run("check", "--diff").out.splitlines()

    assert "-# mine" in lines
    assert "+# demo" in lines


@pytest.mark.parametrize("kind", ["missing", "left over"])
def test_diff_shows_whole_files_that_are_missing_or_left_over(
    kind: str, project: Path, run: Run
) -> None:
    path = project / "generated" / "docs" / "tools" / "find.md"
    if kind == "missing":
        path.unlink()
    else:
        shutil.copy(path, path.with_name("old.md"))

    lines = run("check", "--diff").out.splitlines()

    assert ("+# `find`" if kind == "missing" else "-# `find`") in lines


def test_generate_repairs_what_check_found(project: Path, run: Run) -> None:
    docs = project / "generated" / "docs"
    (docs / "index.md").unlink()
    shutil.copy(docs / "tools" / "find.md", docs / "tools" / "old.md")

    assert run("check").code == 1
    assert run("generate").code == 0
    assert run("check") == Result(0, "", NOTICE)


def reformat(project: Path, *options: str) -> None:
    """Format the generated Python in another style, as another release of ruff might."""
    from ruff import find_ruff_bin

    before = files_in(project / "generated")
    must(project, find_ruff_bin(), "format", "--isolated", "--quiet", *options, "generated")
    assert files_in(project / "generated") != before


@pytest.mark.parametrize(
    "style",
    [
        pytest.param(["--config", 'format.quote-style="single"'], id="single quotes"),
        pytest.param(["--config", 'format.indent-style="tab"'], id="tabs"),
        pytest.param(["--line-length", "60"], id="shorter lines"),
        pytest.param(["--line-length", "300"], id="longer lines"),
    ],
)
def test_another_style_of_formatting_is_no_drift(style: list[str], project: Path, run: Run) -> None:
    if style == ["--line-length", "300"]:
        reformat(project, "--line-length", "60")
    reformat(project, *style)

    assert run("check") == Result(0, "", NOTICE)


def test_a_change_is_found_under_another_style_of_formatting(project: Path, run: Run) -> None:
    reformat(project, "--config", 'format.quote-style="single"')
    path = project / "generated" / "demo_mcp" / "models" / "find.py"
    path.write_text(path.read_text(encoding="utf-8").replace("le=100", "le=101"), encoding="utf-8")

    said = run("check")

    assert said.code == 1
    assert said.out.startswith("generated/demo_mcp/models/find.py: out of date")
    assert len(said.out.splitlines()) == 1


def test_windows_line_ends_are_no_drift(project: Path, run: Run) -> None:
    for path in (project / "generated").rglob("*.*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))

    assert run("check") == Result(0, "", NOTICE)
