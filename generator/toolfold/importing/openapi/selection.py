"""Which operations are imported: by tag, by path, or by the beginning of a path."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import NamedTuple

from toolfold.errors import UsageError


class Selection(NamedTuple):
    """What `--include` and `--exclude` name: tags, or paths, in which `*` stands for anything."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()

    def takes(self, path: str, tags: Sequence[str]) -> bool:
        """Whether an operation is imported."""
        is_included = not self.include or any(
            _matches(tag_or_path, path, tags) for tag_or_path in self.include
        )
        return is_included and not any(
            _matches(tag_or_path, path, tags) for tag_or_path in self.exclude
        )

    def refuse_unused(self, operations: Sequence[tuple[str, Sequence[str]]], known: str) -> None:
        """Raise UsageError for a tag or path that no operation has: nothing is left out silently."""
        for option, wanted in (("--include", self.include), ("--exclude", self.exclude)):
            for tag_or_path in wanted:
                if not any(_matches(tag_or_path, path, tags) for path, tags in operations):
                    raise UsageError(
                        f"{option} {tag_or_path}: no operation has that tag or path; {known}"
                    )


def _matches(wanted: str, path: str, tags: Sequence[str]) -> bool:
    if not wanted.startswith("/"):
        return any(fnmatchcase(tag.casefold(), wanted.casefold()) for tag in tags)
    base = wanted.rstrip("/")
    return path == wanted or path.startswith(f"{base}/") or fnmatchcase(path, wanted)
