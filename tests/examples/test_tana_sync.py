"""Syncing the workspace with exports: added, changed, removed, or refused whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tana_mcp.models.tana_create import TanaCreateParams
from tana_mcp.models.tana_node import TanaNodeParams
from tana_mcp.models.tana_search import TanaSearchParams
from tana_mcp.models.tana_semantic_search import TanaSemanticSearchParams
from tana_mcp.models.tana_supertags import TanaSupertagsParams
from tana_mcp.models.tana_sync import TanaSyncResult
from tana_mcp.models.tana_transcript_list import TanaTranscriptListParams
from tana_mcp.models.tana_transcript_search import TanaTranscriptSearchParams

from examples.tana.errors import WorkspaceError
from examples.tana.workspace import Workspace
from tests.examples.calls import ids, names, synced, totals
from tests.examples.exports import SAMPLE, export_of, node


def counts(
    added: int, changed: int, removed: int, unchanged: int, applied: bool = True
) -> TanaSyncResult:
    return TanaSyncResult(
        added=added, changed=changed, removed=removed, unchanged=unchanged, applied=applied
    )


def test_syncing_the_same_export_twice_changes_nothing(workspace: Workspace) -> None:
    def state() -> tuple[object, ...]:
        hits = workspace.tana_search(TanaSearchParams(query="onboarding"))
        return totals(workspace), hits, workspace.tana_transcript_list(TanaTranscriptListParams())

    before = state()

    assert synced(workspace, str(SAMPLE)) == counts(0, 0, 0, 54)
    assert state() == before


def test_sync_adds_changes_and_removes(
    workspace: Workspace, export: dict[str, Any], saved: Callable[[object], str]
) -> None:
    export["nodes"] = [n for n in export["nodes"] if n["id"] not in ("m-office", "n-cafe")]
    changed = next(n for n in export["nodes"] if n["id"] == "n-naming")
    changed["name"] = "Christening gadgets"
    export["nodes"].append(node("new", name="Quokka", parent="notes", supertags=["note"]))

    assert synced(workspace, saved(export)) == counts(1, 1, 2, 51)

    assert names(workspace.tana_search(TanaSearchParams(query="quokka"))) == ["Quokka"]
    assert ids(workspace.tana_search(TanaSearchParams(query="gadgets"))) == ["n-naming"]
    old_name = TanaSemanticSearchParams(query="naming things", min_score=0.5)
    assert workspace.tana_semantic_search(old_name) == []
    assert workspace.tana_search(TanaSearchParams(query="café")) == []
    lines = workspace.tana_transcript_search(TanaTranscriptSearchParams(query="budget"))
    assert {line.meeting_id for line in lines} == {"m-kickoff"}
    assert totals(workspace).meetings == 2


def test_the_order_of_siblings_follows_the_export(saved: Callable[[object], str]) -> None:
    workspace = Workspace(":memory:")
    below = [node(name, parent="top") for name in ("a", "b", "c")]
    synced(workspace, saved(export_of([node("top"), *below])))

    again = synced(workspace, saved(export_of([*reversed(below), node("top")])))

    assert again == counts(0, 0, 0, 4)
    assert names(workspace.tana_node(TanaNodeParams(node_id="top")).children) == ["C", "B", "A"]
    workspace.close()


def test_nodes_created_here_survive_a_sync_that_removes_what_they_hang_on(
    workspace: Workspace, saved: Callable[[object], str]
) -> None:
    params = TanaCreateParams(name="Mine", supertags=["task"], parent_id="p-office")
    made = workspace.tana_create(params)

    assert synced(workspace, saved(export_of([node("only")]))).removed == 54

    assert workspace.tana_node(TanaNodeParams(node_id=made.id)).parent_id is None
    assert names(workspace.tana_supertags(TanaSupertagsParams(sort="name"))) == ["t", "task"]
    assert totals(workspace).nodes == 2


def test_an_export_takes_over_a_node_that_was_created_here(
    workspace: Workspace, export: dict[str, Any], saved: Callable[[object], str]
) -> None:
    made = workspace.tana_create(TanaCreateParams(name="Mine"))
    export["nodes"].append(node(made.id, name="Theirs"))

    assert synced(workspace, saved(export)) == counts(0, 1, 0, 54)
    assert workspace.tana_node(TanaNodeParams(node_id=made.id)).name == "Theirs"
    assert synced(workspace, str(SAMPLE)).removed == 1


def test_a_dry_run_counts_and_changes_nothing(
    workspace: Workspace, saved: Callable[[object], str]
) -> None:
    before = totals(workspace)

    counted = synced(workspace, saved(export_of([node("only")])), dry_run=True)

    assert counted == counts(1, 0, 54, 0, applied=False)
    assert totals(workspace) == before


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([node("a"), node("a")], r"nodes\.0\.id"),
        ([node("a"), node("b", parent="z")], r"nodes\.1\.parent"),
        ([node("a", parent="a")], "below itself"),
        ([node("a", parent="b"), node("b", parent="a")], "below itself"),
        ([node("a", supertags=["nope"])], "not defined"),
        ([node("a", supertags=["t", "T"])], "more than once"),
        ([node("a", fields={"F": ["1"], "f": ["2"]})], "more than once"),
        ([node("a", created="yesterday")], r"nodes\.0\.created"),
        ([node("a", created="0001-01-01T00:00:00+14:00")], r"nodes\.0\.created"),
        ([node("a", surprise=1)], r"nodes\.0\.surprise"),
        ([node("a", name="\ud800")], "not valid"),
        ([node("a", name=7)], r"nodes\.0\.name"),
        ([node("a", transcript={"date": "Monday", "lines": []})], "date"),
    ],
)
def test_a_malformed_export_changes_nothing(
    workspace: Workspace,
    saved: Callable[[object], str],
    nodes: list[dict[str, Any]],
    message: str,
) -> None:
    before = totals(workspace)

    with pytest.raises(WorkspaceError, match=message):
        synced(workspace, saved(export_of(nodes)))

    assert totals(workspace) == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_file_that_is_no_export_is_refused(
    workspace: Workspace, tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)

    with pytest.raises(WorkspaceError, match="nothing was changed"):
        synced(workspace, str(path))


@pytest.mark.parametrize("path", ["missing.json", ".", "a\0b"])
def test_a_path_without_a_file_is_told(workspace: Workspace, path: str) -> None:
    with pytest.raises(WorkspaceError, match="path of a"):
        synced(workspace, path)
