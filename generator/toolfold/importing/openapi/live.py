"""Reading a declared document again, to compare it with what was imported; nothing is written."""

from typing import NamedTuple

from toolfold_runtime.upstream.listing import LiveServer

from toolfold.importing.openapi.document import Document, read_document
from toolfold.importing.openapi.snapshot import snapshot
from toolfold.importing.openapi.targets import DeclaredApi
from toolfold.importing.openapi.version import version_of
from toolfold.importing.openapi.warnings import Warnings
from toolfold.importing.servers.compare import Comparison
from toolfold.importing.servers.project import Project


class TakenAgain(NamedTuple):
    """What a document says now; no comparison where nothing was imported from it."""

    live: LiveServer
    comparison: Comparison | None


def taken_again(project: Project, api: DeclaredApi, seconds: float) -> TakenAgain:
    """A document as it is now; UsageError where it cannot be read or imported."""
    warnings = Warnings()
    document = read_document(api.source, seconds, warnings)
    path = project.place_of(api.name)
    taken, conversion, _ = snapshot(project, api.name, document, api.selection, path, warnings)
    tools = [{"name": name} for name in conversion.data["tools"]]
    live = LiveServer(
        name=_info(document, "title"),
        version=_info(document, "version"),
        instructions=None,
        protocol_version=f"openapi {version_of(document)}",
        tools=tools,
    )
    return TakenAgain(live, taken.comparison if taken.before is not None else None)


def _info(document: Document, key: str) -> str | None:
    info = document.data.get("info")
    value = info.get(key) if isinstance(info, dict) else None
    return str(value) if isinstance(value, str | int | float) else None
