"""The command: exit codes, what goes where, and no traceback for a user's mistake."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from toolfold.cli.main import main

MANIFEST = """\
toolfold: 1
server: {name: demo, version: "1"}
categories: {all: {description: Everything}}
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters:
      query: {type: string, required: true, description: Words to look for, minLength: 1}
      limit: {type: integer, default: 20, minimum: 1, maximum: 100}
"""
FILES = 29  # that it generates
FOREIGN = "  far: {category: all, effect: read, summary: Far, input_schema: {properties: {}}}\n"


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    out: str
    err: str


Run = Callable[..., Said]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command in this process."""

    def run(*arguments: str) -> Said:
        capsys.readouterr()
        try:
            code = main(arguments)
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return run


def toolfold(*arguments: str, cwd: Path) -> Said:
    """The command in a process of its own, for what imports generated packages."""
    done = subprocess.run(
        [sys.executable, "-m", "toolfold", *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Said(done.returncode, done.stdout, done.stderr)


NOTICE = "notice: no `implementation` is declared: the tools are described and cannot be called\n"


@pytest.fixture(scope="module")
def generated_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated_once")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    assert main(["generate", "-q", "-m", str(folder / "tools.yaml")]) == 0
    return folder


@pytest.fixture
def project(generated_once: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current project, as the working directory."""
    folder = tmp_path / "project"
    shutil.copytree(generated_once, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, as the working directory."""
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def tree_of(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def add(project: Path, text: str) -> None:
    manifest = project / "tools.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + text, encoding="utf-8")


# Wrong use


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


def test_help_and_version_are_fine(run: Run) -> None:
    assert run("--help").code == 0
    assert run("generate", "--help").code == 0
    assert run("--version").out.startswith("toolfold ")


@pytest.mark.parametrize("is_stderr_closed", [False, True])
@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["check"], ["check", "--diff"], ["check", "--format", "json"], ["wrong"]],
    ids=" ".join,
)
def test_a_reader_that_goes_away_gets_no_complaint(
    arguments: list[str], is_stderr_closed: bool, project: Path
) -> None:
    shutil.rmtree(project / "generated")
    reader, writer = os.pipe()
    os.close(reader)
    environment = {name: v for name, v in os.environ.items() if name != "PYTHONUNBUFFERED"}
    ended = subprocess.run(
        [sys.executable, "-m", "toolfold", *arguments],
        cwd=project,
        env=environment,
        stdout=writer,
        stderr=writer if is_stderr_closed else subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)

    assert ended.returncode in (1, 2)
    assert "Traceback" not in (ended.stderr or "")
    assert "Broken" not in (ended.stderr or "")


@pytest.mark.parametrize("command", ["generate", "check"])
def test_missing_manifest_exits_2_and_says_what_to_do(command: str, empty: Path, run: Run) -> None:
    said = run(command)

    assert (said.code, said.out) == (2, "")
    assert said.err == "toolfold: tools.yaml: no such file; `toolfold init` writes one\n"
    assert tree_of(empty) == {}


def test_manifest_that_is_a_folder_is_named(empty: Path, run: Run) -> None:
    (empty / "tools.yaml").mkdir()

    said = run("generate")

    assert said.code == 2
    assert said.err.startswith("toolfold: tools.yaml: cannot be read: ")


@pytest.mark.parametrize("output", [".", "..", "sub/.."])
def test_output_that_holds_the_manifest_is_refused(output: str, project: Path, run: Run) -> None:
    (project / "sub").mkdir()
    before = tree_of(project)

    said = run("generate", "-o", output)

    assert said.code == 2
    assert "holds the manifest" in said.err
    assert tree_of(project) == before


def test_output_that_is_a_file_is_refused(project: Path, run: Run) -> None:
    (project / "taken").write_text("mine", encoding="utf-8")

    said = run("generate", "-o", "taken")

    assert said.code == 1
    assert said.err.startswith("taken: not a folder")
    assert (project / "taken").read_text(encoding="utf-8") == "mine"


# generate


def test_generate_says_what_it_did(empty: Path, run: Run) -> None:
    (empty / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    first, second = run("generate"), run("generate")

    assert (first.code, second.code) == (0, 0)
    assert first.out.splitlines()[0] == f"generated/: {FILES} written, 0 unchanged"
    assert second.out.splitlines()[0] == f"generated/: 0 written, {FILES} unchanged"
    assert (first.err, second.err) == ("", "")


def test_quiet_generate_says_nothing(project: Path, run: Run) -> None:
    assert run("generate", "--quiet") == Said(0, "", "")


def test_generate_writes_where_it_is_told(project: Path, run: Run) -> None:
    said = run("generate", "-m", str(project / "tools.yaml"), "-o", str(project / "elsewhere"))

    assert said.code == 0
    assert f"elsewhere/: {FILES} written" in said.out
    assert (project / "elsewhere" / "demo_mcp" / "server.py").is_file()


def test_generate_removes_what_it_no_longer_generates(project: Path, run: Run) -> None:
    manifest = project / "tools.yaml"
    manifest.write_text(MANIFEST.replace("find:", "seek:"), encoding="utf-8")

    said = run("generate")

    assert said.out.splitlines()[0].endswith("2 removed")
    assert [path for path in tree_of(project / "generated") if "find" in path] == []


def test_generate_keeps_files_that_are_not_its_own(project: Path, run: Run) -> None:
    notes = project / "generated" / "docs" / "notes.md"
    notes.write_text("my own page", encoding="utf-8")
    add(project, "  two: {category: all, effect: read, summary: Two}\n")

    assert run("generate").code == 0
    assert notes.read_text(encoding="utf-8") == "my own page"


def test_generate_refuses_to_replace_a_foreign_file_and_writes_nothing(
    project: Path, run: Run
) -> None:
    (project / "generated" / "demo_mcp" / "server.py").write_text("mine = 1\n", encoding="utf-8")
    add(project, "  two: {category: all, effect: read, summary: Two}\n")
    before = tree_of(project / "generated")

    said = run("generate")

    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("generated/demo_mcp/server.py: was not generated by toolfold")
    assert tree_of(project / "generated") == before


def test_refused_manifest_leaves_the_output_as_it_was(project: Path, run: Run) -> None:
    before = tree_of(project / "generated")
    add(project, "  two: {category: nowhere, effect: read, summary: Two}\n")

    said = run("generate")

    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("tools.yaml:12:19: tools.two.category: unknown category")
    assert tree_of(project / "generated") == before


def test_warnings_go_to_stderr_and_exit_0(project: Path, run: Run) -> None:
    add(project, FOREIGN)

    said = run("generate")

    assert said.code == 0
    assert "warning: no root type" in said.err
    assert "warning" not in said.out


# check


def test_check_of_a_current_tree_is_quiet(project: Path, run: Run) -> None:
    assert run("check") == Said(0, "", NOTICE)


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
    before = tree_of(project / "generated")

    said = run("check")

    assert said.code == 1
    assert "generated/docs/tools/find.md: out of date (+1 -1)" in said.out
    assert tree_of(project / "generated") == before


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
    assert run("check") == Said(0, "", NOTICE)


def reformat(project: Path, *options: str) -> None:
    """Format the generated Python in another style, as another release of ruff might."""
    from ruff import find_ruff_bin

    before = tree_of(project / "generated")
    subprocess.run(
        [find_ruff_bin(), "format", "--isolated", "--quiet", *options, "generated"],
        cwd=project,
        check=True,
    )
    assert tree_of(project / "generated") != before


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

    assert run("check") == Said(0, "", NOTICE)


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

    assert run("check") == Said(0, "", NOTICE)


# Findings for machines


def test_json_of_a_refused_manifest_parses(project: Path, run: Run) -> None:
    add(project, "  two: {category: nowhere, effect: read, sumary: Two}\n")

    said = run("check", "--format", "json")
    found = json.loads(said.out)

    assert said.code == 1
    assert {problem["severity"] for problem in found} == {"error"}
    assert [(p["file"], p["line"], p["path"]) for p in found] == [
        ("tools.yaml", 12, "tools.two.summary"),
        ("tools.yaml", 12, "tools.two.sumary"),
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


def test_github_without_findings_prints_nothing(project: Path, run: Run) -> None:
    run("generate", "-q")

    assert run("check", "--format", "github") == Said(0, "", "")


def test_github_drift_is_annotated_by_file(project: Path, run: Run) -> None:
    (project / "generated" / "docs" / "index.md").unlink()

    lines = run("check", "--format", "github").out.splitlines()

    assert len(lines) == 1
    assert lines[0].startswith("::error file=generated/docs/index.md,")


# init, try, serve


def test_init_in_an_empty_folder_gives_a_server_that_works(empty: Path) -> None:
    assert toolfold("init", cwd=empty).code == 0
    assert toolfold("generate", cwd=empty).code == 0
    assert toolfold("check", cwd=empty) == Said(0, "", "")

    said = toolfold("try", "hello", '{"name": "Ada", "language": "fr"}', cwd=empty)

    assert (said.code, json.loads(said.out)) == (0, {"greeting": "Bonjour, Ada!"})
    assert said.err == ""


def test_init_says_the_next_command(empty: Path, run: Run) -> None:
    said = run("init", "sub/folder", "--name", "Grüße & more")

    assert said.code == 0
    assert said.out.splitlines()[-1].startswith("next: cd sub/folder && toolfold generate")
    assert "name: gr-e-more" in (empty / "sub/folder/tools.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "name",
    ["mcp", "toolfold", "json", "class", "2024", "docs", "pydantic", "日本", "a" * 100, "-x-"],
)
def test_init_in_a_folder_of_any_name_is_accepted_by_generate(
    name: str, tmp_path: Path, run: Run
) -> None:
    folder = tmp_path / name
    assert run("init", str(folder)).code == 0

    said = run("generate", "-m", str(folder / "tools.yaml"))

    assert (said.code, said.err) == (0, "")


@pytest.mark.parametrize("taken", ["tools.yaml", "implementation.py"])
def test_init_never_overwrites(taken: str, empty: Path, run: Run) -> None:
    (empty / taken).write_text("mine", encoding="utf-8")

    said = run("init")

    assert (said.code, said.out) == (2, "")
    assert taken in said.err
    assert tree_of(empty) == {taken: b"mine"}


def test_init_never_writes_through_a_link(empty: Path, run: Run) -> None:
    (empty / "tools.yaml").symlink_to(empty.parent / "elsewhere.yaml")

    assert run("init").code == 2
    assert not (empty.parent / "elsewhere.yaml").exists()


def test_init_where_a_file_stands_is_wrong_use(empty: Path, run: Run) -> None:
    (empty / "taken").write_text("mine", encoding="utf-8")

    said = run("init", "taken")

    assert said.code == 2
    assert "Traceback" not in said.err


def test_init_points_editors_to_the_schema_it_wrote(empty: Path, run: Run) -> None:
    run("init")
    line = (empty / "tools.yaml").read_text(encoding="utf-8").splitlines()[0]
    prefix = "# yaml-language-server: $schema="

    assert line.startswith(prefix)
    schema = json.loads((empty / line.removeprefix(prefix)).read_text(encoding="utf-8"))
    assert schema == json.loads(run("schema").out)


@pytest.fixture(scope="module")
def working(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What `init` and `generate` made, for tests that only call it."""
    folder = tmp_path_factory.mktemp("working")
    assert main(["init", str(folder), "--name", "working"]) == 0
    assert main(["generate", "-q", "-m", str(folder / "tools.yaml")]) == 0
    return folder


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["hello", '{"nme": "Ada"}'], 1, ["invalid_arguments", "name", "hello(name: str"]),
        (["helo", "{}"], 1, ["unknown_tool", "Nearest: hello"]),
        (["capabilities"], 0, ['"hello(name: str']),
        (["capabilities", '{"detail": "names"}'], 0, ['"hello"']),
        (["tool_schema", '{"tool": "hello"}'], 0, ['"language"']),
        (["tool_schema", "{}"], 1, ["invalid_arguments", "tool"]),
        (["hello", "{nope"], 2, ["the arguments are not JSON"]),
        (["hello", "[]"], 2, ["not a JSON object"]),
    ],
)
def test_try_answers_as_the_server_would(
    arguments: list[str], code: int, words: list[str], working: Path
) -> None:
    said = toolfold("try", *arguments, cwd=working)

    assert said.code == code, said.err
    assert [word for word in words if word not in said.out + said.err] == []
    assert (said.err if code == 2 else said.out) != ""
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", [["serve"], ["try", "hello"]])
def test_using_what_was_not_generated_says_so(command: list[str], empty: Path) -> None:
    said = toolfold(*command, cwd=empty)

    assert said.code == 2
    assert "run `toolfold generate` first" in said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (None, "no module implementation"),
        ("class Other: ...\n", "implementation has no Tools"),
        ("class Tools(\n", "implementation.py"),
        ("import nothing_like_it\n", "nothing_like_it"),
        ("class Tools:\n    def __init__(self) -> None:\n        raise OSError('disk')\n", "disk"),
    ],
)
def test_implementation_that_cannot_be_had_is_named(
    text: str | None, words: str, working: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(working, folder)
    (folder / "implementation.py").unlink()
    if text is not None:
        (folder / "implementation.py").write_text(text, encoding="utf-8")

    said = toolfold("try", "hello", '{"name": "Ada"}', cwd=folder)

    assert said.code == 2
    assert words in said.err
    assert "bug in toolfold" not in said.err


def test_calling_a_tool_without_implementation_says_so(generated_once: Path) -> None:
    said = toolfold("try", "find", '{"query": "x"}', cwd=generated_once)

    assert said.code == 1
    assert said.out.startswith("backend_failed: find has no implementation here")
