"""The baked catalog of a generated package: read on demand, kept once read."""
# ruff: noqa: A001, A002 - `format` is the word that agents use

import json
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from toolfold_runtime.errors import ToolError, not_one_of, unknown

Json = dict[str, Any]

_DETAILS: Final = ("counts", "overview", "names", "summaries", "full", "hot")
_CATEGORY_DETAILS: Final = ("names", "summaries", "full")
_TOOL_DETAILS: Final = ("summary", "schema", "full")
_FORMATS: Final = ("json", "text")


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
    hit: str
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
        self._pages: dict[tuple[str, str], Json] = {}
        self._offsets: dict[str, dict[str, tuple[int, int]]] = {}

    @cached_property
    def server(self) -> Json:
        """The server's own facts; their size does not depend on the number of tools."""
        return self._read("server.json")

    def names(self) -> list[str]:
        """Every tool's name, in the manifest's order."""
        return list(self._names["tools"])

    def knows(self, name: str) -> bool:
        """Whether a tool has that name, alias or id."""
        return name in self._names["tools"] or name in self._names["others"]

    def entry(self, name: str) -> Entry:
        """The tool of that name, alias or id; ToolError `unknown_tool` with the nearest names."""
        name = self._names["others"].get(name, name)
        if name not in self._entries:
            stem = self._names["tools"].get(name)
            if stem is None:
                raise unknown("unknown_tool", "tool", name, self.names())
            read = self._line(f"tools/{stem}.jsonl", name)
            if read is None:
                raise KeyError(f"{name} is not in the catalog; generate again")
            fields = Entry.__dataclass_fields__
            self._entries[name] = Entry(**{key: read[key] for key in fields})
        return self._entries[name]

    def inventory(
        self, category: str = "", detail: str = "", page: int = 1, format: str = ""
    ) -> str:
        """An inventory view: of one category if it is named, in as much detail as is asked for."""
        format = format or self.server["format"]
        if format not in _FORMATS:
            raise not_one_of("format", format, _FORMATS)
        if category:
            return self._category(category, detail or "summaries", page, format)
        if detail and detail not in _DETAILS:
            raise not_one_of("detail", detail, _DETAILS)
        if not detail and format == self.server["format"]:
            detail = "default"
        return self._page("inventory.jsonl", detail or self.server["default_view"], page, format)

    def details(self, tools: str, detail: str = "schema") -> str:
        """The detail view of one tool, or of several separated by commas, one per line."""
        names = [name.strip() for name in tools.split(",") if name.strip()]
        if not names:
            raise ToolError("unknown_tool", "no tool was named. Pass its name as `tool`.")
        if detail not in _TOOL_DETAILS:
            raise not_one_of("detail", detail, _TOOL_DETAILS)
        return "\n".join(self._detail(self.entry(name), detail) for name in names)

    def search(self, query: str, limit: int = 5) -> str:
        """One line per hit: an exact name, then names that start so, then words."""
        from toolfold_runtime.search import answer

        if self.knows(query.strip()):
            found = self.entry(query.strip())  # by name, without looking at any other tool
            return answer(found.name, limit, {found.name: found.hit}, self.server)
        return answer(query, limit, self._hits, self.server)

    def _category(self, category: str, detail: str, page: int, format: str) -> str:
        stem = self._names["categories"].get(category)
        if stem is None:
            raise unknown("unknown_category", "category", category, self._names["categories"])
        if detail not in _CATEGORY_DETAILS:
            raise not_one_of("detail of a category", detail, _CATEGORY_DETAILS)
        return self._page(f"categories/{stem}.jsonl", detail, page, format)

    def _detail(self, entry: Entry, detail: str) -> str:
        if detail != "full":
            return entry.views[detail]
        return full(entry.views)

    def _page(self, file: str, detail: str, page: int, format: str) -> str:
        key = (file, f"{detail} {format} {page}")
        if key not in self._pages:
            read = self._line(file, key[1])
            if read is None:
                first = self._line(file, f"{detail} {format} 1")
                pages = first["pages"] if first else 0
                text = f"no page {page}: this view has {pages}."
                raise ToolError("invalid_arguments", text)
            self._pages[key] = read
        return str(self._pages[key]["text"])

    @cached_property
    def _names(self) -> Json:
        return self._read("names.json")

    @cached_property
    def _hits(self) -> dict[str, str]:
        return dict(self._read("hits.json")["hits"])

    def _line(self, file: str, value: str) -> Json | None:
        """The line whose first key has this value; no other line is parsed."""
        if file not in self._offsets:
            self._offsets[file] = _offsets((self.folder / file).read_bytes())
        if value not in self._offsets[file]:
            return None
        start, length = self._offsets[file][value]
        with (self.folder / file).open("rb") as lines:
            lines.seek(start)
            loaded: Json = json.loads(lines.read(length))
        return loaded

    def _read(self, name: str) -> Json:
        loaded: Json = json.loads((self.folder / name).read_bytes())
        return loaded


def _offsets(data: bytes) -> dict[str, tuple[int, int]]:
    """Where each line of a file stands, by the value of its first key."""
    found = {}
    start = data.index(b"\n") + 1  # the first line says whose file it is
    while start < len(data):
        end = data.index(b"\n", start)
        quote = data.index(b'":"', start) + 3
        name = data[quote : data.index(b'"', quote)].decode()
        found[name] = (start, end - start)
        start = end + 1
    return found


def full(views: dict[str, str]) -> str:
    """The schema view with everything else there is to know behind it."""
    schema, more = views["schema"], views["more"]
    if more in ("", "{}"):
        return schema
    return f"{schema[:-1]},{more[1:]}" if schema.startswith("{") else f"{schema}\n{more}"
