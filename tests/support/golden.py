"""The golden cases, and what the compiler answers to each."""

import contextlib
import functools
from pathlib import Path
from typing import Final

from toolfold.compile import compile_manifest
from toolfold.errors import ManifestError
from toolfold.report import report

GOLDEN: Final = Path(__file__).parents[1] / "golden"
CASES: Final = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
REFUSED: Final = [case for case in CASES if (GOLDEN / case / "stderr.txt").is_file()]
ACCEPTED: Final = sorted(set(CASES) - set(REFUSED))
WHOLE_TREES: Final = [case for case in CASES if (GOLDEN / case / "whole_tree").is_file()]
TEXTS: Final = ("stderr.txt", "warnings.txt")


@functools.cache
def compiled(case: str) -> dict[str, str]:
    """Everything the compiler makes of a case: files and messages by their path in its folder."""
    with contextlib.chdir(GOLDEN / case):  # messages name files as the user would
        try:
            result = compile_manifest(Path("tools.yaml"))
        except ManifestError as error:
            return {"stderr.txt": report(error.problems) + "\n"}
    texts = {f"expected/{path}": text for path, text in result.files.items()}
    if result.summary.warnings:
        texts["warnings.txt"] = report(result.summary.warnings) + "\n"
    return texts


def golden_files(case: str) -> dict[str, str]:
    """The files and messages that a case holds, by their path in its folder."""
    folder = GOLDEN / case
    paths = [path for path in (folder / "expected").rglob("*") if path.is_file()]
    paths += [folder / name for name in TEXTS if (folder / name).is_file()]
    # Bytes, so that a line end is what it is on every platform.
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in paths}


def write_packages(folder: Path) -> list[str]:
    """The whole Python package of every accepted case below `folder`; their names."""
    packages = []
    for number, case in enumerate(ACCEPTED):
        package = f"case_{number}_mcp"
        for path, text in compiled(case).items():
            _, name, *rest = Path(path).parts if "/" in path else ("", "")
            if name.endswith("_mcp"):
                target = folder.joinpath(package, *rest)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(text, encoding="utf-8", newline="\n")
        packages.append(package)
    return packages
