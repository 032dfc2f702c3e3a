"""`toolfold import openapi`: documents in, files of a manifest and what to know about them out."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from toolfold_runtime.contract.codec import Json

from toolfold.compile import paused_collection
from toolfold.disk import replace_file
from toolfold.errors import OutputError, UsageError
from toolfold.importing.openapi.convert import Converted
from toolfold.importing.openapi.document import Document, read_document
from toolfold.importing.openapi.security import Proposal
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.openapi.servers import Location
from toolfold.importing.openapi.snapshot import snapshot
from toolfold.importing.openapi.targets import (
    DeclaredApi,
    declared_apis,
    name_of,
    refuse_other,
    stated_source,
)
from toolfold.importing.openapi.warnings import Warnings
from toolfold.importing.servers import curate
from toolfold.importing.servers.additions import add_to_manifest
from toolfold.importing.servers.listing import PATIENCE
from toolfold.importing.servers.project import OPENAPI, Project, locked
from toolfold.importing.servers.review import review
from toolfold.importing.servers.run import Imported
from toolfold.importing.servers.targets import legal_name, refuse_misfit
from toolfold.importing.servers.translate import Export


@dataclass(frozen=True)
class Request:
    """What to import, and into which manifest."""

    manifest: Path
    #: A path or an address; None for the documents of all servers that the manifest declares.
    source: str | None = None
    selection: Selection = field(default_factory=Selection)
    name: str | None = None
    #: Where the API is, if its document does not say so.
    url: str | None = None
    output: Path | None = None
    seconds: float = PATIENCE
    has_overlays: bool = False


def import_documents(request: Request) -> Imported:
    """Import every document that is asked for; those that fail are named, the others go on."""
    done = Imported()
    with locked(request.manifest), paused_collection():
        project = Project(request.manifest, OPENAPI)
        entries: dict[str, Json] = {}
        if request.source is not None:
            entries = _import_given(project, request, request.source, done)
        else:
            _refuse_options(request)
            for api in declared_apis(project, request.name):
                _import_declared(project, api, request, done)
        for snapshot_file in done.snapshots:
            if not snapshot_file.is_unchanged:
                replace_file(snapshot_file.path, snapshot_file.text.encode(), project.folder)
        if request.has_overlays:
            written = (
                curate.write_overlay(project, snapshot_file) for snapshot_file in done.snapshots
            )
            done.overlays.extend(path for path in written if path is not None)
        files = [snapshot_file.path for snapshot_file in done.snapshots]
        done.add(add_to_manifest(project, entries, files, done.overlays))
    return done


def _import_given(
    project: Project, request: Request, source: str, done: Imported
) -> dict[str, Json]:
    """Import a document that was named; the entry of its server, where the manifest has none."""
    warnings = Warnings()
    document = read_document(source, request.seconds, warnings)
    name = request.name or name_of(source, document)
    if legal_name(name) != name:
        raise UsageError(f'--name {name}: letters, digits, ".", "_" and "-", at most 64')
    stated = stated_source(source, project)
    refuse_other(project, name, stated, request.selection)
    if name in project.servers():
        (api,) = declared_apis(project, name)
        _take(project, name, document, api.selection, request, warnings, done)
        return {}
    taken = _take(project, name, document, request.selection, request, warnings, done)
    located = Location(request.url, {}) if request.url else taken.location
    done.notes.extend(f"{name}: {note}" for note in (*located.notes, *taken.auth.notes))
    needed = {**located.variables, **taken.auth.variables}
    exports = tuple(Export(variable, holds) for variable, holds in needed.items())
    done.exports.update({name: exports} if exports else {})
    entry = dict(_entry(stated, request.selection, located, taken.auth))
    refuse_misfit(entry)
    return {name: entry}


def _refuse_options(request: Request) -> None:
    if any(request.selection) or request.url or request.output:
        way_out = "name the document too; of declared ones, the manifest says these"
        raise UsageError(f"--include, --exclude, --url and -o belong to one document; {way_out}")


def _import_declared(project: Project, api: DeclaredApi, request: Request, done: Imported) -> None:
    warnings = Warnings()
    try:
        document = read_document(api.source, request.seconds, warnings)
        _take(project, api.name, document, api.selection, request, warnings, done)
    except (UsageError, OutputError) as error:
        done.failures[api.name] = str(error)


def _take(
    project: Project,
    name: str,
    document: Document,
    selection: Selection,
    request: Request,
    warnings: Warnings,
    done: Imported,
) -> Converted:
    path = request.output or project.place_of(name)
    taken, conversion, tree = snapshot(project, name, document, selection, path, warnings)
    done.problems.extend(warnings.problems(document.name))
    done.problems.extend(review(taken, project.tools_of_others(name), tree))
    project.add(taken.before, taken.tools, taken.categories)
    done.snapshots.append(taken)
    return conversion


def _entry(
    stated: str, selection: Selection, located: Location, auth: Proposal
) -> Iterator[tuple[str, Any]]:
    """The entry of a server as it is to be declared."""
    yield "openapi", stated
    query = "&".join(f"{quote(name, '')}={value}" for name, value in auth.query.items())
    yield "url", f"{located.url}?{query}" if query else located.url
    if auth.auth is not None:
        yield "auth", auth.auth
    if auth.headers:
        yield "headers", dict(auth.headers)
    for key, tags_or_paths in (("include", selection.include), ("exclude", selection.exclude)):
        if tags_or_paths:
            yield key, list(tags_or_paths)
