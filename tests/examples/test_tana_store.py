"""The workspace through its public methods, held to the shapes that tools.yaml promises."""

import inspect
import json
import random
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import yaml

from examples.tana.store import Store, WorkspaceError
from tests.examples.exports import SAMPLE, export_of, names, node
from tests.support.projects import ROOT

MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "tools.yaml").read_text(encoding="utf-8"))
#: The tools that the store carries out; the cache is the server's.
TOOLS: dict[str, Any] = {
    name: tool for name, tool in MANIFEST["tools"].items() if name != "tana_cache_clear"
}
EXAMPLES = [
    pytest.param(tool, example["arguments"], id=f"{tool}: {example['description']}")
    for tool, spec in TOOLS.items()
    for example in spec["examples"]
]


def method(store: Store, tool: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(store, tool.removeprefix("tana_"))
    return found


def assert_keeps_promise(tool: str, result: object) -> None:
    schema = {**TOOLS[tool]["returns"], "$defs": MANIFEST["$defs"]}
    jsonschema_rs.validator_for(schema).validate(json.loads(json.dumps(result)))


# What the manifest says


@pytest.mark.parametrize(("tool", "arguments"), EXAMPLES)
def test_every_example_of_the_manifest_returns_the_promised_shape(
    store: Store, tool: str, arguments: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)

    result = method(store, tool)(**arguments)

    assert result or tool == "tana_semantic_search"
    assert_keeps_promise(tool, result)


@pytest.mark.parametrize("tool", TOOLS)
def test_methods_take_the_parameters_and_defaults_of_the_manifest(tool: str) -> None:
    signature = inspect.signature(getattr(Store, tool.removeprefix("tana_")))
    taken = {name: p.default for name, p in signature.parameters.items() if name != "self"}
    declared = {
        name: inspect.Parameter.empty if spec.get("required") else spec.get("default")
        for name, spec in TOOLS[tool]["parameters"].items()
    }

    assert taken == {name: None if value in ([], {}) else value for name, value in declared.items()}


# Query


def test_search_finds_inflected_words_and_ranks_names_first(store: Store) -> None:
    hits = store.search(query="onboard")

    assert hits
    assert "onboarding" in hits[0]["name"].lower()
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)


def test_search_finds_field_values_and_accents(store: Store) -> None:
    assert "The Patient Checklist" in names(store.search(query="Duarte"))
    assert names(store.search(query="cafe")) == ["Café near the harbour"]


def test_search_falls_back_to_any_word_when_no_node_has_all(store: Store) -> None:
    assert store.search(query="glossary zeppelin")[0]["name"] == "Start a glossary"


def test_search_keeps_to_a_supertag(store: Store) -> None:
    hits = store.search(query="onboarding", supertag="#Project")

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
        "\ud800 lone",
        "🙂",
        "ↄ ꟸ ྀ 日本語",
        "(" * 500,
        "word " * 100,
    ],
)
def test_hostile_queries_are_text_and_nothing_else(store: Store, query: str) -> None:
    for operation in (store.search, store.semantic_search, store.transcript_search):
        try:
            assert isinstance(operation(query=query), list)
        except WorkspaceError as error:
            assert "no letters or digits" in str(error)  # noqa: PT017 (either answer is right)
    assert store.stats()["nodes"] == 54


def test_random_text_never_breaks_a_search(store: Store) -> None:
    pick = random.Random(7)
    for _ in range(300):
        query = "a" + "".join(chr(pick.randrange(1, 0x2FFFF)) for _ in range(8)) + '"'
        assert isinstance(store.search(query=query), list)
        assert isinstance(store.transcript_search(query=query), list)


def test_tagged_lists_the_latest_change_first_and_pages(store: Store) -> None:
    everything = store.tagged(supertag="task", limit=100)
    updates = [node["updated"] for node in everything]

    assert len(everything) == 15
    assert updates == sorted(updates, reverse=True)
    assert store.tagged(supertag="task", limit=4, offset=3) == everything[3:7]


def test_tagged_narrows_down_by_field_and_value(store: Store) -> None:
    with_due = store.tagged(supertag="task", field="Due", limit=100)
    waiting = store.tagged(supertag="task", field="status", value="Waiting")

    assert len(with_due) == 12
    assert sorted(names(waiting)) == [
        "Agree on the handbook outline",
        "Choose desks and lamps",
        "Rank names above descriptions",
    ]


