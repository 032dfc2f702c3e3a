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
from tests.site.browser import started
from tests.site.looks import looked_at, spread
from tests.site.material import check_links, served, visiting
from tests.site.search_questions import lacking, names_asked, summaries_asked

ROOT: Final = Path(__file__).parents[1]
NUMBERS: Final = count(1)
_TICKS: Final = os.sysconf("SC_CLK_TCK")
#: The same pages for Material for MkDocs.
_MATERIAL: Final = """\
site_name: Large
docs_dir: generated/docs
use_directory_urls: false
theme: {name: material, font: false, features: [navigation.prune]}
markdown_extensions: [tables, toc, pymdownx.superfences, pymdownx.highlight]
"""
_SAMPLE: Final = 24  # pages of the large site that a browser looks at, in six ways
#: Bytes of a tool's page before anybody touched it, when zensical built the site (commit 95d2910):
#: all responses of four pages spread over it until the network was idle, on average. 4.59 MB of them
#: were the index of search. The builder is not installed any more, so this is a constant.
_BYTES_BEFORE: Final = 4_976_894
_PAGES_WEIGHED: Final = 4


def figures(pairs: int, folder: Path) -> Iterator[Figure]:
    """All figures of the issue, one after the other."""
    tana, large = _tana(folder), _large(folder)
    yield from _sound("Tana", tana / "site")
    yield from _sound("1,641 tools", large / "site")
    yield from _large_figures(large / "site")

    def material() -> Cost:
        project = _copy(large)
        (project / "mkdocs.yml").write_text(_MATERIAL, encoding="utf-8")
        return run(python("-m", "mkdocs", "build", "--quiet"), project)

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
    links = check_links(site)
    yield figure(f"site: {name}: broken links and orphans", [_all(links.broken, links.orphans)], 0)
    with started() as browser:
        faults = list(looked_at(site, browser, spread(site, _SAMPLE)))
    words = "sideways, clipped, axe, console, other hosts; 390, 820, 1440 px, light and dark"
    yield figure(f"site: {name}: {words}", [_all(faults)], 0)


def _all(*lists: list[str]) -> float:
    for texts in lists:
        print(*(f"  {text}\n" for text in texts[:5]), sep="", end="")
    return float(sum(map(len, lists)))


def _large_figures(site: Path) -> Iterator[Figure]:
    """The figures of the large site only: bytes, search, parameters."""
    weights = [weight / _BYTES_BEFORE for weight in _weights(site)]
    yield figure("site: 1,641 tools: bytes of a page before it is used / before", weights, 0.15)
    with served(site) as base, started() as browser, visiting(base, browser) as visit:
        page = visit.open("index.html")
        took = page.evaluate(_FIRST_ANSWER)
        names = sum(_asked(page, name)[0] == name for name in names_asked(site))
        five = sum(name in _asked(page, words)[:5] for words, name in summaries_asked(site))
    yield figure("site: 1,641 tools: search, first answer after the index, ms", [took], 300)
    yield figure("site: 1,641 tools: search, 100 names not first", [100.0 - names], 1)
    yield figure("site: 1,641 tools: search, 100 summaries not among five", [100.0 - five], 15)
    yield figure("site: 1,641 tools: pages that lack a parameter", [float(len(lacking(site)))], 0)


#: Loads search as its button does; the milliseconds from having the index to having an answer.
_FIRST_ANSWER: Final = """async () => {
  await window.toolfold.load('assets/search.js');
  const index = window.toolfoldIndex;
  let took;
  window.toolfoldIndex = (rows) => {
    const start = performance.now();
    index(rows);
    window.toolfold.find('create an event');
    took = performance.now() - start;
  };
  await window.toolfold.load('assets/search-index.js');
  return took;
}"""


def _asked(page: Any, query: str) -> list[str]:
    return [row[0] for row in page.evaluate("query => window.toolfold.find(query)", query)]


def _weights(site: Path) -> Iterator[float]:
    """The bytes of some pages of tools with all that they load by themselves."""
    pages = sorted(path.relative_to(site).as_posix() for path in (site / "tools").glob("*.html"))
    with served(site) as base, started() as browser:
        for path in pages[:: len(pages) // _PAGES_WEIGHED]:
            with visiting(base, browser) as visit:
                yield _bytes_of(visit.page, base + path)


def _bytes_of(page: Any, address: str) -> float:
    answers: list[Any] = []

    def note(answer: Any) -> None:  # the browser's library marks what it is given
        answers.append(answer)

    page.on("response", note)
    page.goto(address, wait_until="networkidle")
    return float(sum(len(answer.body()) for answer in answers))


def _hooks() -> Figure:
    name = "site: hooks, runners with a wrong answer in one of the situations"
    return _tests(name, "tests/hooks/test_hooks.py", "-k", "rightly")


def _tests(name: str, *arguments: str) -> Figure:
    """A figure of how many of some tests fail."""
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
        for measured in figures(options.pairs, Path(folder)):
            print(measured.row(), flush=True)
            missed += not measured.is_met
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
