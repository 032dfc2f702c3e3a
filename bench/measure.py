"""Measuring figures: ratios of two sides run in turn, with the confidence interval of the median.

Whoever imports this has calls counted in a file of the program's own, and so have the processes
that it starts: what is measured is no usage of the user's.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from compileall import compile_dir
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Final

#: Removed when the program ends.
_USAGE: Final = TemporaryDirectory(prefix="toolfold-usage-", ignore_cleanup_errors=True)
os.environ["TOOLFOLD_USAGE"] = str(Path(_USAGE.name, "usage.db"))


@dataclass(frozen=True)
class Cost:
    """What one run of a command cost, children included."""

    cpu: float
    wall: float
    peak_mb: float
    output: str = ""


@dataclass(frozen=True)
class Figure:
    """A measured figure beside the limit it is held to."""

    name: str
    value: float
    low: float
    high: float
    limit: float
    unit: str = ""
    at_least: bool = False

    @property
    def is_met(self) -> bool:
        """A figure misses only when its whole interval lies beyond the limit."""
        return self.high >= self.limit if self.at_least else self.low <= self.limit

    def row(self) -> str:
        """One line of the table."""
        sign = ">=" if self.at_least else "<="
        verdict = "met" if self.is_met else "MISSED"
        shown = f"{self.value:.3g}{self.unit} [{self.low:.3g}, {self.high:.3g}]"
        return f"{self.name:<66} {shown:>28}   {sign} {self.limit:g}{self.unit:<4} {verdict}"


def print_figures(figures: Iterable[Figure]) -> bool:
    """Print each figure as soon as it is measured; whether all are met."""
    are_met = True
    for measured in figures:
        print(measured.row(), flush=True)
        are_met = are_met and measured.is_met
    return are_met


def run(command: Sequence[str], cwd: Path, env: dict[str, str] | None = None) -> Cost:
    """Run a command to its end; CPU of it and of its children, and the largest memory of one.

    Raises when it fails: a figure of something that did not work is no figure.
    """
    import time

    with TemporaryFile() as output:
        started = time.perf_counter()
        process = subprocess.Popen(
            command, cwd=cwd, env={**os.environ, **(env or {})}, stdout=output, stderr=output
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{text[-3000:]}")
    return Cost(usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024, text)


def ratio(
    name: str,
    ours: Callable[[], Cost],
    theirs: Callable[[], Cost],
    limit: float,
    pairs: int,
    measured: Callable[[Cost], float] = lambda cost: cost.cpu,
) -> Figure:
    """Our cost over theirs, measured in turn."""
    ratios = [measured(ours()) / measured(theirs()) for _ in range(pairs)]
    return figure(name, ratios, limit)


def figure(
    name: str, values: Sequence[float], limit: float, unit: str = "", *, at_least: bool = False
) -> Figure:
    """The median of the values with its 95 % interval by order statistics."""
    ordered = sorted(values)
    skip = {9: 1, 10: 1, 11: 1, 12: 2, 13: 2, 14: 2, 15: 3}.get(len(ordered), len(ordered) // 5)
    skip = 0 if len(ordered) < 9 else skip
    low, high = ordered[skip], ordered[-1 - skip]
    return Figure(name, median(ordered), low, high, limit, unit, at_least)


def peak_of_tree(command: Sequence[str], cwd: Path) -> float:
    """The largest sum of resident memory of a command and its children, in MB, by sampling."""
    import time

    process = subprocess.Popen(
        command, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    peak = 0.0
    while process.poll() is None:
        peak = max(peak, sum(resident(pid) for pid in tree(process.pid)))
        time.sleep(0.02)
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return peak


def tree(root: int) -> list[int]:
    """A process and its descendants, the process first."""
    processes, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        processes.append(pid)
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            try:
                waiting += [int(child) for child in task.read_text().split()]
            except OSError:
                continue
    return processes


def resident(pid: int) -> float:
    """Proportional memory where the system tells it: shared pages are not counted twice."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0.0
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) / 1024
    return 0.0


def python(*arguments: str) -> list[str]:
    """A command of this interpreter, with our own code compiled as pip compiles what it installs.

    Elsewhere Python keeps that itself; where it is told not to, a checkout would be compiled anew
    in every run, and be compared with packages that are not.
    """
    _compile_once()
    return [sys.executable, *arguments]


@cache
def _compile_once() -> None:
    root = Path(__file__).parents[1]
    for folder in ("generator", "runtime"):
        compile_dir(root / folder, quiet=2)
