"""`toolfold search` and `toolfold eval`: the server's own search, over the manifest as it is now."""

from dataclasses import dataclass, replace
from pathlib import Path

from toolfold_runtime.contract.server import ServerFacts
from toolfold_runtime.contract.vocabulary import Strategy
from toolfold_runtime.search.find import Finder, finder_for

from toolfold.compile import plan_manifest
from toolfold.manifest.load import Loaded, load_with_problems


@dataclass(frozen=True)
class Search:
    """The search of a manifest, without generating it."""

    finder: Finder
    ids: dict[str, str]
    facts: ServerFacts

    def ranked_ids(self, query: str, limit: int) -> list[str]:
        """The ids of the best tools."""
        return [self.id_of(one.tool) for one in self.finder.find(query, limit).tools]

    def id_of(self, tool: int) -> str:
        """A tool's id by its number."""
        return self.ids[self.finder.index.tools[tool].name]


def search_of(manifest: Path, strategy: Strategy | None = None) -> Search:
    """The search of a manifest, by its own strategy or another."""
    loaded = _with_strategy(load_with_problems(manifest), strategy)
    plan = plan_manifest(loaded)
    finder = finder_for(lambda path: plan.data[path].encode(), loaded.manifest.disclosure.search)
    ids = {name: loaded.manifest.id_of(name) for name in loaded.manifest.tools}
    return Search(finder, ids, plan.facts)


def _with_strategy(loaded: Loaded, strategy: Strategy | None) -> Loaded:
    if strategy is None:
        return loaded
    disclosure = loaded.manifest.disclosure.model_copy(update={"search": strategy})
    return replace(loaded, manifest=loaded.manifest.model_copy(update={"disclosure": disclosure}))
