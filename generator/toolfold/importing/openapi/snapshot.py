"""The operations of one document as a file that a manifest includes, compared with the one before."""

from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from toolfold_runtime.contract.codec import Json

from toolfold.errors import ManifestError, UsageError
from toolfold.importing.openapi.convert import Converted, Surroundings, converted
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.openapi.warnings import Warnings
from toolfold.importing.servers.compare import compare
from toolfold.importing.servers.project import ImportedFile, Project, first_line
from toolfold.importing.servers.snapshot import Snapshot
from toolfold.importing.write import manifest_text
from toolfold.manifest.include import MAX_BYTES
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import Tool
from toolfold.manifest.tree import PlacedMapping, plain

#: The fields of a tool that are compared, by what the comparison calls them.
_COMPARED = {"title": "summary", "description": "description", "inputSchema": "input_schema"}


class Taken(NamedTuple):
    """A snapshot, what it was made of, and its file as it is read."""

    snapshot: Snapshot
    converted: Converted
    tree: PlacedMapping


def snapshot(
    project: Project,
    server: str,
    document: Document,
    selection: Selection,
    path: Path,
    warnings: Warnings,
) -> Taken:
    """The file of a document's operations; UsageError where none can be written."""
    before = project.imported(server, path)
    project.refuse_foreign_ids(server, before)
    around = Surroundings(
        before.by_id("name") if before else {},
        before.by_id("category") if before else {},
        project.names_of_others(before),
        project.categories_of_others(before),
    )
    done = converted(document, server, selection, warnings, around)
    text, tree = _written(done.data, server, project.command, path)
    taken = Snapshot(
        server=server,
        path=path,
        text=text,
        tools={name: entry["id"] for name, entry in done.data["tools"].items()},
        categories=tuple(done.data["categories"]),
        comparison=compare(imported_operations(before), comparable(done.data)),
        before=before,
        left_out={},
    )
    return Taken(taken, done, tree)


def imported_operations(before: ImportedFile | None) -> dict[str, Json]:
    """What was imported before, as it is compared."""
    return {} if before is None else comparable(plain(before.tree))


def comparable(data: Any) -> dict[str, Json]:
    """What is compared of a file's operations and definitions, by what the document calls each."""
    tools = data.get("tools") if isinstance(data, dict) else None
    definitions = data.get("$defs") if isinstance(data, dict) else None
    operations = {
        str(entry["id"]).partition("::")[2]: _definition(entry)
        for entry in (tools.values() if isinstance(tools, dict) else ())
        if isinstance(entry, dict) and "id" in entry
    }
    shared = definitions.items() if isinstance(definitions, dict) else ()
    return operations | {
        f"$defs {name}": {"name": name, "inputSchema": schema} for name, schema in shared
    }


def _definition(entry: Json) -> Json:
    backend = entry.get("backend", {})
    answer = backend.get("answer", {})
    request = {key: backend[key] for key in ("operation", "request", "pages") if key in backend}
    rest = {key: value for key, value in answer.items() if key != "schema"}
    compared = {theirs: entry.get(ours) for theirs, ours in _COMPARED.items()}
    return {
        "name": entry["id"],
        **compared,
        "outputSchema": answer.get("schema"),
        "annotations": {**request, **rest, "deprecated": entry.get("deprecated", False)},
    }


def _written(data: Json, server: str, command: str, path: Path) -> tuple[str, PlacedMapping]:
    """The text of the file, which says exactly what the data says, and has the form of a manifest."""
    text = manifest_text(data, first_line(server, command))
    if len(text.encode()) > MAX_BYTES:
        raise UsageError(f"its operations take more than {MAX_BYTES:,} bytes; --include some")
    for entry in data["tools"].values():
        try:
            Tool.model_validate(entry)
        except ValidationError as error:
            where, fact = error.errors()[0]["loc"], error.errors()[0]["msg"]
            text = f"{entry['id']}: {'.'.join(map(str, where))[:200]}: {fact}"
            raise UsageError(f"{text}; leave it out with --exclude") from None
    try:
        tree = read_yaml(text.encode(), str(path))
    except ManifestError as error:
        raise RuntimeError(f"what was written cannot be read: {error.problems[0]}") from None
    if tree != data:
        raise RuntimeError("what was written reads otherwise")
    return text, tree
