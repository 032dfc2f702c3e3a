"""The edit loop: regenerate on every save, in a process that is warm.

A save that is refused changes nothing: all that is wrong is told, and the last good output stays.
"""

import contextlib
import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Final

from toolfold.commands.generate import Project, regenerate
from toolfold.compile import Compiled  # noqa: TC001
from toolfold.emit.output import Written
from toolfold.errors import ManifestError, OutputError, Problem, UsageError
from toolfold.plan.model import Cost

_DEBOUNCE: Final = 50  # milliseconds: an editor's save is several events
_GLANCE: Final = 500  # milliseconds
_MOST_SHOWN: Final = 8


@dataclass(frozen=True)
class Regenerated:
    """What a save changed, and what it now costs."""

    written: Written
    warnings: tuple[Problem, ...]
    exposure: str
    costs: tuple[str, ...]


#: A save that was refused: everything that is wrong with it, or why it could not be written.
Refused = ManifestError | OutputError | UsageError

Tell = Callable[[Regenerated | Refused], None]


def watch_and_generate(project: Project, tell: Tell) -> None:
    """Generate now and after every save, telling what came of it; until interrupted."""
    loop = Loop(project)
    tell(loop.run())
    for _ in saves(loop):
        tell(loop.run())


class Loop:
    """A project that is generated again and again, and what the last good run knew."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.last: Compiled | None = None
        self._seen: dict[Path, tuple[int, int]] = {}

    def run(self) -> Regenerated | Refused:
        """Generate once; a refusal is an answer, not an exception."""
        self._seen = self._stamps()
        # One collection afterwards costs less than many over a plan that only grows.
        gc.disable()
        try:
            return self._generated()
        except (ManifestError, OutputError, UsageError) as error:
            return error
        finally:
            gc.enable()
            gc.collect()

    def folders(self) -> list[Path]:
        """The folders where a save matters: of the manifest, and of all it reads or might."""
        root = self.project.manifest.parent
        found = {root.resolve()}
        patterns = self.last.patterns if self.last else ()
        for pattern in patterns:
            folder = root / Path(*_fixed(pattern))
            found.add((folder if folder.is_dir() else root).resolve())
        found |= {path.parent.resolve() for path in (self.last.inputs if self.last else ())}
        return sorted(found)

    def reads(self, path: Path) -> bool:
        """Whether a file is the manifest, one of its parts, or would be one."""
        root = self.project.manifest.parent.resolve()
        if path == self.project.manifest.resolve():
            return True
        known = self.last
        if known is None:
            return path.suffix in (".yaml", ".yml")
        if path in {one.resolve() for one in known.inputs}:
            return True
        relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        return any(fnmatchcase(relative, pattern) for pattern in known.patterns)

    def is_behind(self) -> bool:
        """Whether a file was saved since the last run began."""
        return self._stamps() != self._seen

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        stamps = {}
        for path in {self.project.manifest, *(self.last.inputs if self.last else ())}:
            with contextlib.suppress(OSError):
                found = path.stat()
                stamps[path] = (found.st_mtime_ns, found.st_size)
        return stamps

    def _generated(self) -> Regenerated:
        project, before = self.project, self.last
        written, compiled = regenerate(project)
        self.last = compiled
        now = self._stamps()
        self._seen = {path: self._seen.get(path, now.get(path, (0, 0))) for path in now}
        costs = tuple(changed_costs(before.costs, compiled.costs)) if before else ()
        return Regenerated(written, compiled.warnings, compiled.exposure, costs)


def saves(loop: Loop, stop: threading.Event | None = None) -> Iterator[set[Path]]:
    """The files of the project that were saved, each time some were, until told to stop."""
    from watchfiles import watch

    while stop is None or not stop.is_set():
        folders = loop.folders()
        events = watch(
            *folders,
            watch_filter=lambda _, path: loop.reads(Path(path)),
            debounce=_DEBOUNCE,
            step=_DEBOUNCE,
            recursive=False,
            stop_event=stop,
            rust_timeout=_GLANCE,
            yield_on_timeout=True,
        )
        for changes in events:
            # A save before the first event was listened for is noticed by a glance.
            if changes or loop.is_behind():
                yield {Path(path) for _, path in changes}
            if loop.folders() != folders:
                break  # what is read lies elsewhere now


def changed_costs(before: tuple[Cost, ...], after: tuple[Cost, ...]) -> Iterator[str]:
    """A line for each cost that is new, gone or another; the most changed first, not too many."""
    old = {(cost.budget, cost.name): cost.tokens for cost in before}
    new = {(cost.budget, cost.name): cost.tokens for cost in after}
    changed = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    changed.sort(key=lambda key: -abs(new.get(key, 0) - old.get(key, 0)))
    for key in changed[:_MOST_SHOWN]:
        was, now = (f"{costs[key]:,}" if key in costs else "none" for costs in (old, new))
        yield f"{key[1]}: {was} → {now} tokens"
    if len(changed) > _MOST_SHOWN:
        yield f"and {len(changed) - _MOST_SHOWN} more"


def _fixed(pattern: str) -> Iterator[str]:
    """The folders at the start of a pattern that it names outright."""
    for part in pattern.split("/")[:-1]:
        if set(part) & set("*?["):
            return
        yield part
