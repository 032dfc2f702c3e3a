"""Which documents are imported: one that was named, or those of the servers that the manifest declares."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from toolfold_runtime.contract.codec import Json

from toolfold.errors import UsageError
from toolfold.importing.openapi.document import Document
from toolfold.importing.openapi.fetch import is_address
from toolfold.importing.openapi.names import slug_of
from toolfold.importing.openapi.selection import Selection
from toolfold.importing.servers.literals import secrets_in
from toolfold.importing.servers.project import Project
from toolfold.importing.servers.targets import legal_name

# File names that do not say whose document it is.
_NAMELESS: Final = re.compile(
    r"(open-?api|swagger|api|api-?docs|spec|schema|index|document|v\d[\w.-]*)?", re.IGNORECASE
)
_ENDING: Final = re.compile(r"\.(json|ya?ml)$", re.IGNORECASE)


@dataclass(frozen=True)
class DeclaredApi:
    """A server of the manifest whose tools are imported from a document."""

    name: str
    #: The path, as it is opened from here, or the address.
    source: str
    selection: Selection


def declared_apis(project: Project, name: str | None) -> list[DeclaredApi]:
    """The declared ones, or the one of that name; UsageError where there is none."""
    apis = list(_declared(project, name))
    if not apis:
        which = f'no server "{name}" with `openapi:` is' if name else "no server with `openapi:` is"
        way_out = "name a document: `toolfold import openapi FILE`"
        raise UsageError(f"{project.manifest}: {which} declared; {way_out}")
    return apis


def _declared(project: Project, name: str | None) -> Iterator[DeclaredApi]:
    for server, entry in project.servers().items():
        stated = entry.get("openapi") if isinstance(entry, dict) else None
        if isinstance(stated, str) and name in (None, server):
            source = stated if is_address(stated) else str(project.folder / stated)
            yield DeclaredApi(server, source, _selection(entry))


def _selection(entry: Json) -> Selection:
    return Selection(_texts(entry.get("include")), _texts(entry.get("exclude")))


def _texts(given: Any) -> tuple[str, ...]:
    return tuple(map(str, given)) if isinstance(given, list) else ()


def name_of(source: str, document: Document) -> str:
    """What to call the server of a document: as its file is called, else by its title."""
    stem = _ENDING.sub("", (urlsplit(source).path if is_address(source) else source).split("/")[-1])
    info = document.data.get("info")
    title = info.get("title") if isinstance(info, dict) else None
    if _NAMELESS.fullmatch(stem) and isinstance(title, str):
        stem = re.sub(r"(^|_)(api|rest|openapi|swagger|http)(?=_|$)", "", slug_of(title)).strip("_")
    return legal_name(stem or "api")


def stated_source(source: str, project: Project) -> str:
    """How the manifest names a document: by its address, or by the path from its own folder."""
    if is_address(source):
        if any(True for _ in secrets_in(source)):
            way_out = "save the document in a file, and import that"
            raise UsageError(f"the address holds what looks like a secret; {way_out}")
        return source
    return Path(os.path.relpath(source, project.folder)).as_posix()


def refuse_other(project: Project, name: str, stated: str, selection: Selection) -> None:
    """Raise UsageError where the manifest declares another server by that name, or selects otherwise."""
    entry = project.servers().get(name)
    if entry is None:
        return
    if not isinstance(entry, dict) or entry.get("openapi") != stated:
        way_out = "give this one a --name"
        raise UsageError(f'another server "{name}" is declared already; {way_out}')
    if any(selection) and selection != _selection(entry):
        way_out = "change `include:` and `exclude:` there, and run `toolfold import openapi` again"
        fact = f"servers.{name} says which operations to import"
        raise UsageError(f"{project.manifest}: {fact}; {way_out}")
