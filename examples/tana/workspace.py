"""The implementation behind `tools.yaml`: each tool is one operation of the store."""

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import TypeAdapter
from tana_mcp.handlers import Handlers
from tana_mcp.models.tana_cache_clear import TanaCacheClearParams, TanaCacheClearResult
from tana_mcp.models.tana_create import TanaCreateParams, TanaCreateResult
from tana_mcp.models.tana_field_values import TanaFieldValuesParams, TanaFieldValuesResult
from tana_mcp.models.tana_node import TanaNodeParams, TanaNodeResult
from tana_mcp.models.tana_search import TanaSearchParams, TanaSearchResult
from tana_mcp.models.tana_semantic_search import (
    TanaSemanticSearchParams,
    TanaSemanticSearchResult,
)
from tana_mcp.models.tana_stats import TanaStatsParams, TanaStatsResult
from tana_mcp.models.tana_supertag_info import TanaSupertagInfoParams, TanaSupertagInfoResult
from tana_mcp.models.tana_supertags import TanaSupertagsParams, TanaSupertagsResult
from tana_mcp.models.tana_sync import TanaSyncParams, TanaSyncResult
from tana_mcp.models.tana_tagged import TanaTaggedParams, TanaTaggedResult
from tana_mcp.models.tana_transcript_list import (
    TanaTranscriptListParams,
    TanaTranscriptListResult,
)
from tana_mcp.models.tana_transcript_search import (
    TanaTranscriptSearchParams,
    TanaTranscriptSearchResult,
)
from tana_mcp.models.tana_transcript_show import (
    TanaTranscriptShowParams,
    TanaTranscriptShowResult,
)
from toolfold_runtime import ToolError, results_cache
from toolfold_runtime.models import Model

from examples.tana.errors import WorkspaceError
from examples.tana.store import open_store

Result = TypeVar("Result")
_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}


class Workspace(Handlers):
    """A Tana workspace: the sample, or the database that TANA_DATABASE names."""

    def __init__(self) -> None:
        self._store = open_store()

    def tana_search(self, params: TanaSearchParams) -> TanaSearchResult:
        """Find nodes by their words."""
        return _typed(TanaSearchResult, self._store.search, params)

    def tana_tagged(self, params: TanaTaggedParams) -> TanaTaggedResult:
        """Find nodes by supertag."""
        return _typed(TanaTaggedResult, self._store.tagged, params)

    def tana_semantic_search(self, params: TanaSemanticSearchParams) -> TanaSemanticSearchResult:
        """Find nodes by likeness."""
        return _typed(TanaSemanticSearchResult, self._store.semantic_search, params)

    def tana_field_values(self, params: TanaFieldValuesParams) -> TanaFieldValuesResult:
        """The values a field has."""
        return _typed(TanaFieldValuesResult, self._store.field_values, params)

    def tana_supertags(self, params: TanaSupertagsParams) -> TanaSupertagsResult:
        """All supertags."""
        return _typed(TanaSupertagsResult, self._store.supertags, params)

    def tana_stats(self, params: TanaStatsParams) -> TanaStatsResult:
        """Totals of the workspace."""
        return _typed(TanaStatsResult, self._store.stats, params)

    def tana_supertag_info(self, params: TanaSupertagInfoParams) -> TanaSupertagInfoResult:
        """A supertag and its fields."""
        return _typed(TanaSupertagInfoResult, self._store.supertag_info, params)

    def tana_node(self, params: TanaNodeParams) -> TanaNodeResult:
        """One node with its children."""
        return _typed(TanaNodeResult, self._store.node, params)

    def tana_transcript_list(self, params: TanaTranscriptListParams) -> TanaTranscriptListResult:
        """Meetings that have a transcript."""
        return _typed(TanaTranscriptListResult, self._store.transcript_list, params)

    def tana_transcript_show(self, params: TanaTranscriptShowParams) -> TanaTranscriptShowResult:
        """One transcript."""
        return _typed(TanaTranscriptShowResult, self._store.transcript_show, params)

    def tana_transcript_search(
        self, params: TanaTranscriptSearchParams
    ) -> TanaTranscriptSearchResult:
        """Lines of transcripts by their words."""
        return _typed(TanaTranscriptSearchResult, self._store.transcript_search, params)

    def tana_create(self, params: TanaCreateParams) -> TanaCreateResult:
        """Create a node."""
        return _typed(TanaCreateResult, self._store.create, params)

    def tana_sync(self, params: TanaSyncParams) -> TanaSyncResult:
        """Take over an export."""
        return _typed(TanaSyncResult, self._store.sync, params)

    def tana_cache_clear(self, params: TanaCacheClearParams) -> TanaCacheClearResult:
        """Forget cached answers."""
        kept = results_cache()
        if kept is None:  # called from elsewhere than a server
            return TanaCacheClearResult(dropped=0, hits=0, misses=0)
        counts = kept.counts
        return TanaCacheClearResult(dropped=kept.clear(), hits=counts.hits, misses=counts.misses)

    def close(self) -> None:
        """Release the database."""
        self._store.close()


def _typed(kind: type[Result], operation: Callable[..., object], params: Model) -> Result:
    """Run an operation with the parameters that were given; its refusals are for the agent."""
    try:
        return _adapter(kind).validate_python(operation(**params.model_dump()))
    except WorkspaceError as error:
        raise ToolError("backend_failed", str(error)) from None


def _adapter(kind: type[Result]) -> TypeAdapter[Result]:
    """The adapter of a result's type, made once: making one costs more than a call."""
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
