"""Figures of the site and the edit loop: against Material for MkDocs, and against `generate`."""

import argparse
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, Final

from bench.catalogs import CATALOGS
from bench.generate import Sample, edit, generate
from bench.measure import Cost, Figure, figure, python, ratio, run
from tests.clients.node import INSTALLED
from tests.site.browser import started
from tests.site.material import check_links, served, visiting

ROOT: Final = Path(__file__).parents[1]
NUMBERS: Final = count(1)
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_SAMPLE: Final = 60  # pages of the large site that a browser visits


def figures(pairs: int, folder: Path) -> Iterator[Figure]:
    """All figures of the issue, one after the other."""
    tana, large = _tana(folder), _large(folder)
    yield from _sound("Tana", tana / "site")
    yield from _sound("1,641 tools", large / "site")
    yield figure("site: axe, serious or critical, three pages, two schemes", [_axe(tana)], 0)

    def material() -> Cost:
        return run(python("-m", "mkdocs", "build", "--quiet"), _copy(large) / "generated")

    def ours() -> Cost:
        return run(python("-m", "toolfold", "docs", "build"), _copy(large))

    def emitted() -> Cost:
        cpu = float(run(python("-m", "bench.emit_pages", str(large)), ROOT).output)
        return Cost(cpu, cpu, 0)

    # Expensive, hence few pairs; both figures are far from their limits.
    few = max(3, pairs // 3)
    yield ratio("site: Markdown of 1,641 tools, CPU / Material", emitted, material, 0.2, few)
    yield ratio("site: build of 1,641 tools, CPU / Material", ours, material, 0.7, few)
    yield _hooks()
    yield _watched(pairs, folder)
    yield _tests("site: the README followed to its end, blocks that fail", "tests/test_readme.py")


def _tana(folder: Path) -> Path:
    project = folder / "tana"
    project.mkdir()
    shutil.copy(ROOT / "tools.yaml", project)
    _built(project)
    return project


def _large(folder: Path) -> Path:
    project = folder / "large"
    project.mkdir()
    run(
        python("-m", "toolfold", "import", "tools", str(CATALOGS / "mcp-servers.json")),
        project,
    )
    _built(project)
    return project


def _built(project: Path) -> None:
    generate(project)
    run(python("-m", "toolfold", "docs", "build"), project)


def _copy(project: Path) -> Path:
    """The project without its site, in a new folder; deleting is slow, and not what is measured."""
    copy = project.parent / f"copy-{next(NUMBERS)}"
    shutil.copytree(project, copy, ignore=shutil.ignore_patterns("site"))
    # What is known of the last run names the files by their path.
    generate(copy)
    return copy


def _sound(name: str, site: Path) -> Iterator[Figure]:
    found = check_links(site)
    yield figure(f"site: {name}: broken links and orphans", [_all(found.broken, found.orphans)], 0)
    complaints = _complaints(site)
    elsewhere = [one for one in complaints if one.startswith("another host")]
    yield figure(f"site: {name}: requests to other hosts", [float(len(elsewhere))], 0)
    yield figure(f"site: {name}: console errors", [float(len(complaints) - len(elsewhere))], 0)


def _all(*lists: list[str]) -> float:
    for texts in lists:
        print(*(f"  {text}\n" for text in texts[:5]), sep="", end="")
    return float(sum(map(len, lists)))


def _complaints(site: Path) -> list[str]:
    """What a browser minds on the pages, or on a sample spread over them."""
    pages = sorted(path.relative_to(site).as_posix() for path in site.rglob("*.html"))
    step = max(1, len(pages) // _SAMPLE)
    with served(site) as base, started() as browser, visiting(base, browser) as visit:
        for page in {*pages[::step], "index.html", "tokens.html", "agents.html"}:
            visit.open(page)
    return visit.complaints


def _axe(project: Path) -> float:
    axe = (INSTALLED / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
    found = 0
    with served(project / "site") as base, started() as browser:
        for scheme in ("light", "dark"):
            with visiting(base, browser, color_scheme=scheme) as visit:
                for path in ("index.html", "categories/query.html", "tools/tana_create.html"):
                    page = visit.open(path)
                    page.evaluate(axe)
                    answer = page.evaluate("axe.run().then(answer => answer.violations)")
                    found += sum(one["impact"] in ("serious", "critical") for one in answer)
    return float(found)


def _hooks() -> Figure:
    name = "site: hooks, runners with a wrong answer in one of the situations"
    return _tests(name, "tests/hooks/test_hooks.py", "-k", "rightly")


def _tests(name: str, *arguments: str) -> Figure:
    """How many of some tests fail."""
    command = python("-m", "pytest", "-q", "-n", "0", *arguments)
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    failed = done.stdout.count("\nFAILED ") + done.stdout.count("\nERROR ")
    if done.returncode != 0 and not failed:
        raise SystemExit(done.stdout + done.stderr)
    return figure(name, [float(failed)], 0)


def _watched(pairs: int, folder: Path) -> Figure:
    sample = Sample(1000, folder)
    watched, generated = sample.fresh(), sample.fresh()
    generate(generated)
    with _watching(watched) as save:
        save()  # the first one after the start is no rule

        def saved() -> Cost:
            cpu = save()
            return Cost(cpu, cpu, 0)

        def anew() -> Cost:
            edit(generated)
            return generate(generated)

        name = "site: a save of 1,000 tools under --watch, CPU / generate"
        return ratio(name, saved, anew, 0.8, pairs)


@contextmanager
def _watching(project: Path) -> Iterator[Callable[[], float]]:
    """A function that edits the manifest and gives the CPU of the watcher until it is written."""
    process = subprocess.Popen(
        python("-m", "toolfold", "generate", "--watch"),
        cwd=project,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    lines: queue.Queue[str] = queue.Queue()
    stream: Any = process.stdout

    def read() -> None:
        for line in stream:
            lines.put(line)

    threading.Thread(target=read, daemon=True).start()

    def written() -> None:
        while not lines.get(timeout=300).startswith("exposure: "):
            pass

    def save() -> float:
        before = _cpu(process.pid)
        edit(project)
        written()
        return _cpu(process.pid) - before

    written()
    try:
        yield save
    finally:
        process.terminate()
        process.wait()


def _cpu(pid: int) -> float:
    """CPU seconds of a process, of its threads and of the children it has waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICKS


def main() -> int:
    """Print the table; 1 where a figure is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=9, help="runs of each side; default: 9")
    options = parser.parse_args()
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for found in figures(options.pairs, Path(folder)):
            print(found.row(), flush=True)
            missed += not found.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
