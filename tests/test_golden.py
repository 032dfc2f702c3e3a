"""One folder of `golden/` is one case; its name is the sentence that the case proves.

A case is a `tools.yaml` (with whatever it includes), and what the compiler says to it: some files
of the output in `expected/` and, where there are warnings, `warnings.txt`; or `stderr.txt` for a
manifest that is refused.

Most cases hold only the files that prove their sentence, and exactly those are compared. A few rich
ones hold the whole output and are marked by an empty file `whole_tree`: there the set of paths is
compared too. Together they have every kind of file.

Adding a case adds no Python: write the manifest and run `pytest --update-golden`, which writes
everything; delete what the sentence is not about and read the rest. From then on
`--update-golden` rewrites the files that are there.
"""

import difflib
from collections import Counter
from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from typing import Final

import pytest

from tests.support.checker import strictly_checked
from tests.support.commands import python
from tests.support.golden import (
    ACCEPTED,
    CASES,
    GOLDEN,
    REFUSED,
    TEXTS,
    WHOLE_TREES,
    compiled,
    golden_files,
    write_packages,
)

_ROOT: Final = Path(__file__).parents[1]
_LARGE: Final = 1_000  # bytes
#: Folders whose files are named after what the manifest names.
_NAMED: Final = frozenset({"categories", "definitions", "models", "tools"})


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, pytestconfig: pytest.Config) -> None:
    output = compiled(case)
    if pytestconfig.getoption("--update-golden"):
        _update(case, output)
    expected = golden_files(case)
    compared = output if case in WHOLE_TREES else _named_by(expected, output)

    assert expected, f"nothing expected of {case} yet: run pytest --update-golden and read it"
    assert sorted(compared) == sorted(expected), "the set of paths differs"
    differences = [_diff(path, expected[path], compared[path]) for path in sorted(compared)]
    assert not any(differences), "\n" + "".join(differences)


def test_golden_covers_manifests_accepted_and_refused() -> None:
    assert len(REFUSED) >= 30
    assert len(ACCEPTED) >= 15


def test_few_cases_hold_whole_trees_and_together_every_kind_of_file() -> None:
    assert 3 <= len(WHOLE_TREES) <= 5
    kinds = {kind for case in WHOLE_TREES for kind in _kinds(golden_files(case))}
    assert {kind for case in ACCEPTED for kind in _kinds(compiled(case))} == kinds


def test_no_other_case_holds_a_copy_of_a_large_file() -> None:
    texts = [(case, path, text) for case in CASES for path, text in golden_files(case).items()]
    copies = Counter(text for _, _, text in texts)

    assert [
        f"{case}/{path}"
        for case, path, text in texts
        if len(text) > _LARGE and copies[text] > 1 and case not in WHOLE_TREES
    ] == []


def test_golden_files_are_never_rewritten_in_ci() -> None:
    command = ("-m", "pytest", "--update-golden", "--collect-only", "-q", __file__)

    done = python(_ROOT, *command, environment={"CI": "true"})

    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "does not run in CI" in done.err


def test_golden_packages_pass_strict_type_checking(tmp_path: Path) -> None:
    packages = write_packages(tmp_path)

    done = strictly_checked(tmp_path, *packages)

    assert done.code == 0, done.text


def _named_by(expected: Mapping[str, str], output: Mapping[str, str]) -> dict[str, str]:
    """The part of the output that a case holds; messages always belong to it."""
    return {path: text for path, text in output.items() if path in expected or path in TEXTS}


def _kinds(paths: Mapping[str, str]) -> set[str]:
    """What files are for, whatever the manifest's own names are."""
    kinds = set()
    for path in map(PurePosixPath, paths):
        parts = ["package" if part.endswith("_mcp") else part for part in path.parts[:-1]]
        is_named = parts[-1:] and parts[-1] in _NAMED and path.name != "__init__.py"
        kinds.add("/".join([*parts, path.suffix if is_named else path.name]))
    return kinds - set(TEXTS)


def _update(case: str, output: Mapping[str, str]) -> None:
    before = golden_files(case)
    is_partial = bool(before) and case not in WHOLE_TREES
    after = _named_by(before, output) if is_partial else output
    lost = sorted(before.keys() - after.keys() - set(TEXTS))
    assert not (is_partial and lost), f"no longer generated, delete or replace by hand: {lost}"
    if after == before:
        return
    for path in before.keys() - after.keys():
        (GOLDEN / case / path).unlink()
    for path, text in after.items():
        target = GOLDEN / case / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def _diff(path: str, expected: str, actual: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(keepends=True),
        actual.splitlines(keepends=True),
        f"{path} (golden)",
        f"{path} (now)",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
