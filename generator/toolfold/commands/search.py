"""`toolfold search` and `toolfold eval`: the server's own search, over the manifest as it is now."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from toolfold_runtime.search.answer import answer
from toolfold_runtime.search.find import Finder, Found, finder_for

from toolfold.compile import plan_manifest
from toolfold.manifest.load import Loaded, load_with_problems


@dataclass(frozen=True)
class Explained:
    """What a query found, and what each part contributed."""

    found: Found
    search: "Search"

    def text(self) -> str:
        """A line of figures and the hit itself, for each; what an agent reads where there is none."""
        if not self.found.tools:
            return answer(self.found, self.search.finder.index, self.search.server)
        rows = []
        for rank, one in enumerate(self.found.tools, start=1):
            tool = self.search.finder.index.tools[one.tool]
            parts = "  ".join(f"{name} {value:+.2f}" for name, value in one.parts.items())
            rows.append(
                f"{rank}. {tool.lines[0]}\n   {one.score:.2f} = {parts or 'by name or qualifier'}"
            )
        return "\n".join([*rows, *self.found.query.hints])

    def json(self) -> str:
        """The same for machines."""
        hits = [
            {
                "id": self.search.id_of(one.tool),
                "score": round(one.score, 4),
                "parts": _rounded(one.parts),
            }
            for one in self.found.tools
        ]
        record = {"query": self.found.asked, "hits": hits, "hints": self.found.query.hints}
        return json.dumps(record, ensure_ascii=False, indent=2)


@dataclass(frozen=True)
class Search:
    """The search of a manifest, without generating it."""

    finder: Finder
    ids: dict[str, str]
    server: dict[str, Any]

    def explained(self, query: str, limit: int) -> Explained:
        """The best tools with what made them so."""
        return Explained(self.finder.find(query, limit), self)

    def ranked_ids(self, query: str, limit: int) -> list[str]:
        """The ids of the best tools."""
        return [self.id_of(one.tool) for one in self.finder.find(query, limit).tools]

    def id_of(self, tool: int) -> str:
        """A tool's id by its number."""
        return self.ids[self.finder.index.tools[tool].name]


def search_of(manifest: Path, strategy: str | None = None) -> Search:
    """The search of a manifest, by its own strategy or another."""
    loaded = _with_strategy(load_with_problems(manifest), strategy)
    data = plan_manifest(loaded).data
    finder = finder_for(lambda path: data[path].encode(), loaded.manifest.disclosure.search)
    ids = {name: loaded.manifest.id_of(name) for name in loaded.manifest.tools}
    return Search(finder, ids, json.loads(data["server.json"]))


def _with_strategy(loaded: Loaded, strategy: str | None) -> Loaded:
    if strategy is None:
        return loaded
    disclosure = loaded.manifest.disclosure.model_copy(update={"search": strategy})
    return replace(loaded, manifest=loaded.manifest.model_copy(update={"disclosure": disclosure}))


def _rounded(parts: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in parts.items()}
