"""The tools of servers become files that a manifest includes, exactly and without clashes."""

import json
from pathlib import Path
from typing import Any

import pytest
from toolfold.manifest.load import load

from tests.importing.servers.material import (
    READS,
    config,
    entry,
    import_mcp,
    imported,
    manifest,
    names,
    publish,
    shop,
    tool,
)
from tests.support.commands import toolfold
from tests.support.projects import Json, Project, snapshot
from tests.support.servers import listening
from tests.upstream.http_stub import http_stub

RICH = tool(
    "find order",
    {"type": "object", "properties": {"id": {"type": "string", "default": 5}}, "x": [1.5, None]},
    title="Find it",
    description="Finds an order.\n\nMore of it: “quoted” and {braces}.",
    outputSchema={"type": "object", "properties": {"n": {"type": "integer"}}},
    annotations={"readOnlyHint": True, "custom": {"deep": [True]}},
    _meta={"example.com/owner": "orders"},
)


def test_one_file_per_server_is_included_and_declared(tmp_path: Path) -> None:
    servers = {
        "shop": entry(publish(tmp_path, "shop", tool("find"))),
        "mail": entry(publish(tmp_path, "mail", tool("send"))),
    }
    done = imported(tmp_path, "--config", config(tmp_path, servers))

    assert done.out.splitlines() == [
        "servers/shop.yaml: written: 1 tool",
        "servers/mail.yaml: written: 1 tool",
        "tools.yaml: added to: include, servers",
    ]
    assert names(tmp_path) == {"mail::send": "send", "shop::find": "find"}
    assert [upstream.command for upstream in manifest(tmp_path).servers.values()] == [
        publish(tmp_path, "shop", tool("find")),
        publish(tmp_path, "mail", tool("send")),
    ]


def test_what_was_imported_can_be_generated_as_it_is(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, tool("find order"), tool("send")))

    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    done = toolfold(tmp_path, "check")
    assert (done.code, done.text) == (0, "")
    stem = names(tmp_path)["shop::find order"]
    page = (tmp_path / f"generated/docs/tools/{stem}.md").read_text(encoding="utf-8")
    assert "Carried out by the server `shop`, as its tool `find order`." in page
    assert "[`definition_changed`](../agents.md#definition_changed)" in page


def test_definitions_are_kept_exactly(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, RICH))

    loaded = load(tmp_path / "tools.yaml")
    kept = {key: value for key, value in RICH.items() if key != "_meta"}
    assert loaded.pins == {"shop_find_order": kept}
    assert loaded.manifest.tools["shop_find_order"].meta == RICH["_meta"]


def test_a_command_is_imported_by_itself(tmp_path: Path) -> None:
    imported(tmp_path, "--name", "shop", "--", *publish(tmp_path, "shop", tool("find")))
    assert names(tmp_path) == {"shop::find": "find"}


def test_without_a_name_the_server_names_itself(tmp_path: Path) -> None:
    imported(tmp_path, "--", *publish(tmp_path, "x", tool("find")))
    assert (tmp_path / "servers/published.yaml").is_file()


def test_a_server_over_http_is_imported_by_its_address(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    imported(inner, "--config", shop(inner, tool("find", annotations=READS)))
    assert toolfold(inner, "generate", "--quiet").code == 0
    with listening(Project(inner, "inner_mcp")) as server:
        outer = tmp_path / "outer"
        outer.mkdir()
        imported(outer, server.url, "--name", "inner")

        assert manifest(outer).servers["inner"].url == server.url
        assert "inner::find" in names(outer)


def test_a_server_that_wants_a_token_says_how_to_import_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with http_stub() as server:
        address = f"{server.address}/guarded"
        refused = import_mcp(tmp_path, address)
        assert refused.code == 1
        assert "declare it in tools.yaml with one of them, and import it again" in refused.err

        server.tokens.append("t1")
        monkeypatch.setenv("UP_TOKEN", "t1")
        up = {"url": address, "auth": {"bearer": "${UP_TOKEN}"}}
        begun = {"toolfold": 1, "server": {"name": "g", "version": "1"}, "servers": {"up": up}}
        (tmp_path / "tools.yaml").write_text(json.dumps(begun), encoding="utf-8")
        imported(tmp_path)
    assert "up::echo" in names(tmp_path)


def test_a_costly_tool_is_shortened_where_its_author_can(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, tool("find", description="Finds it. " * 200)))
    done = toolfold(tmp_path, "generate", "--verbose")

    assert "shorten its description in an overlay, or hide it, or set" in done.err


def test_tools_that_are_called_alike_get_the_names_of_their_servers(tmp_path: Path) -> None:
    servers = {
        name: entry(publish(tmp_path, name, tool("search"), tool("Search"), tool("tool_schema")))
        for name in ("a", "b")
    }
    imported(tmp_path, "--config", config(tmp_path, servers))

    assert names(tmp_path) == {
        "a::search": "search",
        "a::Search": "a_Search",
        "a::tool_schema": "a_tool_schema",
        "b::search": "b_search",
        "b::Search": "b_Search_2",
        "b::tool_schema": "b_tool_schema",
    }


def test_names_stay_when_servers_are_added_before(tmp_path: Path) -> None:
    mine, other = publish(tmp_path, "b", tool("search")), publish(tmp_path, "a", tool("search"))
    imported(tmp_path, "--config", config(tmp_path, {"b": entry(mine)}))
    imported(tmp_path, "--config", config(tmp_path, {"a": entry(other), "b": entry(mine)}))

    assert names(tmp_path) == {"b::search": "search", "a::search": "a_search"}


