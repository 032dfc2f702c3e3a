"""`tool_schema` and `search_tools`: what they answer, and in which format."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from toolfold_runtime.contract.vocabulary import Exposure

from tests.disclosure.catalogs import SHELF, Baked, Shelf, changed, tokens
from tests.support.clients import Answer, call
from tests.support.projects import Project, project


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("shelf"), SHELF)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Project:
    manifest = changed(SHELF, unknown_parameters="reject", format="text")
    return project(tmp_path_factory.mktemp("strict"), manifest)


@pytest.fixture(scope="module")
def server(shelf: Project) -> Any:
    return shelf.server("progressive", Shelf())


def ask(server: Any, name: str, /, **arguments: Any) -> Answer:
    return call(server, name, arguments)


# tool_schema


def test_summary_is_a_line_with_category_tags_and_effect(server: Any) -> None:
    assert json.loads(ask(server, "tool_schema", tool="find_book", detail="summary").text) == {
        "name": "find_book",
        "description": "Find a book",
        "category": "books",
        "tags": ["search", "title"],
        "effect": "read",
    }


def test_schema_is_the_default_and_holds_what_a_correct_call_needs(server: Any) -> None:
    found = json.loads(ask(server, "tool_schema", tool="find_book").text)

    assert ask(server, "tool_schema", tool="find_book", detail="schema").text == compacted(found)
    assert found["description"] == "Find books by the words of their titles."
    properties = found["parameters"]["properties"]
    assert properties["title"] == {"type": "string", "description": "Words of the title"}
    assert properties["limit"] == {"type": "integer", "default": 5, "minimum": 1, "maximum": 50}
    assert found["parameters"]["required"] == ["title"]
    assert found["returns"] == {"type": "array", "items": {"type": "string"}}
    assert "examples" not in found


def test_full_adds_examples_notes_references_related_and_performance(server: Any) -> None:
    schema = json.loads(ask(server, "tool_schema", tool="find_book").text)
    full = json.loads(ask(server, "tool_schema", tool="find_book", detail="full").text)

    assert {key: full[key] for key in schema} == schema
    assert {key: value for key, value in full.items() if key not in schema} == {
        "examples": [{"description": "One word", "arguments": {"title": "dune"}}],
        "notes": "Titles only.",
        "related": ["move_book"],
        "generates": ["book_id"],
        "references": [{"title": "Rules", "url": "https://example.org/rules"}],
        "performance": {"speed": "fast", "tokens": 40},
    }


@pytest.mark.parametrize("detail", ["summary", "schema", "full"])
def test_several_tools_are_asked_for_with_commas(detail: str, server: Any) -> None:
    answer = ask(server, "tool_schema", tool=" find_book,dust , shelf::move_book,", detail=detail)
    alone = [
        ask(server, "tool_schema", tool=name, detail=detail).text
        for name in ("find_book", "dust", "move_book")
    ]

    assert answer.text == "\n".join(alone)


def test_an_alias_or_id_shows_the_tool_under_its_own_name(server: Any) -> None:
    by_name = ask(server, "tool_schema", tool="find_book").text

    assert ask(server, "tool_schema", tool="seek_book").text == by_name
    assert ask(server, "tool_schema", tool="shelf::find_book").text == by_name
    assert ask(server, "search_tools", query="seek_book").text.startswith("find_book(")
    assert ask(server, "search_tools", query="shelf::find_book").text.startswith("find_book(")


def test_aliases_are_shown_nowhere(server: Any) -> None:
    said = [ask(server, "capabilities", detail=d).text for d in ("names", "summaries", "full")]
    said.append(ask(server, "tool_schema", tool="find_book", detail="full").text)
    said.append(ask(server, "search_tools", query="book").text)
    said.append(ask(server, "no_such_tool").text)

    assert [text for text in said if "seek_book" in text] == []


NEXT: Final[dict[Exposure, list[str | None]]] = {
    "direct": [None, None, None],
    "progressive": ["run_read", "run_write", "run_write"],
    "hybrid": [None, "run_write", None],
}


@pytest.mark.parametrize("exposure", NEXT)
@pytest.mark.parametrize("detail", ["schema", "full"])
def test_the_next_step_is_a_runner_where_a_tool_is_not_listed(
    detail: str, exposure: Exposure, shelf: Project
) -> None:
    asked = {"tool": "find_book,move_book,dust", "detail": detail}
    text = call(shelf.server(exposure), "tool_schema", asked).text

    assert [json.loads(line).get("next") for line in text.split("\n")] == NEXT[exposure]


def test_tools_that_nothing_runs_have_no_next_step(tmp_path: Path) -> None:
    off = {"run_read": "off", "run_write": "off"}
    baked = Baked(tmp_path, changed(SHELF, exposure="progressive", meta=off))

    assert "next" not in json.loads(baked.catalog.details("find_book"))


def test_one_runner_that_is_left_runs_what_the_other_would(tmp_path: Path) -> None:
    manifest = changed(SHELF, exposure="progressive", meta={"run_read": "off"})

    schema = json.loads(Baked(tmp_path, manifest).catalog.details("find_book"))

    assert schema["next"] == "run_write"


@pytest.mark.parametrize("exposure", NEXT)
def test_what_a_schema_costs_is_what_is_sent(exposure: Exposure, tmp_path: Path) -> None:
    baked = Baked(tmp_path, changed(SHELF, exposure=exposure))
    costs = {cost.name: cost.tokens for cost in baked.plan.costs if cost.budget == "schema"}

    assert costs == {name: tokens(baked.catalog.details(name)) for name in SHELF["tools"]}


# Text as the manifest's format


def test_text_is_what_meta_tools_answer_where_the_manifest_says_so(strict: Project) -> None:
    server = strict.server("progressive")

    assert ask(server, "capabilities", detail="names").text.startswith("books:\n  find_book\n")
    assert ask(server, "capabilities", detail="names", format="json").text.startswith("{")
    assert ask(server, "tool_schema", tool="find_book", detail="summary").text == (
        "find_book [books, read]: Find a book (search, title)"
    )
    assert ask(server, "tool_schema", tool="find_book").text == (
        "find_book [books, read]\n"
        "Find books by the words of their titles.\n"
        "parameters:\n"
        "  title: str (required) - Words of the title\n"
        "  limit: int = 5\n"
        'returns: {"type":"array","items":{"type":"string"}}\n'
        "next: run_read"
    )
    full = ask(server, "tool_schema", tool="find_book", detail="full").text
    assert full.startswith(ask(server, "tool_schema", tool="find_book").text + "\n")
    assert "notes: Titles only.\n" in full
    assert "related: " in full
    assert ask(server, "tool_schema", tool="dust", detail="full").text == (
        "dust [care, write]\nDust the shelf\nparameters:\nnext: run_write"
    )


# search_tools


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("dust", "dust(): Dust the shelf"),
        ("burn", "burn_book(): Burn a book"),
        ("move_b", "move_book(book: str): Move a book"),
        ("BURN_BOOK", "burn_book(): Burn a book"),
        ("shelf", "dust(): Dust the shelf"),
    ],
)
def test_search_finds_names_prefixes_and_words(query: str, first: str, server: Any) -> None:
    lines = ask(server, "search_tools", query=query).text.split("\n")

    assert lines[0] == first
    assert lines[-1] == "next: tool_schema(tool)"


def test_search_answers_no_more_than_its_limit(server: Any) -> None:
    assert len(ask(server, "search_tools", query="book", limit=2).text.split("\n")) == 3
    assert len(ask(server, "search_tools", query="book").text.split("\n")) == 4


@pytest.mark.parametrize("limit", [0, -5, 10**9])
def test_a_limit_beyond_reason_is_no_error(limit: int, server: Any) -> None:
    assert not ask(server, "search_tools", query="book", limit=limit).is_error


def compacted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
