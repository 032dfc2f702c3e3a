"""The edit loop: regenerate after every save, in one process.

A save that is refused changes nothing: its problems are reported, and the last good output stays.
"""

import contextlib
import gc
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from toolfold.commands.generate import Project, regenerate
from toolfold.compile import Compiled
from toolfold.emit.output import Written
from toolfold.errors import ManifestError, OutputError, UsageError
from toolfold.plan.model import Cost

if TYPE_CHECKING:
    from watchfiles import Change

_DEBOUNCE: Final = 50  # milliseconds: an editor's save is several events
_POLL: Final = 500  # milliseconds between looks for a save that no event announced
_MOST_SHOWN: Final = 8


@dataclass(frozen=True)
class Regenerated:
    """The files and the costs that a run changed, one line each."""

    written: Written
    compiled: Compiled
    changed_costs: tuple[str, ...]


#: The outcome of a run; after an error the output is unchanged.
Outcome: TypeAlias = Regenerated | ManifestError | OutputError | UsageError


def watch_and_generate(project: Project, show: Callable[[Outcome], None]) -> None:
    """Generate now and after every save, showing each outcome; until interrupted."""
    regenerator = Regenerator(project)
    first = regenerator.run()
    if isinstance(first, UsageError):
        raise first  # no save mends how the command was given
    show(first)
    for _ in saves(regenerator):
        show(regenerator.run())


class Regenerator:
    """Generates a project again and again; `last` is the last compilation that succeeded."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.last: Compiled | None = None
        self._seen: dict[Path, tuple[int, int]] = {}

    def run(self) -> Outcome:
        """Generate once; a refusal is returned, not raised."""
        self._seen = self._stamps()
        try:
            return self._regenerated()
        except (ManifestError, OutputError, UsageError) as error:
            return error
        finally:
            gc.collect()  # the last plan, of which nothing is needed any more

    def folders(self) -> list[Path]:
        """The folders to watch: of the manifest, of its inputs, and of what its patterns may match."""
        root = self.project.manifest.parent
        folders = {root.resolve()}
        patterns = self.last.patterns if self.last else ()
        for pattern in patterns:
            folder = root / Path(*_fixed_folders(pattern))
            folders.add((folder if folder.is_dir() else root).resolve())
        folders |= {path.parent.resolve() for path in (self.last.inputs if self.last else ())}
        return sorted(folders)

    def reads(self, path: Path) -> bool:
        """Whether a file is an input of the next run: the manifest, or one that it includes."""
        root = self.project.manifest.parent.resolve()
        if path == self.project.manifest.resolve():
            return True
        last = self.last
        if last is None:
            return path.suffix in (".yaml", ".yml")
        if path in {one.resolve() for one in last.inputs}:
            return True
        relative = path.relative_to(root).as_posix() if path.is_relative_to(root) else ""
        return any(fnmatchcase(relative, pattern) for pattern in last.patterns)

    def is_behind(self) -> bool:
        """Whether a file was saved since the last run began."""
        return self._stamps() != self._seen

    def _stamps(self) -> dict[Path, tuple[int, int]]:
        """The time of change and the size of each input."""
        stamps = {}
        for path in {self.project.manifest, *(self.last.inputs if self.last else ())}:
            with contextlib.suppress(OSError):
                status = path.stat()
                stamps[path] = (status.st_mtime_ns, status.st_size)
        return stamps

    def _regenerated(self) -> Regenerated:
        project, before = self.project, self.last
        written, compiled = regenerate(project)
        self.last = compiled
        self._seen = {path: self._seen.get(path, now) for path, now in self._stamps().items()}
        costs = tuple(changed_costs(before.summary.costs, compiled.summary.costs)) if before else ()
        return Regenerated(written, compiled, costs)


def saves(
    regenerator: Regenerator, stop: threading.Event | None = None, *, with_code: bool = False
) -> Iterator[set[Path]]:
    """The paths that were saved, each time that some were, until `stop` is set.

    Inputs of the next run and, on request, Python code beside the manifest.
    """
    from watchfiles import DefaultFilter, watch

    is_ordinary, output = DefaultFilter(), regenerator.project.output.resolve()

    def matters(change: "Change", name: str) -> bool:
        path = Path(name)
        is_code = with_code and path.suffix == ".py" and not path.is_relative_to(output)
        return regenerator.reads(path) or (is_code and is_ordinary(change, name))

    while stop is None or not stop.is_set():
        folders = regenerator.folders()
        for changes in watch(
            *folders,
            watch_filter=matters,
            debounce=_DEBOUNCE,
            step=_DEBOUNCE,
            recursive=with_code,
            stop_event=stop,
            rust_timeout=_POLL,
            yield_on_timeout=True,
        ):
            # A save before the watcher listened gives no event.
            if changes or regenerator.is_behind():
                yield {Path(name) for _, name in changes} or {
                    regenerator.project.manifest.resolve()
                }
            if regenerator.folders() != folders:
                break  # the inputs are in other folders now


def changed_costs(before: tuple[Cost, ...], after: tuple[Cost, ...]) -> Iterator[str]:
    """A line for each cost that changed, the largest change first; the rest is counted."""
    old = {(cost.budget, cost.name): cost.tokens for cost in before}
    new = {(cost.budget, cost.name): cost.tokens for cost in after}
    changed = [key for key in dict.fromkeys([*old, *new]) if old.get(key) != new.get(key)]
    changed.sort(key=lambda key: -abs(new.get(key, 0) - old.get(key, 0)))
    for key in changed[:_MOST_SHOWN]:
        was, now = (f"{costs[key]:,}" if key in costs else "none" for costs in (old, new))
        yield f"{key[1]}: {was} → {now} tokens"
    if len(changed) > _MOST_SHOWN:
        yield f"and {len(changed) - _MOST_SHOWN} more"


def _fixed_folders(pattern: str) -> Iterator[str]:
    """The folders at the start of a pattern, up to the first with a wildcard."""
    for part in pattern.split("/")[:-1]:
        if set(part) & set("*?["):
            return
        yield part
