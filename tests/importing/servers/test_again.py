"""Importing again changes what changed upstream and nothing else, and says what that was."""

from pathlib import Path

import pytest

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
from tests.support.projects import snapshot

FIND = tool(
    "find",
    {"type": "object", "properties": {"id": {"type": "string"}, "old": {}}, "required": ["id"]},
    description="Finds an order.",
)
FOUND = tool(
    "find",
    {"type": "object", "properties": {"id": {"type": "integer"}, "new": {"type": "string"}}},
    title="Find",
    description="Finds an order.",
    annotations=READS,
)


def test_a_second_import_writes_nothing(tmp_path: Path) -> None:
    file = shop(tmp_path, FIND, tool("send"))
    imported(tmp_path, "--config", file)
    before = snapshot(tmp_path)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yaml")}
    done = imported(tmp_path, "--config", file)

    assert done.out == "servers/shop.yaml: unchanged: 2 tools\n"
    assert snapshot(tmp_path) == before
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.yaml")} == times


def test_declared_servers_are_imported_again_by_themselves(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, FIND))
    imported(tmp_path, "--config", shop(tmp_path, tool("send"), name="mail"))
    shop(tmp_path, FIND, tool("added"))

    assert imported(tmp_path).out == (
        "servers/shop.yaml: 1 added; 2 tools in all\n  + added\nservers/mail.yaml: unchanged: 1 tool\n"
    )
    assert imported(tmp_path, "--name", "mail").out == "servers/mail.yaml: unchanged: 1 tool\n"


def test_what_changed_is_said_parameter_by_parameter(tmp_path: Path) -> None:
    file = shop(tmp_path, FIND, tool("gone"))
    imported(tmp_path, "--config", file)
    shop(tmp_path, FOUND, tool("added"))
    done = imported(tmp_path, "--config", file)

    assert done.out.splitlines() == [
        "servers/shop.yaml: 1 changed, 1 added, 1 removed; 2 tools in all",
        "  + added",
        "  - gone",
        "  ~ find",
        '      inputSchema.properties.id.type: "string" → "integer"',
        "      inputSchema.properties.old: removed, was {}",
        '      inputSchema.properties.new: added {"type":"string"}',
        '      inputSchema.required: removed, was ["id"]',
        '      title: added "Find"',
        '      annotations: added {"readOnlyHint":true}',
    ]


def test_only_the_lines_of_a_changed_tool_change(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("a"), FIND, tool("z"))
    imported(tmp_path, "--config", file)
    before = (tmp_path / "servers/shop.yaml").read_text(encoding="utf-8").splitlines()
    shop(tmp_path, tool("a"), {**FIND, "description": "Finds it."}, tool("z"))
    imported(tmp_path, "--config", file)
    after = (tmp_path / "servers/shop.yaml").read_text(encoding="utf-8").splitlines()

    changed = [old for old, new in zip(before, after, strict=True) if old != new]
    assert changed == ["    summary: Finds an order", '    description: "Finds an order."']


def test_a_change_that_no_agent_reads_is_written_and_said(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("a"))
    imported(tmp_path, "--config", file)
    shop(tmp_path, tool("a", _meta={"example.com/build": 2}))
    done = imported(tmp_path, "--config", file)

    assert done.out == "servers/shop.yaml: changed: 1 tool\n  only what no agent reads\n"


def test_a_long_diff_is_bounded(tmp_path: Path) -> None:
    file = shop(tmp_path, *(tool(f"old_{n}") for n in range(300)))
    imported(tmp_path, "--config", file)
    text = "\n".join(f"line {n}" for n in range(500))
    shop(tmp_path, *(tool(f"old_{n}", description=text) for n in range(150)))
    done = imported(tmp_path, "--config", file)

    assert len(done.out.splitlines()) <= 402
    assert len(done.out) < 100_000


def test_a_server_that_fails_keeps_what_was_imported(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, FIND))
    before = snapshot(tmp_path)
    (tmp_path / "shop.tools.json").unlink()
    done = import_mcp(tmp_path)
    (tmp_path / "shop.tools.json").write_bytes(bytes(before["shop.tools.json"]))  # type: ignore[arg-type] # a file

    assert done.code == 1
    assert snapshot(tmp_path) == before


def test_the_entry_belongs_to_its_author_from_then_on(tmp_path: Path) -> None:
    file = shop(tmp_path, FIND)
    imported(tmp_path, "--config", file)
    path = tmp_path / "tools.yaml"
    other = publish(tmp_path, "other", tool("other"))
    text = path.read_text(encoding="utf-8").replace("shop.tools.json", "other.tools.json")
    path.write_text(text.replace("  shop:", "  # mine\n  shop:\n    timeout: 5"), encoding="utf-8")
    mine = path.read_bytes()
    done = imported(tmp_path, "--config", file)

    assert path.read_bytes() == mine
    assert "tools.yaml declares it otherwise than shop.json; that is used" in done.err
    assert names(tmp_path) == {"shop::other": "other"}
    assert manifest(tmp_path).servers["shop"].command == other


def test_another_server_of_the_same_name_is_not_overwritten(tmp_path: Path) -> None:
    imported(tmp_path, "--name", "shop", "--", *publish(tmp_path, "shop", FIND))
    done = import_mcp(tmp_path, "--name", "shop", "--", *publish(tmp_path, "x", tool("x")))

    assert done.code == 2
    assert 'another server "shop" is declared already; give this one a --name' in done.err