def test_tagged_refuses_a_value_without_its_field(store: Store) -> None:
    with pytest.raises(WorkspaceError, match="value needs field"):
        store.tagged(supertag="task", value="open")


def test_a_common_value_is_found_like_a_rare_one(saved: Callable[[object], str]) -> None:
    nodes = [node(f"n{at}", supertags=["t"], fields={"F": ["x"]}) for at in range(2500)]
    nodes[1234]["fields"] = {"F": ["rare", "x"]}
    store = Store()
    store.sync(path=saved(export_of(nodes)))

    assert len(store.tagged(supertag="t", field="F", value="x", limit=100, offset=2450)) == 50
    assert [n["id"] for n in store.tagged(supertag="t", field="F", value="rare")] == ["n1234"]
    store.close()


def test_semantic_search_tolerates_misspelling(store: Store) -> None:
    hits = store.semantic_search(query="onbording")

    assert all("onboarding" in f"{hit['name']} {hit['text']}".lower() for hit in hits[:3])
    assert all(0.1 <= hit["score"] <= 1 for hit in hits)


def test_semantic_search_scores_an_equal_text_highest(store: Store) -> None:
    best = store.semantic_search(query="Meet the buddy before noon", limit=1)[0]

    assert best["id"] == "t-checklist-2"
    assert best["score"] > 0.9


def test_semantic_search_leaves_out_what_is_weaker_than_asked_for(store: Store) -> None:
    assert store.semantic_search(query="laptop", min_score=1.0) == []
    assert store.semantic_search(query="xylophone zzz") == []


def test_field_values_are_counted_for_all_or_for_one_supertag(store: Store) -> None:
    everywhere = {item["value"]: item["count"] for item in store.field_values(field="Status")}
    of_tasks = store.field_values(field="Status", supertag="task")

    assert everywhere["done"] == 5
    assert of_tasks == [
        {"value": "open", "count": 8},
        {"value": "done", "count": 4},
        {"value": "waiting", "count": 3},
    ]


# Explore


def test_supertags_are_sorted_as_asked(store: Store) -> None:
    by_name = names(store.supertags(sort="name"))

    assert by_name == ["book", "meeting", "note", "person", "project", "task"]
    assert names(store.supertags(limit=2)) == ["task", "note"]


def test_supertag_info_shows_fields_in_their_order(store: Store) -> None:
    info = store.supertag_info(supertag="task")

    assert info["supertag"]["count"] == 15
    assert names(info["fields"]) == ["Status", "Assignee", "Due", "Priority"]
    assert info["fields"][0]["options"] == ["open", "waiting", "done"]


def test_node_shows_an_outline_down_to_a_depth(store: Store) -> None:
    shallow = store.node(node_id="p-onboarding")
    deep = store.node(node_id="p-onboarding", depth=2)

    assert [child["level"] for child in shallow["children"]] == [1, 1, 1, 1]
    assert [child["level"] for child in deep["children"]] == [1, 2, 2, 2, 1, 1, 1]
    assert shallow["parent_id"] == "projects"
    assert shallow["fields"]["Owner"] == ["Ada Okafor"]


def test_node_tells_when_the_outline_is_cut(store: Store) -> None:
    cut = store.node(node_id="notes", limit=3)

    assert len(cut["children"]) == 3
    assert cut["child_count"] == 12
    assert store.node(node_id="notes", depth=0)["children"] == []
    assert "parent_id" not in store.node(node_id="home")


def test_stats_of_an_empty_workspace_keep_their_shape() -> None:
    store = Store()

    assert_keeps_promise("tana_stats", store.stats())
    assert store.search(query="anything") == []
    assert store.semantic_search(query="anything") == []
    store.close()


# Transcripts


def test_meetings_are_listed_latest_first(store: Store) -> None:
    assert [m["id"] for m in store.transcript_list()] == ["m-office", "m-search", "m-kickoff"]
    assert [m["id"] for m in store.transcript_list(since="2026-02-24", limit=9)] == [
        "m-office",
        "m-search",
    ]
    assert [m["id"] for m in store.transcript_list(speaker="sofia")] == ["m-search", "m-kickoff"]


