"""`toolfold import mcp`: servers in, files of a manifest and what to know about them out."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolfold.disk import replace_file
from toolfold.errors import OutputError, Place, Problem, Source, UsageError
from toolfold.importing.servers import curate
from toolfold.importing.servers.additions import Additions, add_to_manifest
from toolfold.importing.servers.configs import Unusable
from toolfold.importing.servers.listing import PATIENCE, Listing, Progress, list_servers
from toolfold.importing.servers.project import Project, locked
from toolfold.importing.servers.review import review
from toolfold.importing.servers.snapshot import Snapshot, snapshot
from toolfold.importing.servers.targets import Target, named, targets
from toolfold.importing.servers.translate import Export

# What a server at an address says to those whom it does not know.
_REFUSED: Final = "HTTP 401"


@dataclass(frozen=True)
class Request:
    """What to import, and into which manifest."""

    manifest: Path
    configs: Sequence[Path] = ()
    #: A command with its arguments, or one address.
    given: Sequence[str] = ()
    name: str | None = None
    seconds: float = PATIENCE
    has_overlays: bool = False


@dataclass(frozen=True)
class Imported:
    """The outcome for every server, and the files that were written."""

    snapshots: list[Snapshot] = field(default_factory=list)
    #: Server to the reason why it was not imported.
    failures: dict[str, str] = field(default_factory=dict)
    exports: dict[str, tuple[Export, ...]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    #: Overlays that were written, and what was changed in the manifest.
    overlays: list[Path] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    #: What the author has to add to the manifest.
    snippets: list[str] = field(default_factory=list)

    def add(self, added: Additions) -> None:
        """Take over what was added to the manifest."""
        self.declared.extend(added.declared)
        self.failures.update(added.failures)
        self.snippets.extend(added.snippets)


def import_servers(request: Request, progress: Progress) -> Imported:
    """Import every server that is asked for; those that fail are named, the others go on."""
    done = Imported()
    project = Project(request.manifest)
    chosen, unusable = targets(project, request.configs, request.given, request.name)
    _note_unusable(unusable, done)
    listings = list_servers(
        [target.live for target in chosen], project.folder, request.seconds, progress
    )
    if not any(listing.live for listing in listings):
        for target, listing in zip(chosen, listings, strict=True):
            _note_failure(project, target, listing.error, done)
        return done
    with locked(request.manifest):
        project = Project(request.manifest)  # which another import may have changed meanwhile
        imported = list(_snapshots(project, chosen, listings, done))
        for file in done.snapshots:
            if not file.is_unchanged:
                replace_file(file.path, file.text.encode(), project.folder)
        if request.has_overlays:
            written = (curate.write_overlay(project, file) for file in done.snapshots)
            done.overlays.extend(path for path in written if path is not None)
        _declare(project, imported, done)
    return done


def _snapshots(
    project: Project, chosen: Sequence[Target], listings: Sequence[Listing], done: Imported
) -> Iterator[Target]:
    """Take a snapshot of every server that answered, and yield its target under its final name."""
    for target, listing in zip(chosen, listings, strict=True):
        if listing.live is None:
            _note_failure(project, target, listing.error, done)
            continue
        try:
            renamed = named(target, project, listing.live.name)
            if not listing.live.tools:
                raise UsageError("it publishes no tools")
            taken = snapshot(project, renamed.name, listing.live.tools)
        except (UsageError, OutputError) as error:
            done.failures[target.name] = str(error)
            continue
        done.problems.extend(_problems(taken))
        done.problems.extend(review(taken, project.tools_of_others(renamed.name)))
        project.add(taken.before, taken.tools, taken.categories)
        done.snapshots.append(taken)
        done.exports.update({renamed.name: renamed.exports} if renamed.exports else {})
        done.notes.extend(f"{renamed.name}: {note}" for note in renamed.notes)
        yield renamed


def _note_failure(project: Project, target: Target, why: str, done: Imported) -> None:
    """Note why a server did not answer, with what is known of the variables that it lacks."""
    if target.entry is not None and why.startswith(_REFUSED):
        why += f"; declare it in {project.manifest.name} with one of them, and import it again"
    done.failures[target.name] = why
    done.notes.extend(f"{target.name}: {note}" for note in target.notes)
    exports = tuple(export for export in target.exports if not export.is_own)
    done.exports.update({target.name: exports} if exports else {})


def _note_unusable(unusable: Sequence[Unusable], done: Imported) -> None:
    for entry in unusable:
        if entry.is_off:
            done.notes.append(f"{entry.name}: left out: switched off in {entry.origin}")
        else:
            done.failures[entry.name] = f"{entry.origin}: {entry.reason}"


def _problems(taken: Snapshot) -> Iterator[Problem]:
    """A warning for each tool that cannot be imported, and for each field that has no place."""
    place = Place(Source(str(taken.path), ""), 1, 1)
    for name, reason in taken.left_out.items():
        yield Problem(place, name, f"left out: {reason}", "", "warning", "left-out-tool")
    for name, key in taken.omitted:
        yield Problem(place, name, f'"{key}" is not kept', "", "warning", "left-out")


def _declare(project: Project, imported: Sequence[Target], done: Imported) -> None:
    """Declare the servers in the manifest and include their files, where it does not yet."""
    if not imported:
        return
    entries = {target.name: target.entry for target in imported if target.entry is not None}
    files = [file.path for file in done.snapshots]
    done.add(add_to_manifest(project, entries, files, done.overlays))
