"""Values that become patterns, modules and paths: refused with a place, and nothing is left behind."""

from pathlib import Path
from typing import Final

import pytest
from toolfold.compile import plan_manifest
from toolfold.errors import ManifestError, Problem
from toolfold.manifest.load import load_with_problems

from tests.security.manifests import manifest_of, tool
from tests.support.commands import toolfold
from tests.support.projects import Json, generate, small_manifest, snapshot, write_manifest

PATTERNS: Final = {
    ".": "matches folders",
    "./": "matches folders",
    "**": "matches folders",
    "a/**": "matches folders",
    "a/": "matches folders",
    "**x/*.yaml": 'has "**" and more',
    "***": 'has "**" and more',
    "a/x**.yaml": 'has "**" and more',
    "[abc": "never closed",
    "a[": "never closed",
    "[!]": "never closed",
    "a/[/]b": "never closed",
    "a\0b": "control character",
    "a\x1b[2Jb": "control character",
    "~": "leaves the folder",
    "~/x": "leaves the folder",
    "~root/x": "leaves the folder",
    "a/../b": "leaves the folder",
    "\\\\host\\x": "leaves the folder",
    "x" * 300: "is too long",
    "ß" * 200: "is too long",
    "*/" * 60 + "x": "is too long",
    "**/" * 400 + "x": "is too long",
    "x.yaml\n": "not valid here",
    "": "not valid here",
    "nothing.yaml": "matches no file",
    "{a,b}.yaml": "matches no file",
}
IMPLEMENTATIONS: Final = {
    "class.def:import": '"class" is a word of Python',
    "a.None:C": '"None" is a word of Python',
    "a:True": '"True" is a word of Python',
    "os:system": '"os" is a module of Python',
    "os.path:join": '"os" is a module of Python',
    "x:__class__": '"__class__" is a name that Python reserves',
    "__main__:C": '"__main__" is a name that Python reserves',
    "a.__init__:C": '"__init__" is a name that Python reserves',
    "con.x:C": '"con" is the name of a device',
    "a.COM1:C": '"COM1" is the name of a device',
    "names:C": '"names" is the generated package',
    "toolfold_runtime.x:C": '"toolfold_runtime" is a module that the server needs',
    "MCP:C": '"MCP" is a module that the server needs',
    "a..b:C": "not valid here",
    ".a:C": "not valid here",
    "a:b:C": "not valid here",
    "a/b:C": "not valid here",
    "a": "not valid here",
    "ﬁ.x:C": "not valid here",
    "a:\N{CYRILLIC CAPITAL LETTER ES}": "not valid here",
    "a:" + "b" * 300: "at most 200 characters",
    "a\0b:C": "not valid here",
    "a:C\n": "not valid here",
}


def planned(manifest: Json, folder: Path) -> tuple[Problem, ...]:
    """The problems for which a manifest is refused; nothing is rendered."""
    with pytest.raises(ManifestError) as refusal:
        plan_manifest(load_with_problems(write_manifest(folder, manifest)))
    return refusal.value.problems


@pytest.mark.parametrize("key", ["include", "overlays"])
def test_patterns_that_are_none_are_refused_each_at_its_place(key: str, tmp_path: Path) -> None:
    (tmp_path / "b").write_text("tools: {}", encoding="utf-8")

    problems = planned(manifest_of({"t": tool()}, **{key: list(PATTERNS)}), tmp_path)

    by_path = {problem.path: problem for problem in problems}
    assert len(by_path) == len(problems)
    for index, (pattern, words) in enumerate(PATTERNS.items()):
        problem = by_path[f"{key}[{index}]"]
        assert words in problem.fact, pattern
        assert problem.hint, pattern


@pytest.mark.parametrize("name", IMPLEMENTATIONS, ids=lambda name: ascii(name[:20]))
def test_an_implementation_that_cannot_be_imported_is_refused_at_its_place(
    name: str, tmp_path: Path
) -> None:
    manifest = manifest_of({"t": tool()})
    manifest["server"]["implementation"] = name

    (problem,) = planned(manifest, tmp_path)

    assert problem.path == "server.implementation"
    assert IMPLEMENTATIONS[name] in f"{problem.fact}; {problem.hint}"
    assert problem.hint


def test_a_refused_implementation_leaves_nothing_behind(tmp_path: Path) -> None:
    content = small_manifest("one")
    content["server"]["implementation"] = "class.def:import"
    write_manifest(tmp_path, content)

    done = toolfold(tmp_path, "generate")

    assert done.code == 1
    assert done.err.startswith("tools.yaml:1:")
    assert list(snapshot(tmp_path)) == ["tools.yaml"]


@pytest.mark.parametrize("package", ["docs", "nul", "os", "class", "mcp"])
def test_a_package_that_would_hide_something_is_refused(package: str, tmp_path: Path) -> None:
    manifest = manifest_of({"t": tool()})
    manifest["server"]["package"] = package

    (problem,) = planned(manifest, tmp_path)

    assert (problem.path, f'"{package}"' in problem.fact) == ("server.package", True)


def test_thousands_of_patterns_are_one_problem(tmp_path: Path) -> None:
    manifest = manifest_of({"t": tool()}, include=[f"{n}/**/*.yaml" for n in range(5000)])

    (problem,) = planned(manifest, tmp_path)

    assert problem.fact == "5,000 patterns; at most 1,000 are read"


@pytest.mark.parametrize("pattern", ["*.y*", "**/two.yaml", "./two.yaml", "[t]wo.yaml", "**/**/t*"])
def test_a_pattern_matches_below_the_folder_only(pattern: str, tmp_path: Path) -> None:
    write_manifest(tmp_path, {"tools": {"two": tool()}}, "two.yaml")
    manifest = manifest_of({"t": tool()}, include=[pattern])

    tools = load_with_problems(write_manifest(tmp_path, manifest)).manifest.tools

    assert list(tools) == ["t", "two"]


def test_a_pattern_that_matches_the_manifest_itself_is_refused(tmp_path: Path) -> None:
    write_manifest(tmp_path, manifest_of({"t": tool()}, include=["tools.yaml"]))

    done = toolfold(tmp_path, "generate")

    assert 'include[0]: "tools.yaml" was read already' in done.err


def test_what_is_generated_is_no_input_of_the_next_run(tmp_path: Path) -> None:
    write_manifest(tmp_path, {"tools": {}}, "part.json")
    write_manifest(tmp_path, manifest_of({"t": tool()}, include=["**/*.json"]))
    generate(tmp_path)
    before = snapshot(tmp_path)
    write_manifest(tmp_path, manifest_of({"t": tool(), "u": tool()}, include=["**/*.json"]))

    done = toolfold(tmp_path, "generate")

    assert (
        'include[0]: "**/*.json" matches generated/manifest.schema.json, which toolfold' in done.err
    )
    assert done.code == 1
    assert snapshot(tmp_path / "generated") == {
        name.removeprefix("generated/"): content
        for name, content in before.items()
        if name.startswith("generated/")
    }
