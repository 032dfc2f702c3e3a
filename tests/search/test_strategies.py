"""Search by meaning, and what happens where the extra that it needs is not installed."""

import json
from pathlib import Path

import pytest
from toolfold_runtime.search.find import Finder

from tests.search.catalogs import TOWN, finder, found, manifest, tool
from tests.support.clients import MODERN, call
from tests.support.commands import Result, program, toolfold
from tests.support.projects import Json, Project, project, write_manifest
from tests.support.servers import Stdio, serve_command, text_of

HYBRID: Json = TOWN | {"disclosure": {"search": "hybrid", "exposure": "progressive"}}

# Makes the packages of the extra invisible, then runs toolfold.
WITHOUT = (
    "import sys\n"
    "for name in ('numpy', 'tokenizers', 'wordllama'): sys.modules[name] = None\n"
    "from toolfold.cli.main import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


def without_extra(*arguments: str) -> Result:
    return program(Path.cwd(), WITHOUT, *arguments)


@pytest.fixture(scope="module")
def hybrid(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("hybrid"), HYBRID)


@pytest.mark.parametrize("strategy", ["semantic", "hybrid"])
@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("watch a film clip", "search_videos"),
        ("navigation from home to work", "plan_route"),
        ("report a defect in the source code", "createIssue"),
    ],
)
def test_meaning_finds_what_no_word_does(
    finders: dict[str, Finder], strategy: str, query: str, first: str
) -> None:
    assert found(finders[strategy], query)[0] == first


def test_words_alone_do_not_find_it(lexical: Finder) -> None:
    assert "search_videos" not in found(lexical, "watch a film clip")


def test_hybrid_keeps_what_words_find(finders: dict[str, Finder]) -> None:
    for query in ("issue", "videos", "spreadsheet row", "天気", "прогноз погоды", "isue"):
        assert found(finders["hybrid"], query)[0] == found(finders["lexical"], query)[0]


@pytest.mark.parametrize("strategy", ["semantic", "hybrid"])
def test_names_and_qualifiers_hold_whatever_ranks(
    finders: dict[str, Finder], strategy: str
) -> None:
    search = finders[strategy]

    assert found(search, "FILE_BUG")[0] == "createIssue"
    assert set(found(search, "film category:maps")) == {"find_cafe", "maps_regeocode", "plan_route"}
    assert "createIssue" not in found(search, "repository -issue", 50)


def test_related_words_help_where_the_catalog_has_them(tmp_path: Path) -> None:
    tools = {"a": tool("Paint a picture"), "b": tool("Show an image"), "c": tool("Weigh a parcel")}
    search = finder(tmp_path, manifest(tools, search="hybrid"), "hybrid")

    assert set(found(search, "picture", 2)) == {"a", "b"}
    assert "b" not in found(finder(tmp_path, manifest(tools)), "picture")


def test_the_generated_server_searches_by_meaning(hybrid: Project) -> None:
    answer = call(hybrid.server(), "search_tools", {"query": "watch a film clip"}, MODERN)

    assert answer.text.startswith("search_videos(query: str)")


def test_generating_without_the_extra_is_an_error_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"
    path.write_text(
        "toolfold: 1\n"
        "server: {name: demo, version: '1'}\n"
        "disclosure:\n"
        "  search: semantic\n"
        "categories: {all: {}}\n"
        "tools: {one: {category: all, effect: read, summary: One}}\n",
        encoding="utf-8",
    )
    done = without_extra("generate", "-m", str(path))

    assert done.code == 1
    assert (
        f"{path}:4:11: disclosure.search: search: semantic needs the extra `semantic`" in done.err
    )
    assert "pip install 'toolfold[semantic]', or choose lexical" in done.err
    assert not (tmp_path / "generated").exists()


@pytest.mark.parametrize("command", [["search", "issue"], ["eval", "QUERIES"]])
def test_asking_for_meaning_without_the_extra_is_no_crash(
    tmp_path: Path, command: list[str]
) -> None:
    path = write_manifest(tmp_path, TOWN)
    queries = tmp_path / "queries.jsonl"
    queries.write_text('{"id": 1, "query": "x", "relevant": ["a::b"]}\n', encoding="utf-8")
    arguments = [str(queries) if word == "QUERIES" else word for word in command]
    done = without_extra(*arguments, "-m", str(path), "--search", "hybrid")

    assert done.code == 1
    assert "toolfold[semantic]" in done.err
    assert "Traceback" not in done.err


def test_lexical_search_needs_no_extra(tmp_path: Path) -> None:
    done = without_extra("search", "issue", "-m", str(write_manifest(tmp_path, TOWN)))

    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("1. createIssue(")


def test_serving_without_the_extra_falls_back_to_words_and_says_so(hybrid: Project) -> None:
    arguments = ("try", "search_tools", '{"query": "open an issue"}', "-m", str(hybrid.manifest))
    done = without_extra(*arguments)

    assert done.code == 0
    assert done.out.startswith("createIssue(")
    note = f"{hybrid.package}: searching by words only: pip install 'toolfold[semantic]'"
    assert done.err == f"warning: {note}\n"


@pytest.mark.parametrize("strategy", ["semantic", "hybrid"])
def test_serve_refuses_a_strategy_that_was_not_generated(tmp_path: Path, strategy: str) -> None:
    made = project(tmp_path, TOWN)
    reason = (
        f"{made.package} was generated for lexical search only; "
        f"set `disclosure.search: {strategy}` and run `toolfold generate`"
    )

    in_text = toolfold(tmp_path, "serve", "--search", strategy, "--log", "text")
    in_json = toolfold(tmp_path, "serve", "--search", strategy, "--log", "json")

    assert (in_text.code, in_text.err) == (1, f"error: {reason}\n")
    record = json.loads(in_json.err)
    assert (in_json.code, record["level"], record["event"]) == (1, "error", reason)


@pytest.mark.parametrize(("strategy", "is_found"), [("lexical", False), ("semantic", True)])
def test_serve_searches_as_it_is_told(hybrid: Project, strategy: str, is_found: bool) -> None:
    with Stdio(serve_command(hybrid, "--search", strategy)) as server:
        server.call(1, "search_tools", query="watch a film clip")
        (answer,) = server.wait(1)

    assert ("search_videos" in text_of(answer)) == is_found
