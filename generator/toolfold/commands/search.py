"""`toolfold search` and `toolfold eval`: the server's own search, over the manifest as it is now."""

import json
from dataclasses import dataclass, replace
from pathlib import Path

from toolfold_runtime.contract import files
from toolfold_runtime.contract.codec import decode
from toolfold_runtime.contract.server import ServerFacts
from toolfold_runtime.contract.vocabulary import Strategy
from toolfold_runtime.search.answer import answer
from toolfold_runtime.search.find import Finder, SearchResults, finder_for

from toolfold.manifest.load import Loaded, examine
from toolfold.plan.catalog import build_plan


@dataclass(frozen=True)
class Explained:
    """The results of a query, and what each part contributed."""

    results: SearchResults
    search: "Search"

    def text(self) -> str:
        """The figures and the line of each result; what an agent reads where there is none."""
        if not self.results.tools:
            return answer(self.results, self.search.finder.index, self.search.facts)
        rows = []
        for rank, one in enumerate(self.results.tools, start=1):
            tool = self.search.finder.index.tools[one.tool]
            parts = "  ".join(f"{name} {value:+.2f}" for name, value in one.parts.items())
            rows.append(
                f"{rank}. {tool.result_lines[0]}\n   {one.score:.2f} = {parts or 'by name or qualifier'}"
            )
        return "\n".join([*rows, *self.results.query.hints])

    def json(self) -> str:
        """The same for machines."""
        hits = [
            {
                "id": self.search.id_of(one.tool),
                "score": round(one.score, 4),
                "parts": _rounded(one.parts),
            }
            for one in self.results.tools
        ]
        record = {"query": self.results.given, "hits": hits, "hints": self.results.query.hints}
        return json.dumps(record, ensure_ascii=False, indent=2)


@dataclass(frozen=True)
class Search:
    """The search of a manifest, without generating it."""

    finder: Finder
    ids: dict[str, str]
    facts: ServerFacts

    def explained(self, query: str, limit: int) -> Explained:
        """The best tools with what made them so."""
        return Explained(self.finder.find(query, limit), self)

    def ranked_ids(self, query: str, limit: int) -> list[str]:
        """The ids of the best tools."""
        return [self.id_of(one.tool) for one in self.finder.find(query, limit).tools]

    def id_of(self, tool: int) -> str:
        """A tool's id by its number."""
        return self.ids[self.finder.index.tools[tool].name]


def search_of(manifest: Path, strategy: Strategy | None = None) -> Search:
    """The search of a manifest, by its own strategy or another."""
    loaded = _with_strategy(examine(manifest), strategy)
    data = build_plan(loaded, "../..").data
    finder = finder_for(lambda path: data[path].encode(), loaded.manifest.disclosure.search)
    ids = {name: loaded.manifest.id_of(name) for name in loaded.manifest.tools}
    return Search(finder, ids, decode(ServerFacts, json.loads(data[files.SERVER])))


def _with_strategy(loaded: Loaded, strategy: Strategy | None) -> Loaded:
    if strategy is None:
        return loaded
    disclosure = loaded.manifest.disclosure.model_copy(update={"search": strategy})
    return replace(loaded, manifest=loaded.manifest.model_copy(update={"disclosure": disclosure}))


def _rounded(parts: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 4) for name, value in parts.items()}
