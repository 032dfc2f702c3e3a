"""What is live is compared with what was imported: `check --live` and `toolfold servers`."""

import json
from pathlib import Path

import pytest

from tests.importing.servers.material import READS, config, entry, imported, publish, tool
from tests.support.commands import toolfold

FIND = tool("find", {"type": "object", "properties": {"id": {"type": "string"}}}, annotations=READS)
CHANGED = tool(
    "find", {"type": "object", "properties": {"id": {"type": "integer"}}}, annotations=READS
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A generated gateway before the servers `shop` and `mail`."""
    servers = {
        "shop": entry(publish(tmp_path, "shop", FIND, tool("send"))),
        "mail": entry(publish(tmp_path, "mail", tool("send"))),
    }
    imported(tmp_path, "--config", config(tmp_path, servers))
    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    return tmp_path


def declare(project: Path, more: str) -> None:
    """Add a key to the entry of the server `shop`."""
    path = project / "tools.yaml"
    text = path.read_text(encoding="utf-8").replace("  shop:\n", f"  shop:\n    {more}\n")
    path.write_text(text, encoding="utf-8")
    assert toolfold(project, "generate", "--quiet").code == 0


def test_what_is_as_imported_passes(project: Path) -> None:
    done = toolfold(project, "check", "--live")
    assert (done.code, done.text) == (0, "")


def test_without_live_no_server_is_started(project: Path) -> None:
    publish(project, "shop", CHANGED)
    assert toolfold(project, "check").code == 0


def test_a_change_fails_the_check_with_what_changed(project: Path) -> None:
    publish(project, "shop", CHANGED, tool("added"))
    done = toolfold(project, "check", "--live")

    assert done.code == 1
    assert done.out.splitlines() == [
        "  + added",
        "  - send",
        "  ~ find",
        '      inputSchema.properties.id.type: "string" → "integer"',
    ]
    assert "servers.shop: not what was imported any more" in done.err
    assert "import it again with `toolfold import mcp`, and review what changes" in done.err
    assert "mail" not in done.text


def test_importing_again_and_generating_mends_it(project: Path) -> None:
    publish(project, "shop", CHANGED)
    imported(project)
    assert toolfold(project, "check", "--live").code == 1  # what is generated is older
    assert toolfold(project, "generate", "--quiet").code == 0
    assert toolfold(project, "check", "--live").code == 0


def test_a_server_that_cannot_be_reached_fails_the_check_and_is_named(project: Path) -> None:
    (project / "shop.tools.json").unlink()
    done = toolfold(project, "check", "--live")

    assert done.code == 1
    assert done.err.startswith("tools.yaml:")
    assert "servers.shop: ended before it said who it is" in done.err
    assert "servers.mail" not in done.err


def test_differences_are_one_document_for_machines(project: Path) -> None:
    publish(project, "shop", CHANGED, tool("send"))
    done = toolfold(project, "check", "--live", "--format", "json")

    (record,) = json.loads(done.out)
    assert (done.code, record["code"], record["path"]) == (1, "live", "servers.shop")
    assert '"string" → "integer"' in record["hint"]


@pytest.mark.parametrize(("policy", "is_said"), [("warn", True), ("off", False)])
def test_a_server_may_be_held_to_less(project: Path, policy: str, *, is_said: bool) -> None:
    declare(project, f"pin: {policy}")
    publish(project, "shop", CHANGED, tool("send"))
    done = toolfold(project, "check", "--live")

    assert done.code == 0
    assert ("warning: not what was imported any more" in done.err) is is_said


def test_a_hidden_tool_is_still_known(project: Path) -> None:
    (project / "mine.yaml").write_text("tools:\n  find: {hidden: true}\n", encoding="utf-8")
    with (project / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write("overlays: [mine.yaml]\n")
    assert toolfold(project, "generate", "--quiet").code == 0
    assert toolfold(project, "check", "--live").code == 0


def test_a_tool_that_could_not_be_imported_is_no_difference(project: Path) -> None:
    broken = tool("broken", {"type": "object", "properties": {"a": 5}})
    publish(project, "shop", FIND, tool("send"), broken, {**tool("x"), "inputSchema": []})
    assert toolfold(project, "check", "--live").code == 0


def test_a_tool_of_the_authors_own_must_exist_upstream(project: Path) -> None:
    declaration = (
        "{category: shop, effect: read, summary: Own, backend: {server: shop, tool: gone}}"
    )
    with (project / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write(f"tools:\n  own: {declaration}\n")
    assert toolfold(project, "generate", "--quiet").code == 0
    done = toolfold(project, "check", "--live")

    assert done.code == 1
    assert "tools.own.backend: the server shop has no such tool" in done.err


def test_servers_are_listed_with_what_they_are(project: Path) -> None:
    publish(project, "shop", CHANGED, tool("added"))
    (project / "mail.tools.json").unlink()
    done = toolfold(project, "servers")

    assert done.code == 1
    heading, one, other, error = done.out.splitlines()
    assert heading.split() == [
        "server",
        "transport",
        "protocol",
        "version",
        "tools",
        "pin",
        "seconds",
    ]
    assert one.split()[:5] == ["shop", "stdio", "2025-11-25", "3.1", "2"]
    assert "1 changed, 1 added, 1 removed" in one
    assert other.split()[:6] == ["mail", "stdio", "-", "-", "-", "-"]
    assert error.startswith("  ended before it said who it is")


def test_servers_are_listed_for_machines(project: Path) -> None:
    done = toolfold(project, "servers", "shop", "--format", "json")

    (row,) = json.loads(done.out)
    assert done.code == 0
    assert row | {"seconds": 0} == {
        "server": "shop",
        "transport": "stdio",
        "protocol": "2025-11-25",
        "name": "published",
        "version": "3.1",
        "tools": 2,
        "pin": "matches",
        "seconds": 0,
        "error": None,
    }


def test_a_server_that_is_not_declared_is_wrong_use(project: Path) -> None:
    done = toolfold(project, "servers", "shpo")
    assert done.code == 2
    assert 'no server "shpo" is declared; there are: shop, mail' in done.err


@pytest.mark.parametrize("name", ["find", "shop::find"])
def test_an_id_works_wherever_a_name_does(project: Path, name: str) -> None:
    given = {"tool": name, "arguments": {"id": "A-1"}}
    for tool_, arguments in ((name, {"id": "A-1"}), ("run_read", given)):
        done = toolfold(project, "try", tool_, json.dumps(arguments))
        assert json.loads(done.out)[:2] == ["find", {"id": "A-1"}], done.err
    schema = toolfold(project, "try", "tool_schema", json.dumps({"tool": name}))
    assert '"name":"find"' in schema.out
    found = toolfold(project, "try", "search_tools", json.dumps({"query": name}))
    assert found.out.startswith("find(")


def test_search_can_be_held_to_a_server(project: Path) -> None:
    found = toolfold(project, "try", "search_tools", '{"query": "server:mail send"}').out
    assert "mail_send" in found
    assert not found.startswith("send(")


def test_variables_that_are_not_set_are_named(tmp_path: Path) -> None:
    shop_entry = entry(
        publish(tmp_path, "shop", FIND), env={"KEY": "s3cret", "PUBLISHED_NEEDS": "KEY"}
    )
    imported(tmp_path, "--config", config(tmp_path, {"shop": shop_entry}))
    done = toolfold(tmp_path, "servers")

    assert done.code == 1
    assert "SHOP_KEY" in done.out


def test_an_empty_list_of_servers_is_fine(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text(
        "toolfold: 1\nserver: {name: own, version: '1'}\ncategories: {all: {}}\n"
        "tools: {one: {category: all, effect: read, summary: S}}\n",
        encoding="utf-8",
    )
    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    assert toolfold(tmp_path, "check", "--live").code == 0
    done = toolfold(tmp_path, "servers")
    assert (done.code, done.out) == (0, "no servers are declared\n")
