"""Exposure: what `tools/list` shows, and that everything else can be called all the same."""

import json
from typing import Any, Final

import anyio
import mcp_types as types
import pytest
from toolfold_runtime.contract.vocabulary import Exposure

from tests.disclosure.catalogs import META, SHELF, Shelf, changed, sized
from tests.support.clients import ERAS, Era, call, connected, listed, names, pages
from tests.support.commands import run
from tests.support.projects import Project, project
from tests.support.servers import serve_command

TOOLS: Final = list(SHELF["tools"])


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("shelf"), SHELF)


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("closed"), changed(SHELF, unlisted_calls="deny"))


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("many"), sized(3, 70))


SHOWN: Final = {
    "direct": [*META[:2], *TOOLS],
    "progressive": META,
    "hybrid": [*META, "find_book", "dust"],
}


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("exposure", SHOWN)
def test_one_manifest_is_exposed_in_every_way(exposure: Exposure, era: Era, shelf: Project) -> None:
    assert names(shelf.server(exposure), era) == SHOWN[exposure]


@pytest.mark.parametrize("exposure", SHOWN)
def test_the_manifests_exposure_is_what_a_server_starts_with(
    exposure: Exposure, tmp_path_factory: pytest.TempPathFactory
) -> None:
    made = project(tmp_path_factory.mktemp("chosen"), changed(SHELF, exposure=exposure))

    assert names(made.server()) == SHOWN[exposure]


def test_auto_lists_every_tool_while_the_list_fits_its_budget(
    shelf: Project, many: Project
) -> None:
    assert names(shelf.server()) == SHOWN["direct"]
    assert names(many.server()) == META


@pytest.mark.parametrize(("budget", "least", "most"), [(2000, 15, 15), (500, 3, 14)])
def test_hybrid_lists_fifteen_hot_tools_or_as_many_as_their_budget_allows(
    budget: int, least: int, most: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    manifest = changed(sized(1, 100, budgets={"hot": budget}), exposure="hybrid")
    for tool in manifest["tools"].values():
        tool["tier"] = "hot"
    made = project(tmp_path_factory.mktemp("hot"), manifest)

    shown = names(made.server())[len(META) :]

    assert shown == list(manifest["tools"])[: len(shown)]
    assert least <= len(shown) <= most


def test_serve_takes_another_exposure_and_no_unknown_one(shelf: Project) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": _ABOUT}}
    (shelf.folder / "implementation.py").write_text("class Shelf: ...\n", encoding="utf-8")
    request_line = json.dumps(request) + "\n"

    done = run(shelf.folder, *serve_command(shelf, "--exposure", "hybrid"), stdin=request_line)
    wrong = run(shelf.folder, *serve_command(shelf, "--exposure", "all"))

    assert (done.code, done.err) == (0, "")
    answer = json.loads(done.out)
    assert [tool["name"] for tool in answer["result"]["tools"]] == SHOWN["hybrid"]
    assert wrong.code == 2
    assert "invalid choice: 'all'" in wrong.err


_ABOUT: Final = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


# The list itself


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("exposure", SHOWN)
def test_the_list_is_the_same_for_every_connection_and_after_calls(
    exposure: Exposure, era: Era, shelf: Project
) -> None:
    server = shelf.server(exposure, Shelf())
    before = listed(server, era)
    call(server, "move_book", {"book": "Dune"}, era)
    call(server, "capabilities", {}, era)

    assert listed(server, era) == before
    assert listed(shelf.server(exposure), era) == before


@pytest.mark.parametrize("era", ERAS)
def test_a_long_list_is_one_page(era: Era, many: Project) -> None:
    (page,) = pages(many.server("direct"), era)

    assert [tool.name for tool in page] == [*META[:2], *many.catalog.names()]


def test_the_list_carries_cache_hints_in_the_modern_era(shelf: Project) -> None:
    async def hints() -> tuple[Any, Any]:
        async with connected(shelf.server()) as client:
            page = await client.list_tools()
            return page.ttl_ms, page.cache_scope

    ttl, scope = anyio.run(hints)

    assert isinstance(ttl, int)
    assert ttl >= 60_000
    assert scope == "public"


def test_every_listed_tool_carries_its_id_and_every_meta_tool_stays_loaded(
    shelf: Project,
) -> None:
    metas = {tool.name: tool.meta or {} for tool in listed(shelf.server("hybrid"))}

    assert metas["find_book"]["toolfold/id"] == "shelf::find_book"
    assert [name for name in META if metas[name] != {"anthropic/alwaysLoad": True}] == []


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("exposure", SHOWN)
def test_instructions_front_load_how_to_start_and_name_only_what_is_listed(
    exposure: Exposure, era: Era, shelf: Project
) -> None:
    async def said() -> str:
        async with connected(shelf.server(exposure), era) as client:
            if era == "legacy":
                return client.instructions or ""
            answer = await client.session.send_discover(era)
            return types.DiscoverResult.model_validate(answer).instructions or ""

    text = anyio.run(said)

    assert text.startswith("Start with capabilities() for the inventory, ask tool_schema(tool)")
    assert text.endswith("\nBooks and where they stand.")
    assert ("run_read" in text) == (exposure != "direct")


def test_instructions_that_are_long_are_cut_at_their_end(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    server = SHELF["server"] | {"instructions": "On and on. " * 400}
    made = project(tmp_path_factory.mktemp("long"), SHELF | {"server": server})

    text = made.server().instructions

    assert text is not None
    assert len(text) <= 2048
    assert text.startswith("Start with capabilities()")


# Calls of what is not listed


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("exposure", SHOWN)
def test_direct_calls_work_in_every_exposure(exposure: Exposure, era: Era, shelf: Project) -> None:
    server = shelf.server(exposure, Shelf())

    assert call(server, "find_book", {"title": "dune"}, era).structured == {"result": ["dune x5"]}
    assert call(server, "burn_book", {}, era).text == "burnt"
    assert call(server, "seek_book", {"title": "x"}, era).structured == {"result": ["x x5"]}
    assert call(server, "shelf::move_book", {"book": "x"}, era).text == "moved x"


def test_unlisted_calls_that_are_denied_name_the_runners(closed: Project) -> None:
    server = closed.server("progressive", Shelf())

    for name in ("find_book", "seek_book", "shelf::find_book"):
        answer = call(server, name, {"title": "x"})
        assert answer.is_error
        assert answer.text == (
            "effect_refused: find_book is not listed. Run it with run_read or run_write."
        )
    ran = call(server, "run_read", {"tool": "seek_book", "arguments": {"title": "x"}})
    assert ran.text == '["x x5"]'


def test_listed_tools_can_be_called_where_unlisted_calls_are_denied(closed: Project) -> None:
    assert call(closed.server("hybrid", Shelf()), "dust").text == "dusted"
    assert call(closed.server("hybrid", Shelf()), "burn_book").is_error
    assert call(closed.server("direct", Shelf()), "burn_book").text == "burnt"
    alias = call(closed.server("direct", Shelf()), "seek_book", {"title": "x"})
    assert alias.structured == {"result": ["x x5"]}


def test_a_denied_call_runs_nothing(closed: Project) -> None:
    class Counting(Shelf):
        runs = 0

        def burn_book(self, params: Any) -> str:
            self.runs += 1
            return "burnt"

    counting = Counting()
    call(closed.server("progressive", counting), "burn_book")

    assert counting.runs == 0