def test_a_transcript_is_read_in_stretches(store: Store) -> None:
    first = store.transcript_show(meeting_id="m-kickoff", limit=5)
    rest = store.transcript_show(meeting_id="m-kickoff", start=6)

    assert first["line_count"] == 12
    assert [line["line"] for line in first["lines"] + rest["lines"]] == list(range(1, 13))


def test_a_transcript_is_read_for_one_speaker(store: Store) -> None:
    shown = store.transcript_show(meeting_id="m-kickoff", speaker="Mei")

    assert {line["speaker"] for line in shown["lines"]} == {"Mei Tanaka"}
    with pytest.raises(WorkspaceError, match="Ada Okafor"):
        store.transcript_show(meeting_id="m-kickoff", speaker="Nobody At All")


def test_transcript_search_finds_who_said_something(store: Store) -> None:
    said = store.transcript_search(query="budget", speaker="Ada")

    assert {hit["speaker"] for hit in said} == {"Ada Okafor"}
    assert {hit["meeting_id"] for hit in said} == {"m-kickoff", "m-office"}


# Create


def test_create_stores_all_of_a_node(store: Store) -> None:
    made = store.create(
        name="  Order chairs ",
        description="Ergonomic zebra chairs.",
        supertags=["#Task", "task"],
        fields={"status": ["OPEN"], "Due": ["2026-04-01"]},
        children=["Measure", "Compare"],
        parent_id="p-office",
    )
    shown = store.node(node_id=made["id"])

    assert_keeps_promise("tana_create", made)
    assert (made["name"], made["supertags"]) == ("Order chairs", ["task"])
    assert shown["fields"] == {"Due": ["2026-04-01"], "Status": ["open"]}
    assert names(shown["children"]) == ["Measure", "Compare"]
    assert store.node(node_id="p-office")["children"][-1]["id"] == made["id"]
    assert [hit["id"] for hit in store.search(query="zebra")] == [made["id"]]
    assert [hit["id"] for hit in store.semantic_search(query="zebras")] == [made["id"]]
    assert store.tagged(supertag="task")[0] == made


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": " "}, "name is empty"),
        ({"name": "x", "children": ["ok", ""]}, "name is empty"),
        ({"name": "x", "children": ["y" * 3000]}, "shorten"),
        ({"name": "\ud800"}, "correct it"),
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
    store: Store, arguments: dict[str, Any], message: str
) -> None:
    before = store.stats()

    with pytest.raises(WorkspaceError, match=message):
        store.create(**arguments)

    assert store.stats() == before


# Mistakes


@pytest.mark.parametrize(
    ("tool", "arguments", "message"),
    [
        ("tana_node", {"node_id": "Office move"}, "p-office"),
        ("tana_node", {"node_id": "glossary"}, "t-glossary"),
        ("tana_node", {"node_id": "zzz"}, "tana_search"),
        ("tana_node", {"node_id": "\ud800"}, "Unicode"),
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
    store: Store, tool: str, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(WorkspaceError, match=message):
        method(store, tool)(**arguments)


# Files and threads


def test_a_database_file_keeps_its_content(tmp_path: Path) -> None:
    file = str(tmp_path / "workspace.db")
    first = Store(file)
    first.sync(path=str(SAMPLE))
    first.close()
    second = Store(file)

    assert second.sync(path=str(SAMPLE), dry_run=True)["unchanged"] == 54
    second.close()


def test_a_file_of_another_program_is_refused_untouched(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("not a database at all, just some text\n" * 50, encoding="utf-8")
    before = file.read_bytes()

    with pytest.raises(WorkspaceError, match="TANA_DATABASE"):
        Store(str(file))

    assert file.read_bytes() == before


def test_threads_may_read_and_write_at_once(store: Store) -> None:
    def work(at: int) -> int:
        store.create(name=f"Worker {at}", supertags=["note"], children=["step"])
        store.sync(path=str(SAMPLE))
        return len(store.search(query="worker", limit=100)) + len(store.supertags())

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(work, range(40)))

    assert len(results) == 40
    assert store.stats()["nodes"] == 54 + 80
    assert len(store.search(query="worker", limit=100)) == 40
