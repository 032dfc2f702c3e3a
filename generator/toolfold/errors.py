"""Problems a user can act on: a place, a fact and a way out."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal, NamedTuple

Severity = Literal["error", "warning"]


@dataclass(frozen=True, eq=False)
class Source:
    """A file that was read: its name as the user knows it, its text, and when it was read."""

    name: str
    text: str = field(repr=False)
    order: int = 0

    def line(self, number: int) -> str:
        """Line `number`, counted from 1; empty past the end."""
        return self._lines[number - 1].rstrip("\r") if 0 < number <= len(self._lines) else ""

    @cached_property
    def _lines(self) -> list[str]:
        return self.text.split("\n")


class Place(NamedTuple):
    """A place in a file: line and column, both counted from 1."""

    source: Source
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Problem:
    """One finding: where, what was found, and the way out.

    `path` is the dotted path into the manifest; empty where the text itself is broken. `stub` is
    source code to paste where that is the way out; reports for machines give it as the hint.
    """

    place: Place
    path: str
    fact: str
    hint: str = ""
    severity: Severity = "error"
    code: str = "manifest"
    stub: str = ""


@dataclass(frozen=True)
class DetailedProblem:
    """A problem with lines that show what is wrong."""

    problem: Problem
    lines: tuple[str, ...] = ()

    @property
    def with_lines(self) -> Problem:
        """The problem with its lines in the hint, for machines."""
        return replace(self.problem, hint="\n".join([self.problem.hint, *self.lines]))


class ManifestError(Exception):
    """A manifest that was refused, with every problem found in one run, in file order."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = in_file_order(problems)
        super().__init__(f"{len(self.problems)} problems")


class OutputError(Exception):
    """Something in the output folder that we may not touch; nothing was written."""


class UsageError(Exception):
    """A command that cannot be carried out as it was given."""


def missing_manifest(name: object) -> UsageError:
    """What is wrong where there is no manifest."""
    return UsageError(f"{name}: no such file; `toolfold init` writes one, `-m` names another")


def in_file_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems by file, line and column, each fact at a place only once."""
    unique = {(p.place, p.path, p.fact): p for p in problems}
    return tuple(
        sorted(
            unique.values(),
            key=lambda p: (p.place.source.order, p.place.line, p.place.column, p.path, p.fact),
        )
    )
