"""The implementation behind `tools.yaml`: one method for each tool."""

import os
from pathlib import Path

from tana_mcp.handlers import Handlers
from tana_mcp.models.definitions.field_value import FieldValue
from tana_mcp.models.definitions.hit import Hit
from tana_mcp.models.definitions.meeting import Meeting
from tana_mcp.models.definitions.node import Node
from tana_mcp.models.definitions.supertag import Supertag
from tana_mcp.models.definitions.transcript_hit import TranscriptHit
from tana_mcp.models.tana_cache_clear import TanaCacheClearParams, TanaCacheClearResult
from tana_mcp.models.tana_create import TanaCreateParams
from tana_mcp.models.tana_field_values import TanaFieldValuesParams
from tana_mcp.models.tana_node import TanaNodeParams, TanaNodeResult
from tana_mcp.models.tana_search import TanaSearchParams
from tana_mcp.models.tana_semantic_search import TanaSemanticSearchParams
from tana_mcp.models.tana_stats import TanaStatsParams, TanaStatsResult
from tana_mcp.models.tana_supertag_info import TanaSupertagInfoParams, TanaSupertagInfoResult
from tana_mcp.models.tana_supertags import TanaSupertagsParams
from tana_mcp.models.tana_sync import TanaSyncParams, TanaSyncResult
from tana_mcp.models.tana_tagged import TanaTaggedParams
from tana_mcp.models.tana_transcript_list import TanaTranscriptListParams
from tana_mcp.models.tana_transcript_search import TanaTranscriptSearchParams
from tana_mcp.models.tana_transcript_show import (
    TanaTranscriptShowParams,
    TanaTranscriptShowResult,
)
from toolfold_runtime import results_cache

from . import explore, query, transcripts
from .create import create
from .store import Store
from .sync import sync

_SAMPLE = Path(__file__).with_name("sample.json")


class Workspace(Handlers):
    """A Tana workspace: a database, by default the one that TANA_DATABASE names, or the sample."""

    def __init__(self, database: str | None = None) -> None:
        database = database or os.environ.get("TANA_DATABASE")
        self._store = Store(database or ":memory:")
        if not database:
            self.tana_sync(TanaSyncParams(path=str(_SAMPLE)))

    def tana_search(self, params: TanaSearchParams) -> list[Hit]:
        """Find nodes by their words."""
        return self._store.read(query.search, params)

    def tana_tagged(self, params: TanaTaggedParams) -> list[Node]:
        """Find nodes by supertag."""
        return self._store.read(query.tagged, params)

    def tana_semantic_search(self, params: TanaSemanticSearchParams) -> list[Hit]:
        """Find nodes by likeness."""
        return self._store.read(query.semantic_search, params)

    def tana_field_values(self, params: TanaFieldValuesParams) -> list[FieldValue]:
        """The values a field has."""
        return self._store.read(query.field_values, params)

    def tana_supertags(self, params: TanaSupertagsParams) -> list[Supertag]:
        """All supertags."""
        return self._store.read(explore.supertags, params)

    def tana_stats(self, params: TanaStatsParams) -> TanaStatsResult:
        """Totals of the workspace."""
        return self._store.read(explore.stats, params)

    def tana_supertag_info(self, params: TanaSupertagInfoParams) -> TanaSupertagInfoResult:
        """A supertag and its fields."""
        return self._store.read(explore.supertag_info, params)

    def tana_node(self, params: TanaNodeParams) -> TanaNodeResult:
        """One node with its children."""
        return self._store.read(explore.node, params)

    def tana_transcript_list(self, params: TanaTranscriptListParams) -> list[Meeting]:
        """Meetings that have a transcript."""
        return self._store.read(transcripts.transcript_list, params)

    def tana_transcript_show(self, params: TanaTranscriptShowParams) -> TanaTranscriptShowResult:
        """One transcript."""
        return self._store.read(transcripts.transcript_show, params)

    def tana_transcript_search(self, params: TanaTranscriptSearchParams) -> list[TranscriptHit]:
        """Lines of transcripts by their words."""
        return self._store.read(transcripts.transcript_search, params)

    def tana_create(self, params: TanaCreateParams) -> Node:
        """Create a node."""
        return self._store.write(create, params)

    def tana_sync(self, params: TanaSyncParams) -> TanaSyncResult:
        """Take over an export."""
        return sync(self._store, params)

    def tana_cache_clear(self, params: TanaCacheClearParams) -> TanaCacheClearResult:
        """Forget cached answers."""
        cache = results_cache()
        if cache is None:  # called from elsewhere than a server
            return TanaCacheClearResult(dropped=0, hits=0, misses=0)
        counts = cache.counts
        return TanaCacheClearResult(dropped=cache.clear(), hits=counts.hits, misses=counts.misses)

    def close(self) -> None:
        """Release the database."""
        self._store.close()
