"""Findings as JSON and as annotations."""

import json
import os
import shutil
from pathlib import Path

import pytest

from tests.cli.material import FOREIGN, Run, add
from tests.support.commands import Result, toolfold_process


def test_json_of_a_refused_manifest_parses(project: Path, run: Run) -> None:
    add(project, "  two: {category: nowhere, effect: read, sumary: Two, cache: 30}\n")

    said = run("check", "--format", "json")
    found = json.loads(said.out)

    assert said.code == 1
    assert {problem["severity"] for problem in found} == {"error"}
    assert [(p["file"], p["line"], p["path"]) for p in found] == [
        ("tools.yaml", 12, "tools.two.sumary"),
        ("tools.yaml", 12, "tools.two.cache"),
    ]


def test_json_of_drift_and_warnings_is_one_document(project: Path, run: Run) -> None:
    add(project, FOREIGN)
    (project / "generated" / "docs" / "index.md").unlink()

    said = run("check", "--format", "json")
    found = json.loads(said.out)

    assert said.code == 1
    missing = [item["file"] for item in found if item.get("kind") == "missing"]
    assert "generated/docs/index.md" in missing
    assert any(item.get("severity") == "warning" for item in found)


@pytest.mark.parametrize("command", ["check", "generate"])
def test_json_without_findings_is_an_empty_list(command: str, project: Path, run: Run) -> None:
    said = run(command, "--format", "json")

    assert said.code == 0
    assert json.loads(said.out) == []


def test_json_of_warnings_is_not_mixed_with_counts(project: Path, run: Run) -> None:
    add(project, FOREIGN)

    said = run("generate", "--format", "json")

    assert said.code == 0
    assert [item["severity"] for item in json.loads(said.out)] == ["warning"]


def test_github_findings_are_annotations(project: Path, run: Run) -> None:
    add(project, "  two: {category: nowhere, effect: read, summary: Two}\n")

    said = run("check", "--format", "github")

    assert said.code == 1
    assert said.out.startswith("::error file=tools.yaml,line=12,col=19,title=toolfold::")
    assert len(said.out.splitlines()) == 1


def test_github_drift_is_annotated_by_file(project: Path, run: Run) -> None:
    (project / "generated" / "docs" / "index.md").unlink()

    lines = run("check", "--format", "github").out.splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("::error file=generated/docs/index.md,")


def test_github_without_findings_prints_nothing(project: Path, run: Run) -> None:
    run("generate", "-q")

    assert run("check", "--format", "github") == Result(0, "", "")


@pytest.mark.parametrize("is_stderr_closed", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["check"], ["check", "--diff"], ["check", "--format", "json"], ["wrong"]],
    ids=" ".join,
)
def test_a_reader_that_goes_away_gets_no_complaint(
    arguments: list[str], is_stderr_closed: bool, project: Path
) -> None:
    shutil.rmtree(project / "generated", ignore_errors=True)
    reader, writer = os.pipe()
    os.close(reader)
    said = toolfold_process(
        project,
        *arguments,
        environment={"PYTHONUNBUFFERED": ""},
        stdout=writer,
        stderr=writer if is_stderr_closed else None,
    )
    os.close(writer)

    assert said.code in (1, 2)
    assert "Traceback" not in said.err
    assert "Broken" not in said.err
