"""What commands do with a manifest and its output: generate, check, and know when neither is due."""

import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from toolfold.commands.last_run import last_run, remember
from toolfold.emit.output import Difference, Written, compare_tree, write_tree
from toolfold.errors import Problem, UsageError
from toolfold.memo.store import Cache

#: Told how many tools are done, of how many.
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Project:
    """A manifest, the folder it is generated into, and whether work may be remembered."""

    manifest: Path
    output: Path
    use_cache: bool = True

    @property
    def way_back(self) -> str:
        """From a package in the output folder to the manifest's folder."""
        package = self.output.resolve() / "package"
        return Path(os.path.relpath(self.manifest.parent.resolve(), package)).as_posix()

    def cache(self) -> Cache:
        """The cache beside the manifest."""
        return Cache(self.manifest.parent if self.use_cache else None)


@dataclass(frozen=True)
class Generated:
    """What generating changed, and what the manifest was warned about."""

    written: Written
    warnings: tuple[Problem, ...]
    exposure: str


@dataclass(frozen=True)
class Checked:
    """Where the output is not current, and what the manifest was warned about."""

    differences: list[Difference]
    warnings: tuple[Problem, ...]


def project_at(manifest: Path, output: Path | None, *, use_cache: bool = True) -> Project:
    """The project of a manifest; its output is `generated/` beside it unless said otherwise."""
    chosen = output or manifest.parent / "generated"
    inside = manifest.parent.resolve()
    if inside == chosen.resolve() or chosen.resolve() in inside.parents:
        raise UsageError(f"{chosen}: holds the manifest; the output needs a folder of its own")
    return Project(manifest, chosen, use_cache)


def generate(project: Project, progress: Progress) -> Generated:
    """Bring the output folder up to date."""
    with closing(project.cache()) as store:
        known = last_run(store, project.manifest, project.way_back, project.output)
        if known is not None:
            return Generated(Written((), known.outputs, ()), known.warnings, known.exposure)
        from toolfold.commands.editor import write_editor_schema
        from toolfold.compile import compile_manifest

        compiled = compile_manifest(project.manifest, project.way_back, store, progress)
        written = write_tree(compiled.files, project.output)
        if project.use_cache:
            write_editor_schema(project.manifest.parent, store)
        remember(store, project.manifest, project.way_back, compiled)
        return Generated(written, compiled.warnings, compiled.exposure)


def check(project: Project, progress: Progress) -> Checked:
    """Compare the output folder with what would be generated."""
    with closing(project.cache()) as store:
        known = last_run(store, project.manifest, project.way_back, project.output)
        if known is not None:
            return Checked([], known.warnings)
        from toolfold.compile import compile_manifest

        compiled = compile_manifest(project.manifest, project.way_back, store, progress)
        differences = compare_tree(compiled.files, project.output)
        if not differences:
            remember(store, project.manifest, project.way_back, compiled)
        return Checked(differences, compiled.warnings)
