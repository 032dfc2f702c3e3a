"""The manifest that servers are imported into: what it declares, and which names are taken."""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.upstream import UpstreamServer
from toolfold_runtime.upstream.secrets import variables_in

from toolfold.disk import exclusive, read_file, refuse_links
from toolfold.errors import UsageError
from toolfold.manifest.include import MAX_BYTES
from toolfold.manifest.load import read_with_includes
from toolfold.manifest.pins import definition_of, foreign_tools
from toolfold.manifest.read import read_yaml
from toolfold.manifest.schema import Upstream
from toolfold.manifest.tree import PlacedMapping, plain
from toolfold.plan.disclosure.meta_tools import default_meta_names
from toolfold.plan.text.paths import file_stem
from toolfold.plan.upstreams import upstream_server

#: The folder of imported files, beside the manifest.
FOLDER: Final = "servers"
#: The command that imports from MCP servers, and the one that imports documents of HTTP APIs.
MCP: Final = "toolfold import mcp"
OPENAPI: Final = "toolfold import openapi"
_STEM: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*")


def importer_mark(server: str, command: str) -> str:
    """The beginning of the first line of an imported file: its command and its server."""
    return f"Imported by `{command}` from the server {server},"


def first_line(server: str, command: str = MCP) -> str:
    """The first line of the file of a server, which says whose it is."""
    way_out = "overlays say what agents see instead"
    return f"{importer_mark(server, command)} which replaces it; do not edit: {way_out}"


@dataclass(frozen=True)
class ImportedFile:
    """A file of the importer's as it is on disk."""

    text: str
    tree: PlacedMapping

    def entries(self, key: str) -> Mapping[str, Any]:
        """The entries under `tools` or `categories`."""
        entries = self.tree.get(key)
        return entries if isinstance(entries, PlacedMapping) else {}

    def definitions(self) -> dict[str, Json]:
        """The imported definitions in the protocol's form, by the server's name of each tool."""
        definitions = (definition_of(tool) for tool in foreign_tools(self.tree).values())
        return {definition["name"]: definition for definition in definitions}

    def by_id(self, key: str) -> dict[str, str]:
        """The `category` of each tool by its id; with `name`, its name."""
        tools = {n: t for n, t in self.entries("tools").items() if isinstance(t, PlacedMapping)}
        return {
            str(tool.get("id")): name if key == "name" else str(tool.get(key))
            for name, tool in tools.items()
        }


