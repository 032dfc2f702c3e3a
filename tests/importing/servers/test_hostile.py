"""Hostile names, texts and files: nothing escapes its folder, its file or its line."""

import json
import signal
import sys
from pathlib import Path

import pytest

from tests.importing.servers.material import (
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
from tests.support.servers import Running
from tests.support.waiting import wait_until

TERMINAL = "\x1b[2J\x1b]0;owned\x07"
NAMES = [
    "../../outside",
    "..",
    ".hidden",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "a b",
    "con",
    "index",
    "class",
    "None",
    "é" * 40,
    f"x{TERMINAL}",
    "two\nlines",
    "-rf",
    "",
    "$(touch x)",
    "x" * 300,
    "\u202eevil",
]


@pytest.mark.parametrize("name", NAMES)
def test_a_server_of_any_name_stays_in_its_folder(tmp_path: Path, name: str) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    file = config(folder, {name: entry(publish(folder, "x", tool("find")))})
    done = imported(folder, "--config", file)

    assert "\x1b" not in done.text
    assert [path.name for path in tmp_path.iterdir()] == ["project"]
    (written,) = (folder / "servers").iterdir()
    assert written.suffix == ".yaml"
    assert written.name.isascii()
    assert toolfold(folder, "generate", "--quiet").code == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_server_may_call_itself_anything(tmp_path: Path, name: str) -> None:
    command = publish(tmp_path, "x", tool("find"))
    given = ["env", f"PUBLISHED_NAME={name}", *command] if "\0" not in name else command
    # -E keeps Python from reading its own variables only.
    imported(tmp_path, "--", *given)

    (written,) = (tmp_path / "servers").iterdir()
    assert written.suffix == ".yaml"


@pytest.mark.parametrize("name", [name for name in NAMES if name and "\n" not in name])
def test_a_tool_of_any_name_is_listed_under_a_legal_one(tmp_path: Path, name: str) -> None:
    done = imported(tmp_path, "--config", shop(tmp_path, tool(name), tool("fine")))

    assert "\x1b" not in done.text
    assert names(tmp_path)[f"shop::{name}"].isascii()
    assert toolfold(tmp_path, "generate", "--quiet").code == 0


def test_servers_that_differ_in_case_only_get_files_of_their_own(tmp_path: Path) -> None:
    servers = {n: entry(publish(tmp_path, "x", tool("find"))) for n in ("Shop", "shop", "SHOP!")}
    imported(tmp_path, "--config", config(tmp_path, servers))

    stems = [path.stem for path in (tmp_path / "servers").iterdir()]
    assert len({stem.casefold() for stem in stems}) == 3
    assert toolfold(tmp_path, "generate", "--quiet").code == 0


def test_a_diff_cannot_speak_to_the_terminal_or_forge_lines(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("find", description="Finds."), tool("gone"))
    imported(tmp_path, "--config", file)
    text = f"Finds.{TERMINAL}\r\n+ forged\n\u2028servers/shop.yaml: unchanged"
    schema = {"type": "object", "properties": {f"a{TERMINAL}\nb": {"type": "string"}}}
    shop(tmp_path, tool("find", schema, description=text), tool(f"new{TERMINAL}"))
    done = imported(tmp_path, "--config", file)

    assert "\x1b" not in done.text
    assert "\x07" not in done.text
    assert [line for line in done.out.splitlines() if not line.startswith(" ")] == [
        "servers/shop.yaml: 1 changed, 1 added, 1 removed; 2 tools in all"
    ]
    assert len([line for line in done.out.splitlines() if line.startswith("  + ")]) == 1


def test_what_a_failing_server_says_cannot_either(tmp_path: Path) -> None:
    given = ["sh", "-c", f"printf '{TERMINAL}\\nforged: line\\n' >&2; exit 3"]
    done = import_mcp(tmp_path, "--config", config(tmp_path, {f"s{TERMINAL}": entry(given)}))

    assert done.code == 1
    assert "\x1b" not in done.text
    assert not [line for line in done.err.splitlines() if line.startswith("forged")]


def test_a_description_of_five_megabytes_is_kept(tmp_path: Path) -> None:
    text = "word " * 1_000_000
    imported(tmp_path, "--config", shop(tmp_path, tool("find", description=text)))
    assert manifest(tmp_path).tools["find"].description == text


def test_a_server_that_publishes_too_much_is_refused_alone(tmp_path: Path) -> None:
    huge = [tool(f"t{n}", description="x" * 9_000_000) for n in range(8)]
    servers = {
        "huge": entry(publish(tmp_path, "huge", *huge)),
        "good": entry(publish(tmp_path, "good", tool("find"))),
    }
    done = import_mcp(tmp_path, "--config", config(tmp_path, servers))

    assert done.code == 1
    assert "huge: " in done.err
    assert [*manifest(tmp_path).servers] == ["good"]


def test_schemas_that_no_file_can_hold_are_left_out(tmp_path: Path) -> None:
    deep: dict[str, object] = {}
    for _ in range(40):
        deep = {"type": "object", "properties": {"a": deep}}
    tools = [
        tool("deep", deep),
        tool("long", {"type": "object", "properties": {"k" * 2_000: {}}}),
        tool("digits", {"type": "object", "properties": {"n": {"maximum": 10**400}}}),
        tool("fine"),
    ]
    done = imported(tmp_path, "--verbose", "--config", shop(tmp_path, *tools))

    assert [*names(tmp_path)] == ["shop::fine"]
    assert done.err.count("left out: ") == 3


@pytest.mark.parametrize("where", ["servers", "servers/shop.yaml", "tools.yaml"])
def test_nothing_is_written_through_a_link(tmp_path: Path, where: str) -> None:
    outside = tmp_path / "outside"
    project = tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    (outside / "shop.yaml").write_text("mine\n", encoding="utf-8")
    (project / where).parent.mkdir(exist_ok=True)
    target = outside if where == "servers" else outside / "shop.yaml"
    (project / where).symlink_to(target)
    before = snapshot(outside)
    done = import_mcp(project, "--config", shop(project, tool("find")))

    assert done.code != 0
    assert snapshot(outside) == before


def test_the_file_of_another_server_is_kept(tmp_path: Path) -> None:
    imported(tmp_path, "--config", shop(tmp_path, tool("find")))
    path = tmp_path / "servers/shop.yaml"
    path.rename(tmp_path / "servers/mail.yaml")
    done = import_mcp(tmp_path, "--name", "mail", "--", *publish(tmp_path, "mail", tool("send")))

    assert done.code == 1
    assert "servers/mail.yaml: holds the tools of another server" in done.err


def test_a_file_that_is_somebody_elses_is_kept(tmp_path: Path) -> None:
    (tmp_path / "servers").mkdir()
    mine = tmp_path / "servers/shop.yaml"
    mine.write_text("tools: {}\n", encoding="utf-8")
    done = import_mcp(tmp_path, "--config", shop(tmp_path, tool("find")))

    assert done.code == 1
    assert "servers/shop.yaml: not imported by toolfold, so it is kept; move it away" in done.err
    assert mine.read_text(encoding="utf-8") == "tools: {}\n"


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_an_interrupted_import_writes_nothing_and_leaves_no_process(
    tmp_path: Path, number: signal.Signals, expected: int
) -> None:
    command = publish(tmp_path, "slow", tool("find"))
    file = config(tmp_path, {"slow": entry(command, env={"PUBLISHED_HANGS": "1"})})
    before = snapshot(tmp_path)
    import_command = [*_TOOLFOLD, "import", "mcp", "--config", file]
    with Running(import_command, tmp_path) as running:
        wait_until(lambda: bool(_children(command[-1])), "the server is never started")
        running.process.send_signal(number)
        code = running.end()

    assert code == expected
    wait_until(lambda: not _children(command[-1]), "the server outlives the import")
    assert snapshot(tmp_path) == before


def test_two_imports_at_once_both_count(tmp_path: Path) -> None:
    files = [
        config(tmp_path, {n: entry(publish(tmp_path, n, tool("find")))}, f"{n}.json")
        for n in "abcd"
    ]
    running = [Running([*_TOOLFOLD, "import", "mcp", "--config", file], tmp_path) for file in files]
    assert [process.end() for process in running] == [0, 0, 0, 0]

    assert {*manifest(tmp_path).servers} == {"a", "b", "c", "d"}
    assert len({*names(tmp_path).values()}) == 4
    assert toolfold(tmp_path, "generate", "--quiet").code == 0
    assert not list(tmp_path.rglob("*toolfold-*"))


def test_a_server_that_prints_junk_is_imported_all_the_same(tmp_path: Path) -> None:
    command = publish(tmp_path, "x", tool("find"))
    given = ["sh", "-c", f"echo hello; echo '{{'; exec {' '.join(command)}"]
    imported(tmp_path, "--name", "junk", "--", *given)
    assert names(tmp_path) == {"junk::find": "find"}


def test_tools_that_are_no_objects_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "shop.tools.json"
    file = shop(tmp_path, tool("fine"))
    path.write_text(
        json.dumps([tool("fine"), {**tool("fine"), "title": "twice"}]), encoding="utf-8"
    )
    done = imported(tmp_path, "--verbose", "--config", file)

    assert "listed twice" in done.err
    assert manifest(tmp_path).tools["fine"].title is None


_TOOLFOLD = [sys.executable, "-m", "toolfold"]


def _children(argument: str) -> list[str]:
    """Processes that were started with an argument."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if argument.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
        except OSError:
            continue
    return found


def test_a_number_that_json_does_not_have_leaves_out_its_tool_and_no_other(tmp_path: Path) -> None:
    endless = {"type": "object", "properties": {"x": {"type": "number", "default": float("inf")}}}
    file = shop(tmp_path, tool("find"), tool("endless", inputSchema=endless))
    done = import_mcp(tmp_path, "--config", file, "--verbose")

    assert list(names(tmp_path)) == ["shop::find"]
    assert "endless: warning: left out: its definition cannot be written exactly" in done.err
    assert done.code == 0
