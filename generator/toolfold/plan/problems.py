"""Collecting problems while planning, each with its place."""

from collections.abc import Callable

from toolfold.errors import Place, Problem, Severity
from toolfold.manifest.tree import Mapping, dotted, place_of

ManifestPath = tuple[str | int, ...]
#: Reports a fact and a way out at a path into the manifest.
Report = Callable[[ManifestPath, str, str], None]


class Problems:
    """What was found so far; planning goes on, so that one run reports everything."""

    def __init__(self, tree: Mapping) -> None:
        self.tree = tree
        self.found: list[Problem] = []

    def error(self, path: ManifestPath, fact: str, hint: str) -> None:
        """Something that refuses the manifest."""
        self._add(path, fact, hint, "error", of_key=False)

    def error_at_key(self, path: ManifestPath, fact: str, hint: str) -> None:
        """The same, about a key rather than its value."""
        self._add(path, fact, hint, "error", of_key=True)

    def warn(self, path: ManifestPath, fact: str, hint: str) -> None:
        """Something the author of a foreign schema should know."""
        self._add(path, fact, hint, "warning", of_key=False)

    def errors(self) -> list[Problem]:
        """Those that refuse the manifest."""
        return [problem for problem in self.found if problem.severity == "error"]

    def place(self, path: ManifestPath) -> Place:
        """Where the key at `path` stands."""
        return place_of(self.tree, path, of_key=True)

    def _add(
        self, path: ManifestPath, fact: str, hint: str, severity: Severity, *, of_key: bool
    ) -> None:
        place = place_of(self.tree, path, of_key=of_key)
        self.found.append(Problem(place, dotted(path), fact, hint, severity, code="plan"))
