"""Figures of generation: cold, after one edit, unchanged, large; against the bare model generator.

The other side is one call of datamodel-code-generator for all the classes that we ask it for,
and one ruff pass over its output.
"""

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from catalogs import draw
from measure import Cost, Figure, figure, peak_of_tree, python, ratio, run

BASELINE = Path(__file__).with_name("baseline_models.py")
FIRST_CALL = Path(__file__).with_name("first_call.py")


def prepare(count: int, folder: Path) -> Path:
    """A project of `count` real tools in `folder`, imported, not yet generated."""
    project = folder / str(count)
    project.mkdir()
    listed = draw(count, project)
    run(python("-m", "toolfold.cli", "import", "tools", str(listed)), project)
    return project


def cold(project: Path) -> Cost:
    """Generate with nothing there."""
    shutil.rmtree(project / "generated", ignore_errors=True)
    shutil.rmtree(project / ".toolfold_cache", ignore_errors=True)
    return generate(project)


def generate(project: Path) -> Cost:
    """Generate as it is."""
    return run(python("-m", "toolfold.cli", "generate", "-q"), project)


def check(project: Path) -> Cost:
    """Check as it is."""
    return run(python("-m", "toolfold.cli", "check"), project)


def edited(project: Path) -> Cost:
    """Generate after one tool got another parameter."""
    manifest = project / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    number = edited.__dict__.setdefault("number", 0) + 1
    edited.__dict__["number"] = number
    needle = "      properties:\n"
    at = text.index(needle, len(text) // 2) + len(needle)
    added = f'        added_{number}: {{"type": "string"}}\n'
    manifest.write_text(text[:at] + added + text[at:], encoding="utf-8")
    cost = generate(project)
    manifest.write_text(text, encoding="utf-8")
    return cost


def figures(pairs: int, folder: Path) -> Iterator[Figure]:
    """All figures of the issue, one after the other."""
    small = prepare(1000, folder)
    modelled = python(str(BASELINE), str(small / "tools.yaml"), str(folder / "baseline"))
    classes = run([*modelled, "--prepare"], small)
    del classes

    def bare() -> Cost:
        return run(modelled, small)

    yield ratio("cold, 1,000 tools, CPU / bare generator", lambda: cold(small), bare, 1.5, pairs)
    wall = ratio(
        "cold, 1,000 tools, wall / bare generator",
        lambda: cold(small),
        bare,
        1.0,
        pairs,
        what=lambda cost: cost.wall,
    )
    yield wall
    colds = [cold(small).cpu for _ in range(3)]
    reference = sorted(colds)[1]
    edits = [edited(small).cpu / reference for _ in range(pairs)]
    yield figure("one tool of 1,000 edited, CPU / cold", edits, 0.10)
    generate(small)
    checks = [check(small).cpu / reference for _ in range(pairs)]
    yield figure("check, nothing changed, 1,000 tools, CPU / cold", checks, 0.10)
    large = prepare(5000, folder)
    some = max(3, pairs // 3)
    yield ratio(
        "5,000 / 1,000 tools, cold, CPU", lambda: cold(large), lambda: cold(small), 5.5, some
    )
    shutil.rmtree(large / "generated")
    shutil.rmtree(large / ".toolfold_cache")
    peak = peak_of_tree(python("-m", "toolfold.cli", "generate", "-q"), large)
    yield figure("peak memory, 5,000 tools, all processes", [peak], 800, " MB")
    firsts = [float(run(python(str(FIRST_CALL), str(large)), large).output) for _ in range(pairs)]
    yield figure("first call of one of 5,000 tools, CPU beyond a second", firsts, 30, " ms")


def sizes(folder: Path) -> None:
    """CPU and wall of a cold run by number of tools, for the reader."""
    print(f"{'tools':>8} {'CPU s':>8} {'wall s':>8}")
    for count in (16, 100, 1000, 5000):
        project = folder / str(count)
        cost = cold(project if project.exists() else prepare(count, folder))
        print(f"{count:>8} {cost.cpu:>8.2f} {cost.wall:>8.2f}")


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9)
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for found in figures(options.pairs, Path(folder)):
            print(found.row(), flush=True)
            missed += not found.is_met
        sizes(Path(folder))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
