"""What an agent reads: a line per hit, marks, notes, the next step, and never more than the budget."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold_runtime import Catalog

from tests.disclosure.catalogs import Baked, tokens
from tests.search.catalogs import NEXT, TOOLS, TOWN, manifest, tool
from tests.support.clients import call
from tests.support.commands import toolfold
from tests.support.projects import Json, project, write_manifest


def baked(folder: Path, tools: Json, **disclosure: Any) -> Catalog:
    return Baked(folder, manifest(tools, **disclosure)).catalog


def test_a_hit_is_one_line_with_its_signature_and_summary(town: Catalog) -> None:
    assert town.search("videos").splitlines() == [
        "search_videos(query: str) -> list[str]: Search YouTube for videos",
        NEXT,
    ]


def test_a_mark_stands_where_a_signature_leaves_something_out(town: Catalog) -> None:
    first = town.search("createIssue", 1).splitlines()[0]

    assert first.startswith(
        "createIssue(title: str, body?: str, labels?: list[str], assignees?: list[str], …)"
    )


def test_parameters_that_must_be_given_are_kept_before_others(tmp_path: Path) -> None:
    optional = {f"option_{n}": {"type": "string"} for n in range(9)}
    needed = {"zone": {"type": "string", "required": True}}
    catalog = baked(tmp_path, {"one": tool("Do it", parameters=optional | needed)})

    line = catalog.search("one").splitlines()[0]
    assert "zone: str, …)" in line
    assert line.startswith("one(option_0?: str")


def test_a_long_type_is_marked_and_a_long_summary_cut_after_a_word(tmp_path: Path) -> None:
    long = {"kind": {"type": "string", "enum": [f"some long value number {n}" for n in range(4)]}}
    catalog = baked(tmp_path, {"one": tool("word " * 60, parameters=long)})

    line = catalog.search("one").splitlines()[0]
    assert line.startswith("one(kind?: …): word word")
    assert line.endswith("word…")


def test_text_of_a_tool_never_breaks_its_line(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"a\nb\x1b[31m": {"type": "string"}}}
    catalog = baked(tmp_path, {"one": tool("paint\u2028it \x1b[31mred\x00", input_schema=schema)})

    assert catalog.search("paint").splitlines() == [
        "one(a b [31m?: str): paint it [31mred",
        NEXT,
    ]


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("", "an empty query finds nothing. Say what the tool should do"),
        ("  ", "an empty query finds nothing"),
        ("zzzzqx", "no tool matches 'zzzzqx': none has these words. Try other words"),
        ("!!!", "no tool matches '!!!': it says no word to search by"),
        (
            "category:nowhere issue",
            "no tool has that category; there is code, maps, media, office. Leave it out",
        ),
        ("tag:none", "no tool has that tag; there is Issue Tracker, bugs, travel, video."),
        ("effect:delete x", "no tool has that effect; there is destructive, read, write"),
        ("server:slack", "no tool has that server; there is github, mail, osm, sheets, town"),
        (
            "category:maps effect:destructive",
            "its qualifiers, phrases and -words leave no tool. Leave one of them out",
        ),
        ("issue category:maps", "none of the 3 tools it leaves has these words"),
        ("issue -issue -repository", "none of the 15 tools it leaves has these words"),
        ("latency:<5", "it says no word to search by"),
    ],
)
def test_an_empty_answer_says_why_and_what_to_try(town: Catalog, query: str, why: str) -> None:
    answer = town.search(query)

    assert why in answer
    assert "or capabilities() for the inventory." in answer


def test_an_empty_answer_repeats_little_of_a_hostile_query(town: Catalog) -> None:
    for query in ("\ud800" * 5000, "🙂 " * 5000, "\x1b[31m" * 999, "q" * 1_000_000, "ﷺ" * 500):
        answer = town.search(query)

        assert tokens(answer) < 200
        assert answer.isprintable()
        answer.encode()


def test_a_long_list_of_what_there_is_is_cut(tmp_path: Path) -> None:
    tools = {f"tool_{n}": tool("Do it", tags=[f"a tag of number {n}"]) for n in range(60)}
    answer = baked(tmp_path, tools).search("tag:none")

    assert "a tag of number 0, a tag of number 1, " in answer
    assert "more. Leave it out" in answer
    assert tokens(answer) < 120


def test_hints_do_not_repeat_what_was_asked_at_length(town: Catalog) -> None:
    for query in ("x" * 1500 + ":y repository", 'repository "' + "ﷺ\n" * 3 + "x" * 99 + '"'):
        answer = town.search(query)

        assert "…'" in answer
        assert tokens(answer) <= 200
        assert all(len(line) < 200 for line in answer.splitlines())


CROWD: Json = TOOLS | {
    f"repository_{word}_{n}": tool(
        f"{word} a repository " + "with all that belongs to it " * (n % 5),
        parameters={f"parameter_{m}": {"type": "string"} for m in range(n % 7)},
    )
    for n, word in enumerate(["open", "close", "move", "copy", "star", "list", "fork", "lock"] * 8)
    if n < 60
}


@pytest.fixture(scope="module", params=[60, 120, 200, 2000])
def crowded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    budget = request.param
    folder = tmp_path_factory.mktemp("crowd")
    return budget, baked(folder, CROWD, budgets={"hits": budget})


@settings(max_examples=60)
@given(
    limit=st.integers(-3, 70),
    query=st.lists(
        st.sampled_from(
            ["repository", "open", '"no such phrase"', "foo:bar", "latency:<9", "-star", "issue."]
        )
        | st.text(max_size=12),
        max_size=6,
    ),
)
def test_limit_and_budget_hold(crowded: Any, query: list[str], limit: int) -> None:
    budget, catalog = crowded
    answer = catalog.search(" ".join(["repository", *query]), limit)
    lines = answer.splitlines()
    hits = [line for line in lines if line.partition("(")[0].partition(":")[0] in CROWD]

    assert tokens(answer) <= budget
    assert len(hits) <= max(1, min(limit, 50))
    assert hits or answer.startswith("no tool matches")


def test_the_last_hits_become_leaner_before_any_falls_away(crowded: Any) -> None:
    _, catalog = crowded
    for limit in range(1, 51):
        lines = catalog.search("repository", limit).splitlines()
        hits = [line for line in lines if line.partition("(")[0].partition(":")[0] in CROWD]
        shapes = [0 if "(" in hit.partition(":")[0] else 1 if ":" in hit else 2 for hit in hits]

        assert shapes == sorted(shapes)
        if len(hits) < limit:
            assert f"{limit - len(hits)} more did not fit; ask with a smaller limit" in lines
        elif any(shapes):
            assert f"left out: signatures of {sum(map(bool, shapes))}" in lines
        assert lines[-1] == NEXT


def test_a_budget_that_no_hit_can_keep_fails_the_build(tmp_path: Path) -> None:
    given_ = manifest({"one": tool("Do it")}, budgets={"hits": 5})

    done = toolfold(tmp_path, "generate", "-q", "-m", str(write_manifest(tmp_path, given_)))
    assert done.code == 1
    assert "the shortest answer to a search costs" in done.err


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return project(tmp_path_factory.mktemp("served"), TOWN)


def test_the_generated_server_and_try_answer_alike(generated: Any) -> None:
    served = call(generated.server(), "search_tools", {"query": "repository", "limit": 1})
    arguments = '{"query": "repository", "limit": 1}'
    tried = toolfold(generated.folder, "try", "search_tools", arguments)

    assert not served.is_error
    assert served.text.splitlines()[0].startswith("delete_repository(): Delete")
    assert (tried.code, tried.out) == (0, f"{served.text}\n")


def test_search_explains_what_each_part_contributed(generated: Any) -> None:
    done = toolfold(generated.folder, "search", "open an issue", "--limit", "1")
    assert done.code == 0
    lines = done.out.splitlines()

    assert lines[0].startswith("1. createIssue(title: str")
    total, _, parts = lines[1].strip().partition(" = ")
    values = [float(part) for part in parts.split() if part[0] in "+-"]
    assert [part for part in parts.split() if part.isalpha()] == [
        "words",
        "sentence",
        "server",
        "name",
    ]
    assert float(total) == pytest.approx(sum(values), abs=0.03)


def test_search_for_machines_gives_ids_scores_and_hints(generated: Any) -> None:
    done = toolfold(generated.folder, "search", "issue x:y", "--json")
    assert done.code == 0
    said = json.loads(done.out)

    assert said["query"] == "issue x:y"
    assert said["hits"][0]["id"] == "github::createIssue"
    assert said["hits"][0]["score"] == pytest.approx(
        sum(said["hits"][0]["parts"].values()), abs=0.01
    )
    assert "was read as text" in said["hints"][0]


def test_search_without_a_hit_prints_what_an_agent_would_read(generated: Any) -> None:
    done = toolfold(generated.folder, "search", "zzzzqx")
    assert done.code == 0
    assert "none has these words" in done.out
