"""The workspace through its public methods, held to the shapes that tools.yaml promises."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml
from tana_mcp.models.tana_create import TanaCreateParams
from tana_mcp.models.tana_node import TanaNodeParams
from tana_mcp.models.tana_search import TanaSearchParams
from tana_mcp.models.tana_semantic_search import TanaSemanticSearchParams
from tana_mcp.models.tana_supertags import TanaSupertagsParams
from tana_mcp.models.tana_tagged import TanaTaggedParams
from toolfold_runtime.models import result_json

from examples.tana.errors import WorkspaceError
from examples.tana.workspace import Workspace
from tests.examples.calls import called, ids, names, synced, totals
from tests.examples.exports import SAMPLE
from tests.support.projects import ROOT

MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "tools.yaml").read_text(encoding="utf-8"))
TOOLS: dict[str, Any] = MANIFEST["tools"]
EXAMPLES = [
    pytest.param(tool, example["arguments"], id=f"{tool}: {example['description']}")
    for tool, spec in TOOLS.items()
    for example in spec["examples"]
]


def assert_keeps_promise(tool: str, result: object) -> None:
    schema = {**TOOLS[tool]["returns"], "$defs": MANIFEST["$defs"]}
    jsonschema_rs.validator_for(schema, validate_formats=True).validate(result_json(result))


# What the manifest says


@pytest.mark.parametrize(("tool", "arguments"), EXAMPLES)
def test_every_example_of_the_manifest_returns_the_promised_shape(
    workspace: Workspace, tool: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)

    result = called(workspace, tool, arguments)

    assert result or tool == "tana_semantic_search"
    assert_keeps_promise(tool, result)


def test_what_is_absent_keeps_the_promise_too(workspace: Workspace) -> None:
    empty = Workspace(":memory:")

    assert_keeps_promise("tana_stats", totals(empty))
    assert_keeps_promise("tana_node", called(workspace, "tana_node", {"node_id": "home"}))
    empty.close()


# Create


def test_create_stores_all_of_a_node(workspace: Workspace) -> None:
    params = TanaCreateParams(
        name="  Order chairs ",
        description="Ergonomic zebra chairs.",
        supertags=["#Task", "task"],
        fields={"status": ["OPEN"], "Due": ["2026-04-01"]},
        children=["Measure", "Compare"],
        parent_id="p-office",
    )
    made = workspace.tana_create(params)
    shown = workspace.tana_node(TanaNodeParams(node_id=made.id))

    assert_keeps_promise("tana_create", made)
    assert (made.name, made.supertags) == ("Order chairs", ["task"])
    assert shown.fields == {"Due": ["2026-04-01"], "Status": ["open"]}
    assert names(shown.children) == ["Measure", "Compare"]
    assert workspace.tana_node(TanaNodeParams(node_id="p-office")).children[-1].id == made.id
    assert ids(workspace.tana_search(TanaSearchParams(query="zebra"))) == [made.id]
    similar = workspace.tana_semantic_search(TanaSemanticSearchParams(query="zebras"))
    assert ids(similar) == [made.id]
    assert workspace.tana_tagged(TanaTaggedParams(supertag="task"))[0] == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": " "}, "name is empty"),
        ({"name": "x", "children": ["ok", ""]}, "name is empty"),
        ({"name": "x", "children": ["y" * 3000]}, "shorten"),
        ({"name": "x", "parent_id": "nowhere"}, "no node has the id"),
        ({"name": "x", "supertags": ["tasks"]}, 'did you mean "task"'),
        ({"name": "x", "fields": {"Status": ["open"]}}, "no field"),
        ({"name": "x", "supertags": ["task"], "fields": {"Statu": ["open"]}}, '"Status"'),
        ({"name": "x", "supertags": ["task"], "fields": {"Status": ["opne"]}}, '"open"'),
        ({"name": "x", "supertags": ["task"], "fields": {"Due": ["soon"]}}, "2026-03-31"),
        ({"name": "x", "supertags": ["project"], "fields": {"Budget": ["nan"]}}, "a number"),
        ({"name": "x", "supertags": ["note"], "fields": {"Source": ["ftp://x"]}}, "http"),
        ({"name": "x", "supertags": ["note"], "fields": {"Topic": [""]}}, "some text"),
        ({"name": "x", "supertags": ["note"], "fields": {"topic": ["a"], "TOPIC": []}}, "twice"),
    ],
)
def test_create_refuses_what_does_not_fit_and_stores_nothing(
    workspace: Workspace, arguments: dict[str, Any], message: str
) -> None:
    before = totals(workspace)

    with pytest.raises(WorkspaceError, match=message):
        workspace.tana_create(TanaCreateParams(**arguments))

    assert totals(workspace) == before


# Mistakes


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("tana_node", {"node_id": "Office move"}, "p-office"),
        ("tana_node", {"node_id": "glossary"}, "t-glossary"),
        ("tana_node", {"node_id": "zzz"}, "tana_search"),
        ("tana_node", {"node_id": '" OR 1=1'}, "no node"),
        ("tana_tagged", {"supertag": "taks"}, 'did you mean "task"'),
        ("tana_tagged", {"supertag": "task", "field": "Sttus"}, '"Status"'),
        ("tana_search", {"query": "x", "supertag": "zzz"}, "book, meeting, note"),
        ("tana_field_values", {"field": "Ownr"}, '"Owner"'),
        ("tana_supertag_info", {"supertag": "projekt"}, '"project"'),
        ("tana_transcript_show", {"meeting_id": "home"}, "tana_transcript_list"),
        ("tana_transcript_search", {"query": "x", "speaker": "Ada Okafr"}, '"Ada Okafor"'),
        ("tana_transcript_list", {"speaker": "!"}, "Ada Okafor"),
    ],
)
def test_a_mistake_is_answered_with_the_way_out(
    workspace: Workspace, tool: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(WorkspaceError, match=message):
        called(workspace, tool, arguments)


# Files and threads


def test_a_database_file_keeps_its_content(tmp_path: Path) -> None:
    file = str(tmp_path / "workspace.db")
    first = Workspace(file)
    synced(first, str(SAMPLE))
    first.close()
    second = Workspace(file)

    assert synced(second, str(SAMPLE), dry_run=True).unchanged == 54
    second.close()


def test_a_file_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database at all, just some text\n" * 50, encoding="utf-8")
    before = file.read_bytes()

    with pytest.raises(WorkspaceError, match="TANA_DATABASE"):
        Workspace(str(file))

    assert file.read_bytes() == before


def test_threads_may_read_and_write_at_once(workspace: Workspace) -> None:
    def work(at: int) -> int:
        params = TanaCreateParams(name=f"Worker {at}", supertags=["note"], children=["step"])
        workspace.tana_create(params)
        synced(workspace, str(SAMPLE))
        return len(workspace.tana_supertags(TanaSupertagsParams()))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(40)))

    assert results == [6] * 40
    assert totals(workspace).nodes == 54 + 80
    assert len(workspace.tana_search(TanaSearchParams(query="worker", limit=100))) == 40
