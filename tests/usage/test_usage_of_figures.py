"""What bench programs measure is no usage of the user's."""

import ast
from pathlib import Path
from typing import Final

import pytest

from bench.all import PROGRAMS
from tests.support.commands import program
from tests.support.projects import ROOT

_BENCH: Final = ROOT / "bench"
_SHOWN: Final = "import os, bench.measure; print(os.environ['TOOLFOLD_USAGE'])"


def imported(name: str) -> set[str]:
    """The modules of `bench` that one of them imports, and those that they import."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        tree = ast.parse((_BENCH / f"{waiting.pop()}.py").read_text(encoding="utf-8"))
        modules = {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
        bench_modules = {
            module.removeprefix("bench.") for module in modules if module.startswith("bench.")
        }
        waiting += sorted(bench_modules - found)
        found |= bench_modules
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_has_its_calls_counted_apart(name: str) -> None:
    assert "measure" in imported(name)


def test_what_counts_them_apart_is_gone_afterwards(tmp_path: Path) -> None:
    database = str(tmp_path / "mine.db")
    done = program(ROOT, _SHOWN, environment={"TOOLFOLD_USAGE": database})
    place = Path(done.out.strip())

    assert done.code == 0, done.err
    assert place.name == "usage.db"
    assert str(place) != database
    assert not place.parent.exists()
