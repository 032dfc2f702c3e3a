"""Servers are declared in the author's manifest by place: nothing else of it changes."""

from pathlib import Path
from typing import Final

import pytest
from toolfold.importing.servers.declare import DeclarationError, with_entries, with_pattern

from tests.importing.servers.material import import_mcp, imported, manifest, shop, tool
from tests.support.projects import snapshot

ENTRY: Final = {"gh": {"command": ["npx", "-y", "@x/y"], "env": {"T": "${T}", "M": {"plain": "x"}}}}
BLOCK: Final = """\
  gh:
    command: ["npx", "-y", "@x/y"]
    env:
      T: "${T}"
      M: {"plain": "x"}
"""
FLOW: Final = '"gh": {"command": ["npx", "-y", "@x/y"], "env": {"T": "${T}", "M": {"plain": "x"}}}'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", f"a: 1\nservers:\n{BLOCK}"),
        ("a: 1", f"a: 1\nservers:\n{BLOCK}"),
        ("servers:\n  a: {url: x}\n", f"servers:\n  a: {{url: x}}\n{BLOCK}"),
        (
            "servers:\n  a:\n    url: x  # why\n  # end\n\n\n# on tools\ntools: {}\n",
            f"servers:\n  a:\n    url: x  # why\n  # end\n{BLOCK}\n\n# on tools\ntools: {{}}\n",
        ),
        ("servers:\nb: 2\n", f"servers:\n{BLOCK}b: 2\n"),
        ("servers:  # all\nb: 2\n", f"servers:  # all\n{BLOCK}b: 2\n"),
        ("servers: {}  # none yet\n", f"servers:  # none yet\n{BLOCK}"),
        ("servers: null\nb: 2", f"servers:\n{BLOCK}b: 2"),
        ("servers: {a: {url: x}}\n", f"servers: {{a: {{url: x}}, {FLOW}}}\n"),
        (
            "servers: {\n  a: {url: x},  # why\n}\nb: 2\n",
            f"servers: {{\n  a: {{url: x}}, {FLOW},  # why\n}}\nb: 2\n",
        ),
        ('{"toolfold": 1}\n', f'{{"toolfold": 1, "servers": {{{FLOW}}}}}\n'),
        ('{"servers": {}, "b": 2}', f'{{"servers": {{{FLOW}}}, "b": 2}}'),
        (
            "servers:\r\n  a: {url: x}\r\nb: 2\r\n",
            f"servers:\n  a: {{url: x}}\n{BLOCK}b: 2\n".replace("\n", "\r\n"),
        ),
        (
            "servers:\n  a:\n    url: |\n      # text\nb: 2\n",
            f"servers:\n  a:\n    url: |\n      # text\n{BLOCK}b: 2\n",
        ),
    ],
)
def test_an_entry_is_added_in_the_layout_that_is_there(before: str, after: str) -> None:
    assert with_entries(before, "servers", ENTRY) == after


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\n...\n",
        "servers: &x {a: {}}\nb: *x\n",
        "servers: [1]\n",
        "servers: text\n",
        "x: &y {a: {}}\nservers: *y\n",
    ],
)
def test_what_would_say_something_else_is_not_touched(text: str) -> None:
    with pytest.raises(DeclarationError):
        with_entries(text, "servers", ENTRY)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a: 1\n", 'a: 1\ninclude: ["s/*.yaml"]\n'),
        ("include: [a, b]\nc: 1\n", 'include: [a, b, "s/*.yaml"]\nc: 1\n'),
        ("include: []\n", 'include:\n  - "s/*.yaml"\n'),
        ("include:\n- a\nc: 1\n", 'include:\n- a\n- "s/*.yaml"\nc: 1\n'),
        ("include:\n  - a # why\n\nc: 1\n", 'include:\n  - a # why\n  - "s/*.yaml"\n\nc: 1\n'),
        ('{"include": ["a"]}', '{"include": ["a", "s/*.yaml"]}'),
    ],
)
def test_a_pattern_is_added_in_the_layout_that_is_there(before: str, after: str) -> None:
    assert with_pattern(before, "include", "s/*.yaml") == after


def test_a_manifest_that_cannot_be_added_to_is_kept_and_its_author_told(tmp_path: Path) -> None:
    mine = "---\ntoolfold: 1\nserver: {name: own, version: '1'}\n...\n"
    (tmp_path / "tools.yaml").write_text(mine, encoding="utf-8")
    done = import_mcp(tmp_path, "--config", shop(tmp_path, tool("find")))

    assert done.code == 1
    assert (tmp_path / "tools.yaml").read_text(encoding="utf-8") == mine
    assert "tools.yaml: `servers:` could not be added to; add it yourself" in done.err
    assert "servers:\n  shop:\n    command: [" in done.err
    assert (tmp_path / "servers/shop.yaml").is_file()


def test_a_mark_at_the_beginning_of_a_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"
    path.write_bytes(b"\xef\xbb\xbftoolfold: 1\nserver: {name: own, version: '1'}\n")
    imported(tmp_path, "--config", shop(tmp_path, tool("find")))

    assert path.read_bytes().startswith(b"\xef\xbb\xbftoolfold: 1\n")
    assert [*manifest(tmp_path).servers] == ["shop"]


def test_patterns_that_match_already_are_enough(tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"
    text = "toolfold: 1\nserver: {name: own, version: '1'}\ninclude: ['**/*.yaml']\n"
    path.write_text(text, encoding="utf-8")
    (tmp_path / "servers").mkdir()
    imported(tmp_path, "--config", shop(tmp_path, tool("find")))

    assert "servers/*.yaml" not in path.read_text(encoding="utf-8")


def test_a_server_that_an_included_file_declares_is_not_declared_again(tmp_path: Path) -> None:
    file = shop(tmp_path, tool("find"))
    imported(tmp_path, "--config", file)
    path = tmp_path / "tools.yaml"
    head, entries = path.read_text(encoding="utf-8").split("servers:\n", 1)
    path.write_text(head.replace("include: [", "include: [own.yaml, "), encoding="utf-8")
    (tmp_path / "own.yaml").write_text(f"servers:\n{entries}", encoding="utf-8")
    before = snapshot(tmp_path)
    imported(tmp_path, "--config", file)

    assert snapshot(tmp_path) == before


def test_a_broken_manifest_is_refused_before_anything_is_started(tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_text("toolfold: [", encoding="utf-8")
    done = import_mcp(tmp_path, "--config", shop(tmp_path, tool("find")))

    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("tools.yaml:2:1: not YAML")
    assert not (tmp_path / "servers").exists()
