"""`toolfold generate` and `toolfold check`: bring the output folder up to date, or compare it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from toolfold.commands.last_run import is_behind as output_is_behind
from toolfold.commands.last_run import last_run, record_run
from toolfold.disk import real_path, refuse_links
from toolfold.emit.models.worker import Progress
from toolfold.emit.output import Difference, Files, Written, compare_tree, write_tree
from toolfold.errors import UsageError
from toolfold.memo.fingerprint import fingerprint
from toolfold.memo.store import Store, store_for
from toolfold.plan.model import Summary

if TYPE_CHECKING:
    from toolfold.compile import Compiled


@dataclass(frozen=True)
class Project:
    """A manifest, the folder it is generated into, and whether results may be stored."""

    manifest: Path
    output: Path
    use_cache: bool = True

    @property
    def way_back(self) -> str:
        """From a package in the output folder to the manifest's folder."""
        package = real_path(self.output) / "package"
        return Path(os.path.relpath(real_path(self.manifest.parent), package)).as_posix()

    def store(self) -> Store:
        """The store of this manifest's results."""
        return store_for(self.manifest, fingerprint()) if self.use_cache else Store()


@dataclass(frozen=True)
class Generated:
    """What generating changed, and what to say about it."""

    written: Written
    summary: Summary
    #: The text of each generated file.
    files: Files


@dataclass(frozen=True)
class Compared:
    """Where the output is not current, and what to say about it."""

    differences: list[Difference]
    summary: Summary
    #: The text of each file as it should be.
    files: Files


def project_at(manifest: Path, output: Path | None, *, use_cache: bool = True) -> Project:
    """The project of a manifest; its output is `generated/` beside it unless named."""
    chosen = output or manifest.parent / "generated"
    if real_path(manifest.parent).is_relative_to(real_path(chosen)):
        raise UsageError(f"{chosen}: holds the manifest; the output needs a folder of its own")
    if chosen.name in ("", ".."):
        # The folder is replaced by a new one of its name, so it cannot be the one we are in.
        raise UsageError(f"{chosen}: has no name; call it by its name from the folder above")
    return Project(manifest, chosen, use_cache)


def is_behind(project: Project) -> bool:
    """Whether the manifest was changed since it was generated, as far as that is known at once."""
    return output_is_behind(project.store(), project.manifest, project.way_back, project.output)


def generate(project: Project, progress: Progress) -> Generated:
    """Bring the output folder up to date."""
    store = project.store()
    last = last_run(store, project.manifest, project.way_back, project.output)
    if last is not None:
        return Generated(Written((), len(last.files), ()), last.summary, last.files)
    written, compiled = regenerate(project, store, progress)
    return Generated(written, compiled.summary, compiled.files)


def regenerate(
    project: Project, store: Store | None = None, progress: Progress = lambda done, total: None
) -> "tuple[Written, Compiled]":
    """Compile and write, whatever the last run did."""
    from toolfold.compile import compile_manifest  # not needed where nothing changed

    refuse_links(project.output, project.manifest.parent)
    store = store or project.store()
    compiled = compile_manifest(project.manifest, project.way_back, store, progress)
    written = write_tree(compiled.files, project.output)
    record_run(store, project.manifest, project.way_back, compiled)
    store.save()
    return written, compiled


def check(project: Project, progress: Progress) -> Compared:
    """Compare the output folder with what would be generated."""
    store = project.store()
    last = last_run(store, project.manifest, project.way_back, project.output)
    if last is not None:
        return Compared([], last.summary, last.files)
    from toolfold.compile import compile_manifest

    done = compile_manifest(project.manifest, project.way_back, store, progress)
    differences = compare_tree(done.files, project.output)
    if not differences:
        record_run(store, project.manifest, project.way_back, done)
    store.save()
    return Compared(differences, done.summary, done.files)