def test_tools_of_a_server_that_stand_elsewhere_are_in_its_way(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text(
        "toolfold: 1\nserver: {name: own, version: '1'}\ncategories: {all: {}}\ntools:\n"
        "  old: {id: 'shop::old', category: all, effect: read, summary: S}\n",
        encoding="utf-8",
    )
    done = import_mcp(tmp_path, "--config", shop(tmp_path, FIND))

    assert done.code == 1
    assert 'shop: "old" has an id of this server, and is not in servers/shop.yaml' in done.err


def test_a_tool_of_the_authors_own_stands_beside_what_is_imported(tmp_path: Path) -> None:
    file = shop(tmp_path, FIND)
    imported(tmp_path, "--config", file)
    declaration = (
        "{category: shop, effect: read, summary: Own, backend: {server: shop, tool: find}}"
    )
    with (tmp_path / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write(f"tools:\n  own: {declaration}\n")
    imported(tmp_path, "--config", file)

    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    assert '["find"' in toolfold(tmp_path, "try", "own").out


def test_curation_survives_and_decides(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("find", annotations=READS), tool("purge"), tool("gone"))
    imported(tmp_path, "--config", file)
    with (tmp_path / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write("overlays: [mine.yaml]\ncategories: {orders: {}}\n")
    (tmp_path / "mine.yaml").write_text(
        "tools:\n"
        "  shop::find: {summary: Find an order, category: orders, tags: [a], tier: hot}\n"
        "  purge: {effect: destructive}\n"
        "  gone: {hidden: true}\n",
        encoding="utf-8",
    )
    shop(tmp_path, tool("find", description="New."), tool("purge"), tool("gone"), tool("fresh"))
    imported(tmp_path, "--config", file)

    read = manifest(tmp_path).tools
    assert (read["find"].summary, read["find"].category) == ("Find an order", "orders")
    assert (read["purge"].effect, read["purge"].proposed) == (
        "destructive",
        ["category", "summary"],
    )
    assert read["fresh"].proposed == ["category", "summary", "effect"]
    assert "gone" not in read
    assert toolfold(tmp_path, "generate").code == 0
    assert not list((tmp_path / "generated").rglob("*gone*"))


def test_an_overlay_to_start_from_is_written_once(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("order", description="All: of it"), tool("404", annotations=READS))
    done = imported(tmp_path, "--config", file, "--curate")

    path = tmp_path / "curation/shop.yaml"
    assert "curation/shop.yaml: written, and yours" in done.out
    assert path.read_text(encoding="utf-8").splitlines()[:5] == [
        "# Yours: what agents see of the server shop. Importing never changes it.",
        "tools:",
        "  order:",
        '    summary: "All: of it"',
        "    # effect: write  # proposed: the server does not say",
    ]
    assert manifest(tmp_path).tools["order"].proposed == ["category", "effect"]
    path.write_text("tools:\n  order: {summary: Mine}\n", encoding="utf-8")
    mine = snapshot(tmp_path)
    imported(tmp_path, "--config", file, "--curate")
    assert snapshot(tmp_path) == mine


@pytest.mark.parametrize(
    ("effect", "shown"),
    [("write", "unspecified"), ("read", "read"), ("destructive", "destructive")],
)
def test_a_tool_that_nobody_vouches_for_is_shown_as_unspecified(
    tmp_path: Path, effect: str, shown: str
) -> None:
    name = {"write": "order", "read": "list_orders", "destructive": "delete_order"}[effect]
    imported(tmp_path, "--config", shop(tmp_path, tool(name)))
    assert toolfold(tmp_path, "generate", "--quiet").code == 0

    page = tmp_path / f"generated/docs/tools/{name}.md"
    assert f"\n`{shown}` · " in page.read_text(encoding="utf-8")
    told = toolfold(tmp_path, "try", "tool_schema", f'{{"tool": "shop::{name}"}}').out
    assert f'"effect":"{shown}"' in told
    (catalog,) = tmp_path.glob("generated/*/catalog/categories/shop.jsonl")
    assert "readOnlyHint" not in catalog.read_text(encoding="utf-8")


def test_a_category_that_curation_emptied_is_not_shown(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, tool("find")))
    with (tmp_path / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write("overlays: [mine.yaml]\ncategories: {orders: {}, planned: {}}\n")
    (tmp_path / "mine.yaml").write_text("tools:\n  find: {category: orders}\n", encoding="utf-8")

    assert [*manifest(tmp_path).categories] == ["orders", "planned"]


def test_a_new_server_is_added_beside_what_is_there(tmp_path: Path) -> None:
    imported(tmp_path, "--config", config(tmp_path, {"a": entry(publish(tmp_path, "a", FIND))}))
    before = (tmp_path / "servers/a.yaml").read_bytes()
    imported(tmp_path, "--config", config(tmp_path, {"b": entry(publish(tmp_path, "b", FIND))}))

    assert (tmp_path / "servers/a.yaml").read_bytes() == before
    assert [*manifest(tmp_path).servers] == ["a", "b"]
    assert manifest(tmp_path).include == ["servers/*.yaml"]
