"""One folder of `golden/` is one case; its name is the sentence that the case proves.

A case is a `tools.yaml` (with whatever it includes), and what the compiler says to it: `expected/`
and, where there are warnings, `warnings.txt`; or `stderr.txt` for a manifest that is refused.
Adding a case adds no Python: write the manifest, run `pytest --update-golden`, read the result.
"""

import difflib
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from toolfold.compile import compile_manifest
from toolfold.errors import ManifestError
from toolfold.report import report

GOLDEN = Path(__file__).parent / "golden"
CASES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
TEXTS = ("stderr.txt", "warnings.txt")


@pytest.mark.parametrize("case", CASES)
def test_golden(case: str, monkeypatch: pytest.MonkeyPatch, pytestconfig: pytest.Config) -> None:
    folder = GOLDEN / case
    monkeypatch.chdir(folder)
    said = _said_by_compiler()

    if pytestconfig.getoption("--update-golden"):
        _update(folder, said)
    expected = _kept(folder)

    assert expected, f"nothing expected of {case} yet: run pytest --update-golden and read it"
    assert sorted(said) == sorted(expected), "the set of paths differs"
    differences = [_diff(path, expected[path], said[path]) for path in sorted(said)]
    assert not any(differences), "\n" + "".join(differences)


def test_golden_covers_manifests_accepted_and_refused() -> None:
    refused = [case for case in CASES if (GOLDEN / case / "stderr.txt").is_file()]

    assert len(refused) >= 30
    assert len(CASES) - len(refused) >= 15


def test_golden_files_are_never_rewritten_in_ci() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--update-golden", "--collect-only", "-q", __file__],
        env=os.environ | {"CI": "true"},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "does not run in CI" in done.stderr


def test_golden_packages_pass_strict_type_checking(tmp_path: Path) -> None:
    names: list[str] = []
    for case in CASES:
        package = GOLDEN / case / "expected" / "demo_mcp"
        if package.is_dir():
            names.append(f"case_{len(names)}_mcp")
            shutil.copytree(package, tmp_path / names[-1])
    command = [
        sys.executable,
        "-m",
        "mypy",
        "--strict",
        "--config-file=",
        f"--cache-dir={tmp_path}/.c",
    ]

    done = subprocess.run(
        [*command, *names], cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr


def _said_by_compiler() -> dict[str, str]:
    """All that the public path answers to the manifest here, by the path that keeps it."""
    try:
        compiled = compile_manifest(Path("tools.yaml"))
    except ManifestError as error:
        return {"stderr.txt": report(error.problems) + "\n"}
    said = {f"expected/{path}": text for path, text in compiled.files.items()}
    if compiled.warnings:
        said["warnings.txt"] = report(compiled.warnings) + "\n"
    return said


def _kept(folder: Path) -> dict[str, str]:
    files = [path for path in (folder / "expected").rglob("*") if path.is_file()]
    files += [folder / name for name in TEXTS if (folder / name).is_file()]
    # Bytes, so that a line end is what it is on every platform.
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


def _update(folder: Path, said: Mapping[str, str]) -> None:
    if _kept(folder) == said:
        return
    shutil.rmtree(folder / "expected", ignore_errors=True)
    for name in TEXTS:
        (folder / name).unlink(missing_ok=True)
    for path, text in said.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def _diff(path: str, expected: str, said: str) -> str:
    lines = difflib.unified_diff(
        expected.splitlines(keepends=True),
        said.splitlines(keepends=True),
        f"{path} (golden)",
        f"{path} (now)",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
