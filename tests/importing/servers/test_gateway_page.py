"""docs/how-to/gateway.md is true: its files are imported, its commands say what it shows, its overlay curates."""

import json
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Final

import pytest
import yaml

from tests.importing.servers.material import PROGRAM, manifest, tool
from tests.support.commands import Result, must, toolfold_process
from tests.support.projects import ROOT, Json

PAGE: Final = (ROOT / "docs/how-to/gateway.md").read_text(encoding="utf-8")
ORDERS: Final = [tool("list_orders"), tool("cancel_order"), tool("debug_dump")]
LIMIT: Final = {"type": "object", "properties": {"limit": {"type": "integer"}}}


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def publish(folder: Path, name: str, tools: list[Json]) -> None:
    (folder / f"{name}.tools").write_text(json.dumps(tools), encoding="utf-8")


class Shell:
    """A terminal in a folder: runs toolfold, and remembers what is exported."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.variables = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}

    def run(self, command: str) -> Result:
        program, *arguments = shlex.split(command)
        if program == "export":
            self.variables |= dict(one.split("=", 1) for one in arguments)
            return Result(0, "", "")
        if program == "git":
            return Result(0, must(self.folder, program, *arguments), "")
        assert program == "toolfold"
        return toolfold_process(self.folder, *arguments, environment=self.variables)

    def follow(self, block: str) -> str:
        """Run every command of a block, each of which must succeed and print what follows it."""
        said = ""
        for line in block.splitlines():
            if not line.startswith("$ "):
                assert line in said.splitlines()
                continue
            done = self.run(line.removeprefix("$ "))
            assert done.code == 0, done.text
            said = done.out + done.err
        return said


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A folder with the page's file; its servers are on the path."""
    (tmp_path / "bin").mkdir()
    for name in ("orders", "mail"):
        script = tmp_path / f"bin/{name}-server"
        start = shlex.join([sys.executable, "-S", "-E", PROGRAM, str(tmp_path / f"{name}.tools")])
        script.write_text(f"#!/bin/sh\nexec {start}\n", encoding="utf-8")
        script.chmod(0o755)
    publish(tmp_path, "orders", ORDERS)
    publish(tmp_path, "mail", [tool("send"), tool("list_mails")])
    (config,) = blocks("json")
    (tmp_path / ".mcp.json").write_text(config, encoding="utf-8")
    return Shell(tmp_path)


def walk(name: str) -> str:
    """The block of commands that begins with a command."""
    (block,) = [block for block in blocks("console") if block.startswith(f"$ {name}\n")]
    return block


def import_all(shell: Shell) -> None:
    """The five commands but the last, which goes on until it is ended."""
    commands = walk("export MAILBOX=team").removesuffix("$ toolfold serve\n")
    said = shell.follow(commands)
    assert "matches" in said


def test_five_commands_lead_from_a_clients_file_to_a_gateway(shell: Shell) -> None:
    import_all(shell)

    servers = manifest(shell.folder).servers
    assert servers["orders"].env["ORDERS_TOKEN"] == "${ORDERS_TOKEN}"
    assert servers["mail"].env == {"MAILBOX": "${MAILBOX}"}
    called = shell.run('toolfold try run_read \'{"tool": "orders::list_orders"}\'')
    assert json.loads(called.out)[0] == "list_orders", called.err
    assert "sk-live" not in (shell.folder / "tools.yaml").read_text(encoding="utf-8")


def test_the_notice_about_a_secret_is_as_shown(shell: Shell) -> None:
    shell.variables["MAILBOX"] = "before"
    said = shell.run("toolfold import mcp --config .mcp.json").err
    (shown,) = re.findall(r"`(notice: [^`]*)`", PAGE)
    assert shown in said.splitlines()


def test_a_change_upstream_is_reviewed_as_shown(shell: Shell) -> None:
    import_all(shell)
    for command in ("git init -q", "git add -A", "git commit -qm Begin"):
        shell.run(command)
    publish(shell.folder, "orders", [tool("list_orders", LIMIT), *ORDERS[1:]])
    assert shell.run("toolfold check --live").code == 1
    base = tool("list_orders", {"type": "object", "properties": {}})
    publish(shell.folder, "orders", [base, *ORDERS[1:]])
    shell.follow("$ toolfold import mcp\n$ toolfold generate\n")
    publish(shell.folder, "orders", [tool("list_orders", LIMIT), *ORDERS[1:]])

    shell.follow(walk("toolfold import mcp"))
    shell.follow(walk("toolfold check --live"))


def test_the_overlay_is_laid_over_what_was_imported(shell: Shell) -> None:
    import_all(shell)
    shell.follow("$ toolfold import mcp --curate\n")
    overlay, _ = blocks("yaml")
    (own_categories,) = re.findall(r"`(categories: \{[^`]*)`", PAGE)
    path = shell.folder / "curation/orders.yaml"
    assert path.is_file()
    path.write_text(overlay, encoding="utf-8")
    with (shell.folder / "tools.yaml").open("a", encoding="utf-8") as opened:
        opened.write(f"{own_categories}\n")
    shell.follow("$ toolfold generate\n$ toolfold check --live\n")

    tools = manifest(shell.folder).tools
    assert tools["list_orders"].summary == "Find orders by customer or date"
    assert tools["cancel_order"].proposed == ["category", "summary"]
    assert "debug_dump" not in tools


def test_the_servers_of_a_team_are_accepted(shell: Shell) -> None:
    import_all(shell)
    _, servers = blocks("yaml")
    path = shell.folder / "tools.yaml"
    declared = yaml.safe_load(path.read_text(encoding="utf-8"))
    declared["servers"] |= yaml.safe_load(servers)["servers"]
    path.write_text(json.dumps(declared), encoding="utf-8")

    shell.follow("$ toolfold generate\n")
    assert manifest(shell.folder).servers["orders"].per_caller
