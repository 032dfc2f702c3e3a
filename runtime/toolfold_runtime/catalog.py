"""The baked catalog of a generated package: read on demand, kept once read."""
# ruff: noqa: A002 - `format` is the word that agents use

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolfold_runtime.errors import ToolError, unknown

Json = dict[str, Any]


@dataclass(frozen=True)
class Entry:
    """A tool as the catalog knows it."""

    name: str
    effect: str
    module: str
    params: str
    method: str
    wraps_result: bool
    signature: str
    example: Json | None
    definition: Json
    views: dict[str, str]


class Catalog:
    """Views, names and tool entries of one generated package.

    Nothing is read when it is made; names are read on the first look-up, entries one by one.
    """

    def __init__(self, folder: Path, package: str) -> None:
        self.folder = folder
        self.package = package
        self._entries: dict[str, Entry] = {}

    @cached_property
    def server(self) -> Json:
        """The server's own facts; their size does not depend on the number of tools."""
        return self._read("server.json")

    def names(self) -> list[str]:
        """Every tool's name, in the manifest's order."""
        return list(self._names["tools"])

    def entries(self) -> Iterator[Entry]:
        """Every tool, in the manifest's order."""
        return (self.entry(name) for name in self.names())

    def entry(self, name: str) -> Entry:
        """The tool of that name or alias; ToolError `unknown_tool` with the nearest names."""
        name = self._names["others"].get(name, name)
        if name not in self._entries:
            stem = self._names["tools"].get(name)
            if stem is None:
                raise unknown("unknown_tool", "tool", name, self.names())
            read = self._line(f"tools/{stem}.jsonl", name)
            fields = Entry.__dataclass_fields__
            self._entries[name] = Entry(**{key: read[key] for key in fields})
        return self._entries[name]

    def inventory(
        self, category: str = "", detail: str = "", page: int = 1, format: str = ""
    ) -> str:
        """The inventory view, of one category if it is named."""
        views = self._inventory
        if not category:
            return str(views["all"])
        if category not in views["categories"]:
            raise unknown("unknown_category", "category", category, views["categories"])
        return str(views["categories"][category])

    def details(self, tools: str, detail: str = "schema") -> str:
        """The detail view of one tool, or of several separated by commas, one per line."""
        names = [name.strip() for name in tools.split(",") if name.strip()]
        if not names:
            raise ToolError("unknown_tool", "no tool was named. Pass its name as `tool`.")
        return "\n".join(self.entry(name).views["schema"] for name in names)

    @cached_property
    def _names(self) -> Json:
        return self._read("names.json")

    @cached_property
    def _inventory(self) -> Json:
        return self._read("inventory.json")

    def _line(self, file: str, name: str) -> Json:
        """The line of one tool; found by its first key, so that no other line is parsed."""
        data = (self.folder / file).read_bytes()
        start = data.index(b'\n{"name":"%s",' % name.encode()) + 1
        end = data.find(b"\n", start)
        loaded: Json = json.loads(data[start:end])
        return loaded

    def _read(self, name: str) -> Json:
        loaded: Json = json.loads((self.folder / name).read_bytes())
        return loaded
