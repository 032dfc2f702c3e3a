"""Reading the workspace through its tools' methods: search, supertags, nodes, transcripts."""

import datetime as dt
import random
from collections.abc import Callable

import pytest
from tana_mcp.models.definitions.field_value import FieldValue
from tana_mcp.models.tana_field_values import TanaFieldValuesParams
from tana_mcp.models.tana_node import TanaNodeParams
from tana_mcp.models.tana_search import TanaSearchParams
from tana_mcp.models.tana_semantic_search import TanaSemanticSearchParams
from tana_mcp.models.tana_supertag_info import TanaSupertagInfoParams
from tana_mcp.models.tana_supertags import TanaSupertagsParams
from tana_mcp.models.tana_tagged import TanaTaggedParams
from tana_mcp.models.tana_transcript_list import TanaTranscriptListParams
from tana_mcp.models.tana_transcript_search import TanaTranscriptSearchParams
from tana_mcp.models.tana_transcript_show import TanaTranscriptShowParams

from examples.tana.errors import WorkspaceError
from examples.tana.workspace import Workspace
from tests.examples.calls import called, ids, names, synced, totals
from tests.examples.exports import export_of, node

# Query


def test_search_finds_inflected_words_and_ranks_names_first(workspace: Workspace) -> None:
    hits = workspace.tana_search(TanaSearchParams(query="onboard"))

    assert hits
    assert "onboarding" in hits[0].name.lower()
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_search_finds_field_values_and_accents(workspace: Workspace) -> None:
    assert "The Patient Checklist" in names(workspace.tana_search(TanaSearchParams(query="Duarte")))
    assert names(workspace.tana_search(TanaSearchParams(query="cafe"))) == ["Café near the harbour"]


def test_search_falls_back_to_any_word_when_no_node_has_all(workspace: Workspace) -> None:
    hits = workspace.tana_search(TanaSearchParams(query="glossary zeppelin"))

    assert hits[0].name == "Start a glossary"


def test_search_keeps_to_a_supertag(workspace: Workspace) -> None:
    hits = workspace.tana_search(TanaSearchParams(query="onboarding", supertag="#Project"))

    assert names(hits) == ["Onboarding revamp"]


@pytest.mark.parametrize(
    "query",
    [
        '"',
        '"" OR "',
        "name:onboarding",
        "NEAR(a b)",
        "onboarding*",
        "a AND",
        "NOT x",
        "-x ^y {name body}:z",
        "'; DROP TABLE nodes; --",
        "x\0y",
        "🙂",
        "ↄ ꟸ ྀ 日本語",
        "(" * 500,
        "word " * 100,
    ],
)
def test_hostile_queries_are_text_and_nothing_else(workspace: Workspace, query: str) -> None:
    for tool in ("tana_search", "tana_semantic_search", "tana_transcript_search"):
        try:
            assert isinstance(called(workspace, tool, {"query": query}), list)
        except WorkspaceError as error:
            assert "no letters or digits" in str(error)  # noqa: PT017 (either answer is right)
    assert totals(workspace).nodes == 54


def test_random_text_never_breaks_a_search(workspace: Workspace) -> None:
    pick = random.Random(7)
    for _ in range(300):
        drawn = "".join(chr(pick.randrange(1, 0x2FFFF)) for _ in range(8))
        query = "a" + drawn.encode(errors="ignore").decode() + '"'
        assert isinstance(workspace.tana_search(TanaSearchParams(query=query)), list)
        assert isinstance(
            workspace.tana_transcript_search(TanaTranscriptSearchParams(query=query)), list
        )


def test_tagged_lists_the_latest_change_first_and_pages(workspace: Workspace) -> None:
    everything = workspace.tana_tagged(TanaTaggedParams(supertag="task", limit=100))
    page = workspace.tana_tagged(TanaTaggedParams(supertag="task", limit=4, offset=3))
    updates = [node.updated for node in everything]

    assert len(everything) == 15
    assert updates == sorted(updates, reverse=True)
    assert page == everything[3:7]


def test_tagged_narrows_down_by_field_and_value(workspace: Workspace) -> None:
    with_due = TanaTaggedParams(supertag="task", field="Due", limit=100)
    waiting = TanaTaggedParams(supertag="task", field="status", value="Waiting")

    assert len(workspace.tana_tagged(with_due)) == 12
    assert sorted(names(workspace.tana_tagged(waiting))) == [
        "Agree on the handbook outline",
        "Choose desks and lamps",
        "Rank names above descriptions",
    ]


def test_tagged_refuses_a_value_without_its_field(workspace: Workspace) -> None:
    with pytest.raises(WorkspaceError, match="value needs field"):
        workspace.tana_tagged(TanaTaggedParams(supertag="task", value="open"))


def test_a_common_value_is_found_like_a_rare_one(saved: Callable[[object], str]) -> None:
    nodes = [node(f"n{at}", supertags=["t"], fields={"F": ["x"]}) for at in range(2500)]
    nodes[1234]["fields"] = {"F": ["rare", "x"]}
    workspace = Workspace(":memory:")
    synced(workspace, saved(export_of(nodes)))

    common = TanaTaggedParams(supertag="t", field="F", value="x", limit=100, offset=2450)
    rare = TanaTaggedParams(supertag="t", field="F", value="rare")

    assert len(workspace.tana_tagged(common)) == 50
    assert ids(workspace.tana_tagged(rare)) == ["n1234"]
    workspace.close()


