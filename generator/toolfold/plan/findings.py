"""Problems found while planning, by path into the manifest; places are looked up at the end.

So that what is found in one tool does not depend on the lines above it.
"""

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from toolfold.errors import ManifestError, Problem, Severity, in_file_order
from toolfold.manifest.tree import ManifestPath, PlacedMapping, dotted, place_of


class Finding(NamedTuple):
    """A problem that has no place yet; `of_key` where it is about a key and not about its value."""

    path: ManifestPath
    fact: str
    hint: str
    code: str
    severity: Severity
    of_key: bool = False

    def placed(self, tree: PlacedMapping) -> Problem:
        """The problem at its place in the manifest."""
        place = place_of(tree, self.path, of_key=self.of_key)
        return Problem(place, dotted(self.path), self.fact, self.hint, self.severity, self.code)


class Report(Protocol):
    """Takes a fact, a way out and a stable code at a path into the manifest."""

    def __call__(
        self, path: ManifestPath, fact: str, hint: str, code: str, *, of_key: bool = False
    ) -> None:
        """Report it."""


class Findings:
    """Collects findings; planning goes on after one, so that a single run reports everything."""

    def __init__(self) -> None:
        self.all: list[Finding] = []

    @property
    def has_errors(self) -> bool:
        """Whether any finding refuses the manifest."""
        return any(finding.severity == "error" for finding in self.all)

    def reporter(self, severity: Severity) -> Report:
        """A function that reports findings of one severity."""

        def report(
            path: ManifestPath, fact: str, hint: str, code: str, *, of_key: bool = False
        ) -> None:
            self.all.append(Finding(path, fact, hint, code, severity, of_key))

        return report

    @property
    def error(self) -> Report:
        """Reports errors, which refuse the manifest."""
        return self.reporter("error")

    @property
    def warning(self) -> Report:
        """Reports warnings for the author."""
        return self.reporter("warning")


def refuse_errors(problems: Iterable[Problem]) -> None:
    """Raise ManifestError with every error among some problems, if there is one."""
    errors = [problem for problem in problems if problem.severity == "error"]
    if errors:
        raise ManifestError(in_file_order(errors))