class Project:
    """A manifest, existing or new, together with the names that this import has added."""

    def __init__(self, manifest: Path, command: str = MCP) -> None:
        self.manifest = manifest
        #: The importing command, which the first lines of imported files name.
        self.command = command
        self.folder = manifest.parent
        self.is_new = not manifest.exists()
        self.tree = None if self.is_new else read_with_includes(manifest)
        #: Tool name to id; to an empty text for tools without an id.
        self._tools = {
            name: str(tool.get("id") or "") if isinstance(tool, dict) else ""
            for name, tool in self._entries("tools").items()
        }
        self._categories = {name for name in self._entries("categories") if _STEM.fullmatch(name)}

    def add(
        self, file: ImportedFile | None, tools: Mapping[str, str], categories: Iterable[str]
    ) -> None:
        """Take the names of a server's tools and categories, in the place of those that it had."""
        self._tools = {**self._others("tools", file, self._tools), **tools}
        self._categories = {*self.categories_of_others(file), *categories}

    def servers(self) -> dict[str, Any]:
        """The entries under `servers:`, as plain data."""
        declared = plain(self._entries("servers"))
        return declared if isinstance(declared, dict) else {}

    def upstream(self, name: str) -> UpstreamServer:
        """A declared server as the runtime reads it; UsageError if its entry is invalid."""
        try:
            return upstream_server(name, Upstream.model_validate(self.servers()[name]))
        except ValueError:
            reason = "its entry is refused; `toolfold check` says why"
            raise UsageError(f"{self.manifest}: servers.{name}: {reason}") from None

    def variables_of_others(self, server: str) -> list[str]:
        """The environment variables that other servers of the manifest need."""
        others = {name: entry for name, entry in self.servers().items() if name != server}
        return variables_in(*_texts(others))

    def file_of(self, server: str) -> Path:
        """The file that the tools of a server are imported to."""
        stem = server if server[0].isalnum() or server[0] == "_" else f"_{server}"
        return self.folder / FOLDER / f"{file_stem(stem)}.yaml"

    def place_of(self, server: str) -> Path:
        """The file that the tools of a server were imported to, or will be."""
        tools = self._entries("tools")
        for name, identity in self._tools.items():
            if identity.partition("::")[0] == server and isinstance(tools, PlacedMapping):
                file = Path(tools.keys_at[name].source.name)
                return file if file != self.manifest else self.file_of(server)
        return self.file_of(server)

    def imported(self, server: str, path: Path | None = None) -> ImportedFile | None:
        """The file of an earlier import, at its usual path or `path`; None if there is none.

        Raises OutputError for a link, UsageError for a file that is somebody else's.
        """
        path = path or self.file_of(server)
        refuse_links(path, self.folder)
        try:
            data = read_file(path, MAX_BYTES)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror}") from None
        if not data.startswith(f"# Imported by `{self.command}` from the server ".encode()):
            is_own = data.startswith(b"# Imported by `toolfold import ")
            by = f"`{self.command}`" if is_own else "toolfold"
            raise UsageError(f"{path}: not imported by {by}, so it is kept; move it away")
        # Where case is no difference, names that differ in it are those of one file.
        if not data.startswith(f"# {importer_mark(server, self.command)}".encode()):
            raise UsageError(f"{path}: holds the tools of another server; give this one a --name")
        return ImportedFile(data.decode("utf-8", "replace"), read_yaml(data, str(path)))

    def refuse_foreign_ids(self, server: str, file: ImportedFile | None) -> None:
        """Raise UsageError if another file has tools with ids of this server."""
        others = self._others("tools", file, self._tools)
        strays = [n for n, identity in others.items() if identity.partition("::")[0] == server]
        if strays:
            fact = f'"{strays[0]}" has an id of this server, and is not in {self.file_of(server)}'
            raise UsageError(f"{fact}; remove it, with others like it")

    def names_of_others(self, file: ImportedFile | None) -> list[str]:
        """Names that no tool of a server may get: those of other tools, aliases and meta-tools."""
        others = self._others("tools", file, self._tools)
        entries = self._entries("tools")
        aliases = (
            alias
            for name in others
            if isinstance(tool := entries.get(name), dict) and isinstance(tool.get("aliases"), list)
            for alias in tool["aliases"]
        )
        return [name for name in (*others, *map(str, aliases), *self._meta_names()) if name]

    def categories_of_others(self, file: ImportedFile | None) -> list[str]:
        """Names that no category of a server may get."""
        return sorted(self._others("categories", file, dict.fromkeys(self._categories, "")))

    def tools_of_others(self, server: str) -> dict[str, str]:
        """Id to name, for tools of other servers and of the manifest itself."""
        return {
            identity or f"::{name}": name
            for name, identity in self._tools.items()
            if identity.partition("::")[0] != server
        }

    def _others(
        self, key: str, file: ImportedFile | None, entries: Mapping[str, str]
    ) -> dict[str, str]:
        mine = file.entries(key) if file else {}
        return {name: value for name, value in entries.items() if name not in mine}

    def _entries(self, key: str) -> Mapping[str, Any]:
        entries = self.tree.get(key) if self.tree is not None else None
        return entries if isinstance(entries, PlacedMapping) else {}

    def _meta_names(self) -> Iterator[str]:
        """The names of meta-tools that the manifest gives, beside the default ones."""
        prefix = self._entries("server").get("prefix")
        if isinstance(prefix, str):
            yield from (f"{prefix}{name}" for name in default_meta_names())
        meta = self._entries("disclosure").get("meta")
        for entry in meta.values() if isinstance(meta, dict) else ():
            if isinstance(entry, dict) and isinstance(entry.get("name"), str):
                yield entry["name"]


@contextmanager
def locked(manifest: Path) -> Iterator[None]:
    """Lock the manifest against other imports."""
    refuse_links(manifest, manifest.parent)
    with exclusive(manifest.with_name(f".{manifest.name}.toolfold-lock")):
        yield


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for item in inner for text in _texts(item)]