def test_names_of_the_manifest_itself_are_respected(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text(
        "toolfold: 1\n"
        "server: {name: own, version: '1', prefix: own_}\n"
        "disclosure: {meta: {search: {name: seek}}}\n"
        "categories: {shop: {}}\n"
        "tools:\n  find: {category: shop, effect: read, summary: S, aliases: [get]}\n",
        encoding="utf-8",
    )
    tools = [tool(name) for name in ("find", "get", "seek", "own_run_read", "free")]
    imported(tmp_path, "--config", shop(tmp_path, *tools))

    assert [*names(tmp_path).values()] == [
        "find",
        "shop_find",
        "shop_get",
        "shop_seek",
        "shop_own_run_read",
        "free",
    ]
    assert {*manifest(tmp_path).categories} == {"shop", "shop-2"}


def test_categories_carry_the_servers_name_and_follow_clear_words(tmp_path: Path) -> None:
    words = [f"{word}_{n}" for word in ("jira", "wiki") for n in range(10)]
    command = publish(tmp_path, "at", *(tool(word) for word in [*words, "get_status"]))
    imported(tmp_path, "--config", config(tmp_path, {"at": entry(command)}))

    grouped = {tool.category for tool in manifest(tmp_path).tools.values()}
    assert grouped == {"at-jira", "at-wiki", "at"}


def test_a_tool_that_is_added_moves_no_other_to_another_category(tmp_path: Path) -> None:
    few = [tool(f"{word}_{n}") for word in ("jira", "wiki") for n in range(9)]
    file = shop(tmp_path, *few)
    imported(tmp_path, "--config", file)
    shop(tmp_path, *few, *(tool(f"wiki_new_{n}") for n in range(9)))
    imported(tmp_path, "--config", file)

    assert {tool.category for tool in manifest(tmp_path).tools.values()} == {"shop"}


@pytest.mark.parametrize(
    ("name", "fields", "effect", "is_proposed"),
    [
        ("list_orders", {"annotations": {"readOnlyHint": False}}, "destructive", False),
        ("list_orders", {"annotations": {"destructiveHint": False}}, "write", False),
        ("purge", {"annotations": READS}, "read", False),
        ("list_orders", {}, "read", True),
        ("listOrders", {"description": "Deletes all that is listed"}, "destructive", True),
        ("get_or_create_order", {}, "write", True),
        ("remove_order", {}, "destructive", True),
        ("orders", {"description": "Get all orders"}, "write", True),
    ],
)
def test_effects_are_declared_by_annotations_or_proposed_from_words(
    tmp_path: Path, name: str, fields: Json, effect: str, *, is_proposed: bool
) -> None:
    imported(tmp_path, "--config", shop(tmp_path, tool(name, **fields)))

    (imported_tool,) = manifest(tmp_path).tools.values()
    assert imported_tool.effect == effect
    assert imported_tool.proposed == ["category", "summary", *(["effect"] if is_proposed else [])]


def test_one_that_fails_is_named_with_its_last_words_and_the_others_go_on(tmp_path: Path) -> None:
    good = publish(tmp_path, "good", tool("find"))
    servers = {
        "gone": entry(["/nowhere/at/all"]),
        "ends": entry(good, env={"PUBLISHED_ENDS": "1"}),
        "hangs": entry(good, env={"PUBLISHED_HANGS": "1"}),
        "empty": entry(publish(tmp_path, "empty")),
        "good": entry(good),
    }
    done = import_mcp(tmp_path, "--timeout", "3", "--config", config(tmp_path, servers))

    assert done.code == 1
    assert done.out.startswith("servers/good.yaml: written: 1 tool\n")
    failures = dict(line.split(": ", 1) for line in done.err.splitlines() if ": " in line)
    assert "cannot go on without a reason" in failures["ends"]
    assert "/nowhere/at/all" in failures["gone"]
    assert "3 s" in failures["hangs"]
    assert failures["empty"] == "it publishes no tools"
    assert [*manifest(tmp_path).servers] == ["good"]


def test_where_all_fail_nothing_is_written(tmp_path: Path) -> None:
    file = config(tmp_path, {"gone": entry(["/nowhere/at/all"])})
    before = snapshot(tmp_path)
    done = import_mcp(tmp_path, "--config", file)

    assert done.code == 1
    assert snapshot(tmp_path) == before


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        ({"inputSchema": {"type": "array"}}, "the root type of inputSchema is not object"),
        ({"inputSchema": {"properties": {"a": 5}}}, "properties are not a mapping of schemas"),
        ({"inputSchema": "text"}, "inputSchema is not an object"),
        ({"name": "two\nlines"}, "a name of several lines"),
        ({"name": "n" * 500}, "too many characters"),
        ({"annotations": {"readOnlyHint": "yes"}}, "not a value for readOnlyHint"),
    ],
)
def test_a_tool_that_no_manifest_can_hold_is_left_out_and_named(
    tmp_path: Path, broken: dict[str, Any], reason: str
) -> None:
    file = shop(tmp_path, {**tool("broken"), **broken}, tool("fine"))
    done = imported(tmp_path, "--config", file, "--verbose")

    assert [*names(tmp_path)] == ["shop::fine"]
    assert "left out: " in done.err
    assert reason in done.err
