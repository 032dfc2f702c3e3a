"""Calls of the workspace's methods by the names of tools, and short forms of their results."""

from collections.abc import Iterable
from typing import Any, Protocol, get_type_hints

from tana_mcp.models.tana_stats import TanaStatsParams, TanaStatsResult
from tana_mcp.models.tana_sync import TanaSyncParams, TanaSyncResult

from examples.tana.workspace import Workspace


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class _Identified(Protocol):
    @property
    def id(self) -> str: ...


def called(workspace: Workspace, tool: str, arguments: dict[str, Any]) -> Any:
    """What a tool's method returns for these arguments."""
    method = getattr(workspace, tool)
    return method(get_type_hints(method)["params"](**arguments))


def totals(workspace: Workspace) -> TanaStatsResult:
    return workspace.tana_stats(TanaStatsParams())


def synced(workspace: Workspace, path: str, dry_run: bool = False) -> TanaSyncResult:
    return workspace.tana_sync(TanaSyncParams(path=path, dry_run=dry_run))


def names(results: Iterable[_Named]) -> list[str]:
    return [result.name for result in results]


def ids(results: Iterable[_Identified]) -> list[str]:
    return [result.id for result in results]
