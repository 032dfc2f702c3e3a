"""Collecting problems while planning, each with its place."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

from toolfold.errors import Place, Problem, Severity
from toolfold.manifest.tree import ManifestPath, PlacedMapping, dotted, place_of


class Said(NamedTuple):
    """A problem before it is placed."""

    path: Sequence[str | int]
    fact: str
    hint: str
    code: str
    severity: Severity
    of_key: bool


class Report(Protocol):
    """Takes a fact, a way out and a stable code at a path into the manifest."""

    def __call__(
        self, path: ManifestPath, fact: str, hint: str, code: str, *, of_key: bool = False
    ) -> None:
        """Report it."""


class Problems:
    """What was found so far; planning goes on, so that one run reports everything."""

    def __init__(self, tree: PlacedMapping) -> None:
        self.tree = tree
        self.found: list[Problem] = []
        self.errors = 0
        #: What was said while planning, without places, which an edit elsewhere moves.
        self.said: list[Said] = []

    def add(self, found: Iterable[Problem]) -> None:
        """Take over what was found before planning."""
        self.found += found
        self.errors = sum(problem.severity == "error" for problem in self.found)

    def error(self, path: ManifestPath, fact: str, hint: str, code: str) -> None:
        """Something that refuses the manifest."""
        self.say(Said(path, fact, hint, code, "error", of_key=False))

    def error_at_key(self, path: ManifestPath, fact: str, hint: str, code: str) -> None:
        """The same, about a key rather than its value."""
        self.say(Said(path, fact, hint, code, "error", of_key=True))

    def reporter(self, *, is_foreign: bool) -> "Report":
        """Hand-written schemas are held to everything; of foreign ones their author is told."""
        severity: Severity = "warning" if is_foreign else "error"

        def report(
            path: ManifestPath, fact: str, hint: str, code: str, *, of_key: bool = False
        ) -> None:
            self.say(Said(path, fact, hint, code, severity, of_key))

        return report

    def place(self, path: ManifestPath) -> Place:
        """Where the key at `path` stands."""
        return place_of(self.tree, path, of_key=True)

    def say(self, said: Said, place: Place | None = None) -> None:
        """Something with its place, as the manifest stands now."""
        place = place or place_of(self.tree, said.path, of_key=said.of_key)
        path = dotted(said.path)
        self.found.append(Problem(place, path, said.fact, said.hint, said.severity, said.code))
        self.errors += said.severity == "error"
        self.said.append(said)
