"""`check --types`: what a type checker finds, as problems with a place."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support import checker
from tests.support.commands import Result, program, toolfold

MANIFEST: Final = """\
toolfold: 1
server: {name: typed, version: "1", implementation: "inner.tools:Tools"}
categories: {all: {}}
tools:
  find:
    category: all
    effect: read
    summary: Find
    parameters: {query: {type: string, required: true}}
    returns: {type: object, properties: {id: {type: string}}, required: [id]}
"""
START: Final = "from typed_mcp.models.find import FindParams, FindResult\n\n\n"
RIGHT: Final = """\
class Tools:
    def find(self, params: FindParams) -> FindResult:
        return FindResult(id=params.query)
"""
#: A pyright that finds what it is told to: the tests have no Node.js of its kind.
PYRIGHT: Final = """\
#!{python}
import json, os, sys
assert any(part.endswith("generated") for part in os.environ["PYTHONPATH"].split(os.pathsep))
where = {{"start": {{"line": 1, "character": 4}}}}
finding = {{"file": sys.argv[-2], "severity": "error", "message": "not\\n  so", "range": where}}
print(json.dumps({{"generalDiagnostics": [finding, finding | {{"severity": "warning"}}]}}))
sys.exit(1)
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("typed")
    (folder / "tools.yaml").write_text(MANIFEST, encoding="utf-8")
    assert toolfold(folder, "generate", "-q").code == 0
    return folder


@pytest.fixture(autouse=True)
def _cache(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with checker.cache("check") as environment:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        yield


def checked(folder: Path, text: str, *options: str) -> Result:
    (folder / "inner" / "tools.py").write_text(text, encoding="utf-8")
    return toolfold(folder, "check", "--types", *options)


def test_findings_of_mypy_are_problems_with_their_place(typed: Path) -> None:
    right = checked(typed, START + RIGHT)
    wrong = checked(typed, START + RIGHT.replace("params.query", "params.qery"), "--format", "json")

    assert right == Result(0, "", "")
    (problem,) = json.loads(wrong.out)
    assert wrong.code == 1
    assert (problem["file"], problem["line"], problem["column"]) == ("inner/tools.py", 6, 30)
    assert problem["code"] == "types"
    assert problem["fact"].startswith('"FindParams" has no attribute "qery"')


def test_the_class_is_held_to_the_protocol_though_it_does_not_derive_from_it(typed: Path) -> None:
    wrong = RIGHT.replace("-> FindResult", "-> dict[str, str]").replace(
        "FindResult(id=params.query)", "{'id': params.query}"
    )

    said = checked(typed, START + wrong)

    assert said.code == 1
    assert said.err.startswith("inner/tools.py:4:1: Tools: Incompatible types in assignment")
    assert "Got:; def find(self, params: FindParams) -> dict[str, str]" in said.err


def test_what_is_reported_already_is_not_reported_again(typed: Path) -> None:
    said = checked(
        typed, START + RIGHT.replace("params: FindParams", "params: str"), "--format", "json"
    )

    assert [(p["line"], p["code"]) for p in json.loads(said.out)] == [
        (5, "implementation"),
        (6, "types"),  # a string has no `query`
    ]


def without_mypy(typed: Path, path: str) -> Result:
    """The command where mypy is not installed, with these programs on the path."""
    code = (
        "import sys; from importlib.machinery import PathFinder as p; real = p.find_spec\n"
        "p.find_spec = lambda name, *a: None if name in ('mypy', 'pyright') else real(name, *a)\n"
        "from toolfold.cli.main import main; sys.exit(main(['check', '--types']))"
    )
    (typed / "inner" / "tools.py").write_text(START + RIGHT, encoding="utf-8")
    return program(typed, code, environment={"PATH": path})


def test_without_a_checker_the_command_says_how_to_get_one(typed: Path, tmp_path: Path) -> None:
    said = without_mypy(typed, str(tmp_path))

    assert said == Result(2, "", "toolfold: no type checker is installed here: pip install mypy\n")


@pytest.mark.skipif(sys.platform == "win32", reason="a script with a first line that names Python")
def test_pyright_serves_where_mypy_is_not_installed(typed: Path, tmp_path: Path) -> None:
    program = tmp_path / "pyright"
    program.write_text(PYRIGHT.format(python=sys.executable), encoding="utf-8")
    program.chmod(0o755)
    found = without_mypy(typed, str(tmp_path))
    program.write_text(f"#!{sys.executable}\nraise SystemExit('no network')\n", encoding="utf-8")
    failed = without_mypy(typed, str(tmp_path))

    assert found.code == 1
    assert found.err.startswith("inner/tools.py:2:5: not so\n")
    assert failed.code == 2
    assert failed.err.startswith("toolfold: pyright failed: no network; try `pyright --version`")


def test_files_of_the_project_are_not_taken_for_the_checker(typed: Path) -> None:
    for name in ("mypy.py", "tomllib.py"):
        (typed / name).write_text("raise SystemExit(0)\n", encoding="utf-8")
    (typed / "inner" / "tools.py").write_text(START + RIGHT.replace("-> ", "-> int | ", 1))
    try:
        said = toolfold(typed, "check", "--types")
    finally:
        (typed / "mypy.py").unlink()
        (typed / "tomllib.py").unlink()

    assert said.code == 1
