"""Findings in foreign schemas: grouped and counted in text, each with --verbose, all in JSON."""

import json
import re
from pathlib import Path
from typing import Any, Final

import pytest

from tests.importing.material import save, tool
from tests.support.commands import Result, toolfold
from tests.support.projects import Json

_BAD_DEFAULT: Final[Json] = {"type": "integer", "default": "ten"}
TOOLS: Final = [
    tool("fine", {"type": "object", "properties": {"q": {"type": "string"}}}),
    *(tool(f"d{n}", {"type": "object", "properties": {"n": _BAD_DEFAULT}}) for n in range(5)),
    tool("untyped", {"properties": {}}),
    tool("odd", {"type": "object", "x-odd": 1, "y-odd": 2}),
    tool("text", {"type": "object", "properties": {"n": {"type": "integer", "maximum": "50"}}}),
    tool("far", {"type": "object", "properties": {"f": {"$ref": "https://example.com/x"}}}),
    tool("own", {"$schema": "https://example.com/mine", "type": "object"}),
    tool("alike", {"type": "object", "properties": {"a-b": {}, "a_b": {}}}),
]
_PLACE: Final = re.compile(r"^tools\.yaml:\d+:\d+: tools\.", re.MULTILINE)


def said_of(folder: Path, *options: str) -> Result:
    said = toolfold(folder, "import", "tools", save(folder, TOOLS), "--force", *options)
    assert said.code == 0, said.err
    return said


def all_findings(folder: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(said_of(folder, "--format", "json").out)
    return found


def test_a_list_without_findings_says_only_what_was_written(tmp_path: Path) -> None:
    said = toolfold(tmp_path, "import", "tools", save(tmp_path, TOOLS[:1]))

    assert said.out == "tools.yaml: written: 1 tools in 1 categories\n"
    assert said.err == ""


def test_a_result_that_fastmcp_wraps_is_no_finding(tmp_path: Path) -> None:
    wrapped = {
        "type": "object",
        "properties": {"result": {"type": "string"}},
        "x-fastmcp-wrap-result": True,
    }
    said = toolfold(
        tmp_path, "import", "tools", save(tmp_path, [tool("one", outputSchema=wrapped)])
    )

    assert (said.code, said.err) == (0, "")


def test_every_finding_is_a_warning_in_json_with_place_code_and_way_out(tmp_path: Path) -> None:
    found = all_findings(tmp_path)

    assert {f["severity"] for f in found} == {"warning"}
    assert all(f["file"] == "tools.yaml" and f["line"] > 1 and f["column"] > 0 for f in found)
    assert all(f["fact"] and f["hint"] and f["path"].startswith("tools.") for f in found)
    paths = [(f["path"], f["code"]) for f in found]
    for number in range(5):
        path = f"tools.d{number}.input_schema.properties.n.default"
        assert paths.count((path, "default")) == 1
    assert ("tools.untyped.input_schema", "root-type") in paths
    assert ("tools.odd.input_schema.x-odd", "keyword") in paths
    assert ("tools.odd.input_schema.y-odd", "keyword") in paths
    assert ("tools.text.input_schema.properties.n.maximum", "meta-schema") in paths
    assert ("tools.far.input_schema.properties.f.$ref", "reference") in paths
    assert ("tools.own.input_schema.$schema", "meta-schema") in paths
    assert ("tools.alike.input_schema.properties.a_b", "property-names") in paths
    assert not [path for path, _ in paths if path.startswith("tools.fine")]


def test_text_shows_each_kind_once_and_counts_the_rest(tmp_path: Path) -> None:
    found = all_findings(tmp_path)
    kinds = dict.fromkeys(f["code"] for f in found)

    lines = said_of(tmp_path).err.splitlines()

    assert lines.pop() == f"{len(found)} warnings; --verbose lists them all"
    assert len(lines) == len(kinds)
    for line, kind in zip(lines, kinds, strict=True):
        more = sum(f["code"] == kind for f in found) - 1
        assert line.endswith(f"[{kind} and {more} more]" if more else f"[{kind}]")
        assert ": warning: " in line
        assert _PLACE.match(line)


def test_verbose_shows_each_with_its_line_and_way_out(tmp_path: Path) -> None:
    found = all_findings(tmp_path)

    said = said_of(tmp_path, "--verbose").err

    assert len(_PLACE.findall(said)) == len(found)
    for finding in found:
        assert f"{finding['path']}: warning: {finding['fact']}" in said
        assert f"  {finding['hint']}\n" in said + "\n"


def test_machine_formats_keep_the_result_off_standard_output(tmp_path: Path) -> None:
    found = all_findings(tmp_path)

    as_json, as_github = said_of(tmp_path, "--format", "json"), said_of(tmp_path, "--format=github")

    for said in (as_json, as_github):
        assert said.err == "tools.yaml: unchanged: 12 tools in 1 categories\n"
    lines = as_github.out.splitlines()
    assert len(lines) == len(found)
    assert all(line.startswith("::warning file=tools.yaml,line=") for line in lines)


@pytest.mark.parametrize("command", ["generate", "check"])
@pytest.mark.parametrize("options", [(), ("--no-cache",)])
def test_later_commands_repeat_the_same_findings(
    command: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    found = all_findings(tmp_path)
    assert toolfold(tmp_path, "generate", "--quiet").code == 0

    said = toolfold(tmp_path, command, "--format", "json", *options)

    assert said.code == 0
    assert json.loads(said.out) == found


def test_findings_are_the_same_when_nothing_was_written(tmp_path: Path) -> None:
    assert said_of(tmp_path).err == said_of(tmp_path).err
