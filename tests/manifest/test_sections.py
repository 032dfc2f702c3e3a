"""A manifest cut at its tools: either each tool's text is its own, or nothing is cut."""

from pathlib import Path
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.errors import ManifestError, Source
from toolfold.manifest.glance import UnsureError, glance
from toolfold.manifest.load import examine
from toolfold.manifest.sections import cut
from toolfold.manifest.tree import plain

HEAD: Final = "toolfold: 1\nserver: {name: a, version: '1'}\ncategories: {all: {}}\n"
TOOL: Final = "    category: all\n    effect: read\n    summary: One\n"


def names(text: str) -> list[str] | None:
    found = cut(Source("tools.yaml", text))
    return [section.name for section in found.sections] if found else None


def test_each_tool_is_a_section_with_its_place() -> None:
    text = (
        f'{HEAD}tools:  # all\n  # first\n  one:\n{TOOL}  # next\n\n  "two":\n{TOOL}include: []\n'
    )

    found = cut(Source("tools.yaml", text))

    assert found is not None
    assert [(s.name, s.at.line, s.at.column) for s in found.sections] == [
        ("one", 6, 3),
        ("two", 12, 3),
    ]
    assert found.sections[0].text == f"  one:\n{TOOL}  # next\n\n"
    assert found.rest.splitlines()[-1] == "include: []"
    assert len(found.rest.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize(
    "tools",
    [
        "tools: {one: {}}\n",
        "tools:\n  ? one\n  : {}\n",
        "tools:\n  one: {}\n 'two': {}\n",
        "tools:\n  one: {}\ntools:\n  two: {}\n",
        "tools:\n  a b: {}\n",
        "tools:\n  one: {}\n  - two\n",
        "tools:\n",
        "tools:\n# none\n",
        "tools:\none: {}\n",
    ],
)
def test_what_is_not_plainly_a_key_is_not_cut(tools: str) -> None:
    assert not names(HEAD + tools)


def test_line_ends_of_windows_are_cut_alike() -> None:
    text = f"{HEAD}tools:\n  one:\n{TOOL}  two:\n{TOOL}"

    assert names(text.replace("\n", "\r\n")) == names(text) == ["one", "two"]


# What may stand in or after a tool, some of it only where something else stands before it.
PIECES: Final = [
    "  one:\n" + TOOL, "  two:\n" + TOOL, '  "three":\n' + TOOL, "# c\n", "\n", "  # d\n",
    "    notes: |\n      a\n\n      # b\n", "    title: >-\n     x\n", "    tier: hot  # warm\n",
    "    example: 'open\n", "      closed'\n", "    tags: [a,\n", "      b]\n", "    tags: [a, b]\n",
    "  four: {category: all,\n", "    effect: read, summary: x}\n", "  five: {category: all, effect: read, summary: x}\n",
    "    title: &t T\n", "    title: *t\n", "\t\n", "---\n", "...\n", "include: []\n", "workflows: []\n", "  - x\n", " x: 1\n",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=8))
def test_a_glance_reads_what_reading_it_whole_reads(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[str]
) -> None:
    path: Path = tmp_path_factory.mktemp("cut") / "tools.yaml"
    path.write_text(f"{HEAD}tools:\n  zero:\n{TOOL}{''.join(pieces)}", encoding="utf-8")
    try:
        glanced = glance(path)
        tools = {name: glanced.manifest.tools[name] for name in glanced.manifest.tools}
    except UnsureError:
        return

    whole = examine(path)

    assert not whole.problems
    assert tools == whole.manifest.tools
    assert plain(glanced.tree) == plain(whole.tree)
    assert glanced.tree["tools"].keys_at.keys() == whole.tree["tools"].keys_at.keys()
    for name in tools:
        assert str(glanced.tree["tools"].keys_at[name]) == str(whole.tree["tools"].keys_at[name])
        found, read = glanced.tree["tools"][name], whole.tree["tools"][name]
        assert {k: str(v) for k, v in found.keys_at.items()} == {
            k: str(v) for k, v in read.keys_at.items()
        }


def test_a_glance_is_unsure_of_any_mistake(tmp_path: Path) -> None:
    path = tmp_path / "tools.yaml"
    path.write_text(f"{HEAD}tools:\n  one:\n{TOOL}    colour: red\n", encoding="utf-8")

    with pytest.raises(UnsureError):
        glance(path).manifest.tools["one"]
    with pytest.raises(ManifestError):
        raise ManifestError(examine(path).problems)