def test_semantic_search_tolerates_misspelling(workspace: Workspace) -> None:
    hits = workspace.tana_semantic_search(TanaSemanticSearchParams(query="onbording"))

    assert all("onboarding" in f"{hit.name} {hit.text}".lower() for hit in hits[:3])
    assert all(0.1 <= hit.score <= 1 for hit in hits)


def test_semantic_search_scores_an_equal_text_highest(workspace: Workspace) -> None:
    params = TanaSemanticSearchParams(query="Meet the buddy before noon", limit=1)

    [best] = workspace.tana_semantic_search(params)

    assert best.id == "t-checklist-2"
    assert best.score > 0.9


def test_semantic_search_leaves_out_what_is_weaker_than_asked_for(workspace: Workspace) -> None:
    for params in (
        TanaSemanticSearchParams(query="laptop", min_score=1.0),
        TanaSemanticSearchParams(query="xylophone zzz"),
    ):
        assert workspace.tana_semantic_search(params) == []


def test_field_values_are_counted_for_all_or_for_one_supertag(workspace: Workspace) -> None:
    everywhere = workspace.tana_field_values(TanaFieldValuesParams(field="Status"))
    of_tasks = workspace.tana_field_values(TanaFieldValuesParams(field="Status", supertag="task"))

    assert FieldValue(value="done", count=5) in everywhere
    assert of_tasks == [
        FieldValue(value="open", count=8),
        FieldValue(value="done", count=4),
        FieldValue(value="waiting", count=3),
    ]


# Explore


def test_supertags_are_sorted_as_asked(workspace: Workspace) -> None:
    by_name = names(workspace.tana_supertags(TanaSupertagsParams(sort="name")))

    assert by_name == ["book", "meeting", "note", "person", "project", "task"]
    assert names(workspace.tana_supertags(TanaSupertagsParams(limit=2))) == ["task", "note"]


def test_supertag_info_shows_fields_in_their_order(workspace: Workspace) -> None:
    info = workspace.tana_supertag_info(TanaSupertagInfoParams(supertag="task"))

    assert info.supertag.count == 15
    assert names(info.fields) == ["Status", "Assignee", "Due", "Priority", "Meeting"]
    assert info.fields[0].options == ["open", "waiting", "done"]


def test_node_shows_an_outline_down_to_a_depth(workspace: Workspace) -> None:
    shallow = workspace.tana_node(TanaNodeParams(node_id="p-onboarding"))
    deep = workspace.tana_node(TanaNodeParams(node_id="p-onboarding", depth=2))

    assert [child.level for child in shallow.children] == [1, 1, 1, 1]
    assert [child.level for child in deep.children] == [1, 2, 2, 2, 1, 1, 1]
    assert shallow.parent_id == "projects"
    assert shallow.fields["Owner"] == ["Ada Okafor"]


def test_node_tells_when_the_outline_is_cut(workspace: Workspace) -> None:
    cut = workspace.tana_node(TanaNodeParams(node_id="notes", limit=3))

    assert len(cut.children) == 3
    assert cut.child_count == 12
    assert workspace.tana_node(TanaNodeParams(node_id="notes", depth=0)).children == []
    assert workspace.tana_node(TanaNodeParams(node_id="home")).parent_id is None


def test_an_empty_workspace_has_no_last_update_and_no_results() -> None:
    workspace = Workspace(":memory:")

    assert totals(workspace).nodes == 0
    assert totals(workspace).last_updated is None
    assert workspace.tana_search(TanaSearchParams(query="anything")) == []
    assert workspace.tana_semantic_search(TanaSemanticSearchParams(query="anything")) == []
    workspace.close()


# Transcripts


def test_meetings_are_listed_latest_first(workspace: Workspace) -> None:
    everything = workspace.tana_transcript_list(TanaTranscriptListParams())
    late = TanaTranscriptListParams(since=dt.date(2026, 2, 24), limit=9)
    sofia = TanaTranscriptListParams(speaker="sofia")

    assert ids(everything) == ["m-office", "m-search", "m-kickoff"]
    assert everything[1].date == dt.date(2026, 2, 24)
    assert ids(workspace.tana_transcript_list(late)) == ["m-office", "m-search"]
    assert ids(workspace.tana_transcript_list(sofia)) == ["m-search", "m-kickoff"]


def test_a_transcript_is_read_in_stretches(workspace: Workspace) -> None:
    read = workspace.tana_transcript_show
    first = read(TanaTranscriptShowParams(meeting_id="m-kickoff", limit=5))
    rest = read(TanaTranscriptShowParams(meeting_id="m-kickoff", start=6))

    assert first.line_count == 12
    assert [line.line for line in first.lines + rest.lines] == list(range(1, 13))


def test_a_transcript_is_read_for_one_speaker(workspace: Workspace) -> None:
    mei = TanaTranscriptShowParams(meeting_id="m-kickoff", speaker="Mei")
    nobody = TanaTranscriptShowParams(meeting_id="m-kickoff", speaker="Nobody At All")

    shown = workspace.tana_transcript_show(mei)

    assert {line.speaker for line in shown.lines} == {"Mei Tanaka"}
    with pytest.raises(WorkspaceError, match="Ada Okafor"):
        workspace.tana_transcript_show(nobody)


def test_transcript_search_finds_who_said_something(workspace: Workspace) -> None:
    params = TanaTranscriptSearchParams(query="budget", speaker="Ada")

    hits = workspace.tana_transcript_search(params)

    assert {hit.speaker for hit in hits} == {"Ada Okafor"}
    assert {hit.meeting_id for hit in hits} == {"m-kickoff", "m-office"}
