"""Syncing the workspace with exports: added, changed, removed, or refused whole."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from examples.tana.store import Store, WorkspaceError
from tests.examples.exports import SAMPLE, export_of, names, node


def counts(added: int, changed: int, removed: int, unchanged: int) -> dict[str, Any]:
    told = {"added": added, "changed": changed, "removed": removed, "unchanged": unchanged}
    return {**told, "applied": True}


def test_syncing_the_same_export_twice_changes_nothing(store: Store) -> None:
    before = (store.stats(), store.search(query="onboarding"), store.transcript_list())

    assert store.sync(path=str(SAMPLE)) == counts(0, 0, 0, 54)
    assert (store.stats(), store.search(query="onboarding"), store.transcript_list()) == before


def test_sync_adds_changes_and_removes(
    store: Store, export: dict[str, Any], saved: Callable[[object], str]
) -> None:
    export["nodes"] = [n for n in export["nodes"] if n["id"] not in ("m-office", "n-cafe")]
    changed = next(n for n in export["nodes"] if n["id"] == "n-naming")
    changed["name"] = "Christening gadgets"
    export["nodes"].append(node("new", name="Quokka", parent="notes", supertags=["note"]))

    assert store.sync(path=saved(export)) == counts(1, 1, 2, 51)

    assert names(store.search(query="quokka")) == ["Quokka"]
    assert [hit["id"] for hit in store.search(query="gadgets")] == ["n-naming"]
    assert store.semantic_search(query="naming things", min_score=0.5) == []
    assert store.search(query="café") == []
    assert {hit["meeting_id"] for hit in store.transcript_search(query="budget")} == {"m-kickoff"}
    assert store.stats()["meetings"] == 2


def test_the_order_of_siblings_follows_the_export(saved: Callable[[object], str]) -> None:
    store = Store()
    below = [node(name, parent="top") for name in ("a", "b", "c")]
    store.sync(path=saved(export_of([node("top"), *below])))

    told = store.sync(path=saved(export_of([*reversed(below), node("top")])))

    assert told == counts(0, 0, 0, 4)
    assert names(store.node(node_id="top")["children"]) == ["C", "B", "A"]
    store.close()


def test_nodes_created_here_survive_a_sync_that_removes_what_they_hang_on(
    store: Store, saved: Callable[[object], str]
) -> None:
    made = store.create(name="Mine", supertags=["task"], parent_id="p-office")

    assert store.sync(path=saved(export_of([node("only")])))["removed"] == 54

    assert "parent_id" not in store.node(node_id=made["id"])
    assert names(store.supertags(sort="name")) == ["t", "task"]
    assert store.stats()["nodes"] == 2


def test_an_export_takes_over_a_node_that_was_created_here(
    store: Store, export: dict[str, Any], saved: Callable[[object], str]
) -> None:
    made = store.create(name="Mine")
    export["nodes"].append(node(made["id"], name="Theirs"))

    assert store.sync(path=saved(export)) == counts(0, 1, 0, 54)
    assert store.node(node_id=made["id"])["name"] == "Theirs"
    assert store.sync(path=str(SAMPLE))["removed"] == 1


def test_a_dry_run_counts_and_changes_nothing(store: Store, saved: Callable[[object], str]) -> None:
    before = store.stats()

    told = store.sync(path=saved(export_of([node("only")])), dry_run=True)

    assert told == {**counts(1, 0, 54, 0), "applied": False}
    assert store.stats() == before


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
    store: Store,
    saved: Callable[[object], str],
    nodes: list[dict[str, Any]],
    message: str,
) -> None:
    before = store.stats()

    with pytest.raises(WorkspaceError, match=message):
        store.sync(path=saved(export_of(nodes)))

    assert store.stats() == before


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_a_file_that_is_no_export_is_refused(store: Store, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(content)

    with pytest.raises(WorkspaceError, match="nothing was changed"):
        store.sync(path=str(path))


@pytest.mark.parametrize("path", ["missing.json", ".", "a\0b", "\ud800"])
def test_a_path_without_a_file_is_told(store: Store, path: str) -> None:
    with pytest.raises(WorkspaceError, match="path of a"):
        store.sync(path=path)
