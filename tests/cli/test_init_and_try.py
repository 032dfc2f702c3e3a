"""`init`, `try` and `serve`: from an empty folder to a call."""

import json
import shutil
from pathlib import Path

import pytest

from tests.cli.material import Run
from tests.support.commands import Result, toolfold, toolfold_process
from tests.support.projects import files_in, generate


def test_init_in_an_empty_folder_gives_a_server_that_works(empty: Path) -> None:
    assert toolfold_process(empty, "init").code == 0
    assert toolfold_process(empty, "generate").code == 0
    assert toolfold_process(empty, "check") == Result(0, "", "")

    said = toolfold_process(empty, "try", "hello", '{"name": "Ada", "language": "fr"}')

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
    assert files_in(empty) == {taken: b"mine"}


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
    assert toolfold(folder, "init", "--name", "working").code == 0
    generate(folder, "--quiet")
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
    said = toolfold_process(working, "try", *arguments)

    assert said.code == code, said.err
    assert [word for word in words if word not in said.out + said.err] == []
    assert (said.err if code == 2 else said.out) != ""
    assert "Traceback" not in said.err


@pytest.mark.parametrize("command", [["serve"], ["try", "hello"]])
def test_using_what_was_not_generated_says_so(command: list[str], empty: Path) -> None:
    said = toolfold_process(empty, *command)

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

    said = toolfold_process(folder, "try", "hello", '{"name": "Ada"}')

    assert said.code == 2
    assert words in said.err
    assert "bug in toolfold" not in said.err


def test_calling_a_tool_without_implementation_says_so(generated_once: Path) -> None:
    said = toolfold_process(generated_once, "try", "find", '{"query": "x"}')

    assert said.code == 1
    assert said.out.startswith("backend_failed: find has no implementation here")
