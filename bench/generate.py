"""Figures of generation: cold, after one edit, unchanged, large; against the bare model generator.

The other side is one call of datamodel-code-generator for the same tools' schemas, and one ruff
pass over its output.
"""

import argparse
import compileall
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

from bench.catalogs import draw
from bench.measure import Cost, Figure, figure, peak_of_tree, python, ratio, run

HERE = Path(__file__).parent
NUMBERS = count(1)
#: A tool that refers to ten definitions.
SHARED = "shared_definitions"
QUOTES = "\"'"


class Sample:
    """A number of real tools, imported once; each run uses a fresh copy of the manifest's folder."""

    def __init__(self, size: int, folder: Path) -> None:
        self.folder = folder / f"sample-{size}"
        self.folder.mkdir()
        self.listed = draw(size, self.folder)
        run(python("-m", "toolfold", "import", "tools", str(self.listed)), self.folder)

    def fresh(self) -> Path:
        """A project that was never generated.

        A new folder each time: a file system may be slow to create what was just deleted.
        """
        project = self.folder.parent / f"project-{next(NUMBERS)}"
        project.mkdir()
        shutil.copy(self.folder / "tools.yaml", project)
        return project

    def cold(self) -> Cost:
        """Generate without earlier output."""
        return generate(self.fresh())


def generate(project: Path) -> Cost:
    """Generate the project without changes."""
    return run(python("-m", "toolfold", "generate", "-q"), project)


def check(project: Path) -> Cost:
    """Check the project without changes."""
    return run(python("-m", "toolfold", "check"), project)


