"""Queries taken apart: qualifiers, phrases, words to leave out, and text that only looks like it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold_runtime import Catalog
from toolfold_runtime.search.find import Finder

from tests.search.catalogs import NEXT, found


@pytest.mark.parametrize(
    ("query", "tools"),
    [
        ("category:code", ["createIssue", "delete_repository", "help"]),
        ("Category:CODE", ["createIssue", "delete_repository", "help"]),
        ('category:"maps and routes"', ["find_cafe", "maps_regeocode", "plan_route"]),
        ("tag:video", ["search_videos"]),
        ('tag:"issue tracker"', ["createIssue"]),
        ("server:github", ["createIssue", "delete_repository"]),
        ("effect:destructive", ["delete_repository"]),
        ("effect:write category:office", ["append_row", "send_mail"]),
        ("category:code category:maps effect:destructive", ["delete_repository"]),
        ("category:code -effect:destructive", ["createIssue", "help"]),
        ("server:github -tag:bugs", ["delete_repository"]),
        ("category:code -repository", ["help"]),
        ("category:code !!!", ["createIssue", "delete_repository", "help"]),
    ],
)
def test_qualifiers_alone_list_what_they_allow_by_name(
    lexical: Finder, query: str, tools: list[str]
) -> None:
    assert found(lexical, query) == tools


@pytest.mark.parametrize(
    ("query", "tools"),
    [
        ("repository", ["delete_repository", "createIssue"]),
        ("repository effect:write", ["createIssue"]),
        ("repository -issue", ["delete_repository"]),
        ("repository -effect:write", ["delete_repository"]),
        ('"new issue"', ["createIssue"]),
        ('repository "new issue"', ["createIssue"]),
        ('repository -"new issue"', ["delete_repository"]),
        ('repository "for ever"', ["delete_repository", "createIssue"]),
    ],
)
def test_qualifiers_and_phrases_narrow_what_words_find(
    lexical: Finder, query: str, tools: list[str]
) -> None:
    assert found(lexical, query) == tools


def test_in_a_longer_task_quotes_are_around_values(lexical: Finder) -> None:
    task = 'send a message to Ann with the subject "delete a repository" before the end of the day'

    assert "send_mail" in found(lexical, task)[:2]
    assert not lexical.find(task, 5).query.hints


def test_a_phrase_that_no_tool_has_is_used_as_words(lexical: Finder) -> None:
    assert found(lexical, '"issue new"')[0] == "createIssue"
    assert lexical.find('"issue new"', 5).query.hints == (
        "no tool has 'issue new'; its words were used",
    )


def test_an_unknown_qualifier_is_text_with_a_hint_that_names_the_valid_ones(
    lexical: Finder,
) -> None:
    done = lexical.find("lang:repository foo:bar", 5)

    assert done.query.hints == (
        "'lang' was read as text; qualifiers are category: tag: server: effect: latency:",
    )
    assert found(lexical, "lang:repository")[0] == "delete_repository"


@pytest.mark.parametrize(
    "query",
    [
        "read https://example.org/a:b?c=d",
        "meet at 10:30",
        "ratio 3:4",
        "C:\\Users\\x",
        "github::nothing",
        "note: translate",
        ":",
        "a: b",
        "-5 degrees",
        "--force",
        "-",
    ],
)
def test_addresses_times_paths_ids_and_options_are_text(lexical: Finder, query: str) -> None:
    done = lexical.find(query, 5)

    assert not done.query.hints
    assert not done.query.filters
    assert not done.query.excluded


@pytest.mark.parametrize("query", ["latency:<100", "latency:>=2s", "latency:<1.5ms"])
def test_latency_is_not_measured_yet(town: Catalog, query: str) -> None:
    assert "latency: not measured yet" in town.search(query)
    assert town.search(f"repository {query}").splitlines()[-2:] == [
        "latency: not measured yet",
        NEXT,
    ]


def test_a_latency_that_is_no_limit_is_shown_the_form(town: Catalog) -> None:
    assert "latency: write latency:<100" in town.search("repository latency:fast")


@pytest.mark.parametrize("strategy", ["lexical", "hybrid", "semantic"])
@pytest.mark.parametrize(
    "query", ["", "   ", "\n\t", "!!!", "?!…—", "🙂", "\x00\ud800", '""', "- -"]
)
def test_a_query_without_a_word_finds_nothing(
    finders: dict[str, Finder], strategy: str, query: str
) -> None:
    assert found(finders[strategy], query) == []


def test_stop_words_alone_find_nothing_but_a_tool_of_that_name(lexical: Finder) -> None:
    assert found(lexical, "the of and") == []
    assert found(lexical, "please help me with this") == ["help"]


@pytest.mark.parametrize("strategy", ["lexical", "hybrid", "semantic"])
@pytest.mark.parametrize(
    "query",
    [
        "repository " * 100_000,
        "x" * 1_000_000,
        "open an issue" + "\x00" * 3000,
        '"' * 5000,
        "-" * 5000,
        "a:" * 3000,
        "open\ud800issue\udfff",
        "open\x1b[31missue\x00",
        "issue " + "".join(map(chr, range(0x300, 0x370))) * 30,
    ],
)
def test_huge_and_hostile_queries_are_answered(
    finders: dict[str, Finder], strategy: str, query: str
) -> None:
    done = finders[strategy].find(query, 5)

    assert len(done.tools) <= 5
    if "issue" in query and (strategy != "semantic" or query.isascii()):
        assert found(finders[strategy], query)[0] == "createIssue"


@settings(max_examples=150)
@given(query=st.text(max_size=300), limit=st.integers(1, 60))
def test_any_text_is_answered_the_same_twice(lexical: Finder, query: str, limit: int) -> None:
    done = lexical.find(query, limit)

    assert len(done.tools) <= limit
    assert done == lexical.find(query, limit)
