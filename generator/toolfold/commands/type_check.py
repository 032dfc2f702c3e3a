"""`toolfold check --types`: what mypy or pyright finds in the author's class, as problems."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any, Final

from toolfold.errors import Place, Problem, Source, UsageError, in_file_order

_CODE: Final = "types"
_TIMEOUT_SECONDS: Final = 300
_NONE: Final = "no type checker is installed here: pip install mypy"
_LINE: Final = re.compile(
    r"(?P<file>.+?):(?P<line>\d+):(?:(?P<column>\d+):)? (?P<kind>error|note): (?P<text>.*)"
)
# The module that holds the class to the protocol, also where it does not derive from it.
_PROBE: Final = "toolfold_probe"
_PROBE_TEXT: Final = """\
from {package}.handlers import Handlers
from {module} import {name}

implementation: Handlers = {name}()
"""


@dataclass(frozen=True)
class Subject:
    """The class to look at: its file, the folder it is imported from, the package that it uses."""

    #: `module:Class`
    implementation: str
    file: Path
    folder: Path
    package: str
    output: Path

    @property
    def module(self) -> str:
        """The dotted name of its module."""
        return self.implementation.partition(":")[0]

    @property
    def name(self) -> str:
        """The name of the class."""
        return self.implementation.partition(":")[2]


def type_problems(subject: Subject) -> tuple[Problem, ...]:
    """Everything a type checker finds; UsageError where none is installed, or it does not work."""
    command = _command("mypy")
    check = _mypy
    if command is None:
        command, check = _command("pyright"), _pyright
    if command is None:
        raise UsageError(_NONE)
    with tempfile.TemporaryDirectory(suffix=".toolfold-types") as folder:
        names = {"package": subject.package, "module": subject.module, "name": subject.name}
        probe = Path(folder) / f"{_PROBE}.py"
        probe.write_text(_PROBE_TEXT.format(**names), encoding="utf-8")
        findings = check(command, subject, probe)
        return in_file_order(_problems_of_author(findings, subject))


@dataclass(frozen=True)
class _Finding:
    file: Path
    line: int
    column: int
    text: str
    notes: tuple[str, ...] = ()


def _command(name: str) -> list[str] | None:
    """How to run a program: of this environment, or on the path."""
    here = {"", str(Path.cwd())}
    # A file of the project that is called like it, or like a module that it uses, is not meant: -P.
    if PathFinder.find_spec(name, [entry for entry in sys.path if entry not in here]) is not None:
        return [sys.executable, "-P", "-m", name]
    program = shutil.which(name)
    return None if program is None else [program]


def _mypy(command: Sequence[str], subject: Subject, probe: Path) -> list[_Finding]:
    options = ("--show-column-numbers", "--no-pretty", "--no-error-summary", "--no-color-output")
    modules = ("-m", subject.module, "-m", _PROBE)
    python = ("--python-executable", sys.executable)
    paths = (subject.output, subject.folder, probe.parent)
    done = _run([*command, *options, *python, *modules], "MYPYPATH", paths)
    findings: list[_Finding] = []
    for line in done.stdout.splitlines():
        if (match := _LINE.fullmatch(line)) is None:
            continue
        if match["kind"] == "note" and findings:
            findings[-1] = replace(findings[-1], notes=(*findings[-1].notes, match["text"].strip()))
        elif match["kind"] == "error":
            place = (int(match["line"]), int(match["column"] or 1))
            findings.append(_Finding(Path(match["file"]), *place, match["text"]))
    if done.returncode != 0 and not findings:
        raise UsageError(f"mypy failed: {_last_line(done)}")
    return findings


def _pyright(command: Sequence[str], subject: Subject, probe: Path) -> list[_Finding]:
    files = (str(subject.file), str(probe))
    options = ("--outputjson", "--pythonpath", sys.executable)
    paths = (subject.output, subject.folder)
    # Pyright asks the interpreter for its path, which this variable is part of.
    done = _run([*command, *options, *files], "PYTHONPATH", paths)
    try:
        report: dict[str, Any] = json.loads(done.stdout)
        return [
            _Finding(
                Path(one["file"]),
                one["range"]["start"]["line"] + 1,
                one["range"]["start"]["character"] + 1,
                " ".join(one["message"].split()),
            )
            for one in report["generalDiagnostics"]
            if one["severity"] == "error"
        ]
    except (ValueError, LookupError, TypeError):
        # Installed by pip, it fetches Node.js when it first runs, which may not be possible.
        way_out = "try `pyright --version` by itself, or: pip install mypy"
        raise UsageError(f"pyright failed: {_last_line(done)}; {way_out}") from None


def _run(
    command: Sequence[str], variable: str, folders: Sequence[Path]
) -> "subprocess.CompletedProcess[str]":
    """Run a checker with these folders to import from, before those that it has already."""
    inherited = os.environ.get(variable)
    paths = [*(str(folder.resolve()) for folder in folders), *([inherited] if inherited else [])]
    try:
        return subprocess.run(  # noqa: S603 - the user's own checker, and fixed words
            list(command),
            env={**os.environ, variable: os.pathsep.join(paths)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            timeout=_TIMEOUT_SECONDS,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(
            f"{' '.join(command[:3])}: no answer in {_TIMEOUT_SECONDS} seconds"
        ) from None
    except OSError as error:
        raise UsageError(f"{command[0]}: {error.strerror or error}") from None


def _problems_of_author(findings: Sequence[_Finding], subject: Subject) -> Iterator[Problem]:
    """Findings in the author's files as problems; those of the probe are at the class, by its name."""
    sources: dict[Path, Source] = {}
    for finding in findings:
        file, line, column, path = finding.file.resolve(), finding.line, finding.column, ""
        if file.is_relative_to(subject.output.resolve()):
            continue  # what is generated is not the author's to mend
        if file.stem == _PROBE:  # in this folder, or in that of an earlier run, from a cache
            file, line, column, path = subject.file.resolve(), _class_line(subject), 1, subject.name
        if file not in sources:
            sources[file] = _source(file)
        place = Place(sources[file], line, column)
        yield Problem(place, path, finding.text, "; ".join(finding.notes), code=_CODE)


def _class_line(subject: Subject) -> int:
    text = _source(subject.file).text
    match = re.search(rf"^[ \t]*class {re.escape(subject.name)}\b", text, re.MULTILINE)
    return text.count("\n", 0, match.start()) + 1 if match else 1


def _source(file: Path) -> Source:
    """A file by the name that the user would give it."""
    shown = file
    with contextlib.suppress(ValueError):
        shown = file.relative_to(Path.cwd())
    try:
        return Source(str(shown), file.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return Source(str(shown), "")


def _last_line(done: "subprocess.CompletedProcess[str]") -> str:
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    return lines[-1] if lines else f"exit code {done.returncode}"