def edit_text(project: Path) -> None:
    """Change the summary of a tool in the middle."""
    manifest = project / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    needle = "    summary: "
    start = text.index(needle, len(text) // 2) + len(needle)
    end = text.index("\n", start)
    added = f"Words of edit {next(NUMBERS)}"
    manifest.write_text(text[:start] + added + text[end:], encoding="utf-8")


def edit(project: Path) -> None:
    """Give a tool in the middle one more parameter."""
    manifest = project / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    needle = "      properties:\n"
    at = text.index(needle, len(text) // 2) + len(needle)
    added = f'        added_{next(NUMBERS)}: {{"type": "string"}}\n'
    manifest.write_text(text[:at] + added + text[at:], encoding="utf-8")


def edited(project: Path, change: Callable[[Path], None]) -> Cost:
    """Generate after an edit."""
    change(project)
    return generate(project)


def add_definitions(project: Path) -> None:
    """Add a tool whose parameters refer to ten definitions of eight properties each."""
    formats: tuple[dict[str, Any], ...] = (
        {},
        {"format": "date-time"},
        {"format": "uuid"},
        {"minLength": 1},
    )
    definitions = {
        f"Shared{number}": {
            "type": "object",
            "properties": {f"p{n}": {"type": "string", **formats[n % 4]} for n in range(8)},
        }
        for number in range(10)
    }
    tool = {
        "effect": "read",
        "summary": "Shared definitions",
        "parameters": {f"a{n}": {"$ref": f"#/$defs/Shared{n}"} for n in range(10)},
    }
    manifest = project / "tools.yaml"
    text = manifest.read_text(encoding="utf-8")
    category = re.search(r"^    category: (.*)$", text, re.MULTILINE)
    assert category is not None
    text += f"  {SHARED}: {json.dumps(tool | {'category': category[1].strip(QUOTES)})}\n"
    manifest.write_text(f"{text}$defs: {json.dumps(definitions)}\n", encoding="utf-8")


def side_by_side(listed: Path, target: Path) -> None:
    """The tools' own schemas in one document, their references made to lead into it."""
    definitions: dict[str, Any] = {}
    for number, tool in enumerate(json.loads(listed.read_bytes())["tools"]):
        for role in ("inputSchema", "outputSchema"):
            if role in tool:
                name = f"Tool{number}{role.capitalize()}"
                definitions[name] = _moved(tool[role], f"#/$defs/{name}")
    target.write_text(json.dumps({"$defs": definitions}), encoding="utf-8")


def _moved(value: Any, root: str) -> Any:
    if isinstance(value, list):
        return [_moved(item, root) for item in value]
    if not isinstance(value, dict):
        return value
    moved = {key: _moved(item, root) for key, item in value.items() if key != "$schema"}
    if isinstance(moved.get("$ref"), str) and moved["$ref"].startswith("#"):
        moved["$ref"] = root + moved["$ref"][1:]
    if moved.get("format") == "email":
        del moved["format"]  # would import a package that is not there
    return moved


def figures(pairs: int, folder: Path) -> Iterator[Figure]:
    """All figures of the issue, one after the other."""
    small = Sample(1000, folder)
    side_by_side(small.listed, folder / "schemas.json")
    bare_command = python(str(HERE / "baseline_models.py"), "schemas.json", "models.py")

    def bare() -> Cost:
        return run(bare_command, folder)

    runs = [(small.cold(), bare()) for _ in range(pairs)]
    cpu, wall = ([f(ours) / f(theirs) for ours, theirs in runs] for f in (_cpu, _wall))
    yield figure("generate: cold, 1,000 tools, CPU / bare model generator", cpu, 1.5)
    yield figure("generate: the same, wall", wall, 1.0)
    project = small.fresh()
    generate(project)
    yield ratio(
        "generate: one tool of 1,000 edited, CPU / cold",
        lambda: edited(project, edit),
        small.cold,
        0.40,
        pairs,
    )
    few = Sample(16, folder)
    sixteen = few.fresh()
    generate(sixteen)
    yield ratio(
        "generate: a text edit of one tool of 16, CPU / cold",
        lambda: edited(sixteen, edit_text),
        few.cold,
        0.60,
        pairs,
    )
    yield ratio(
        "generate: check, nothing changed, 1,000 tools, CPU / cold",
        lambda: check(project),
        small.cold,
        0.10,
        pairs,
    )
    large = Sample(5000, folder)
    yield ratio("generate: 5,000 / 1,000 tools, cold, CPU", large.cold, small.cold, 5.5, pairs)
    project = large.fresh()
    add_definitions(project)
    peak = peak_of_tree(python("-m", "toolfold", "generate", "-q"), project)
    yield figure("generate: peak memory, 5,000 tools, all processes", [peak], 800, " MB")
    first = python(str(HERE / "first_call.py"), str(project))
    firsts = [float(run(first, project).output) for _ in range(pairs)]
    yield figure("generate: first call of one of 5,000, CPU beyond a second", firsts, 30, " ms")
    # As Python leaves them after the first start, which this machine may be told not to do.
    models = project / "generated" / "drawn_mcp" / "models"
    compileall.compile_dir(models / "definitions", quiet=1)
    compileall.compile_file(models / f"{SHARED}.py", quiet=1)
    shared = [float(run([*first, SHARED], project).output) for _ in range(pairs)]
    yield figure("generate: the same, of a tool with ten definitions", shared, 30, " ms")


def _cpu(cost: Cost) -> float:
    return cost.cpu


def _wall(cost: Cost) -> float:
    return cost.wall


def sizes(folder: Path) -> None:
    """CPU and wall of a cold run by number of tools, for the reader."""
    print(f"{'tools':>8} {'CPU s':>8} {'wall s':>8}")
    for size in (16, 100, 1000, 5000):
        cost = Sample(size, folder).cold()
        print(f"{size:>8} {cost.cpu:>8.2f} {cost.wall:>8.2f}")


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOOLFOLD_CACHE"] = f"{folder}/cache"  # not the user's
        for measured in figures(options.pairs, Path(folder)):
            print(measured.row(), flush=True)
            missed += not measured.is_met
        apart = Path(folder, "sizes")
        apart.mkdir()
        sizes(apart)
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
