"""Names from a manifest: encoded, refused or made safe; never guessed, never a way out."""

import builtins
import json
import keyword
from pathlib import Path
from typing import Any, Final

import pytest
from pydantic import BaseModel
from toolfold.errors import ManifestError

from tests.security.checks import (
    assert_importing_does_nothing,
    assert_only_expected_code,
    python_of,
)
from tests.security.manifests import manifest_of, problems_of, tool
from tests.security.material import Files, Json, compiled
from tests.support.commands import program, toolfold

DEVICES: Final = ("con", "prn", "aux", "nul", "com1", "com9", "lpt1", "CON", "Nul")
ODD_PROPERTIES: Final = (
    *keyword.kwlist,
    *keyword.softkwlist,
    *dir(BaseModel),
    *(name for name in dir(builtins) if name.isidentifier()),
    *("self", "cls", "json", "copy", "dict", "schema", "validate", "construct", "fields"),
    *("model_config", "model_fields", "model_x", "Annotated", "Field", "Model", "NULLABLE"),
    *("Literal", "Any", "ConfigDict", "TypeAlias", "root", "annotations", "typing", "pydantic"),
    *("a-b", "a.b", "a b", "a/b", "a:b", "1st", "$x", "@type", "#id", "_x", "__x", "__x__", "_"),
    *("é", "日本", "ﬁeld", "ｃｌａｓｓ", "ℌ", "ª", "👍", "a👍", "²", "x²", "İ", "ß", "ſ", "µ"),
    *(" ", "-", "...", '"', "'", "\\", "\n", "\t", "a\nb", "{", "}", "{{x}}", "<b>", "`", "|"),
    *("ToolParams", "T0Params", "T1Params", "T1Result", "tool.name", "T2Params.plain", "x" * 200),
)
_CALL_ALL: Final = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, "generated")
from names.server import CATALOG
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.backends.python import backend_of

class Echo:
    def __getattr__(self, name):
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)

async def main():
    executor = Executor(CATALOG, backend_of(CATALOG, Echo()))
    calls = json.loads(Path("calls.json").read_text("utf-8"))
    return [(await executor.call(CATALOG.entry(name), given)).text for name, given in calls]

Path("answers.json").write_text(json.dumps(asyncio.run(main())), "utf-8")
"""


def echoed(files: Files, calls: list[tuple[str, Json]], folder: Path) -> list[Any]:
    """What each call answers where every method returns its own parameters."""
    for path, text in files.items():
        target = folder / "generated" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")
    (folder / "calls.json").write_text(json.dumps(calls), encoding="utf-8")
    done = program(folder, _CALL_ALL)
    assert (done.err, done.code) == ("", 0)
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))
    return [json.loads(answer) for answer in answers]


def test_every_odd_property_name_makes_the_round_trip_through_a_call(tmp_path: Path) -> None:
    names = list(dict.fromkeys(ODD_PROPERTIES))
    schema: Json = {"type": "string", "description": "d"}
    tools = {
        f"t{n}": tool(parameters={name: {**schema, "required": n % 2 == 0}})
        for n, name in enumerate(names)
    }
    files = compiled(manifest_of(tools), tmp_path)
    for source in python_of(files).values():
        assert_only_expected_code(source)
    calls = [(f"t{n}", {name: f"value {n}"}) for n, name in enumerate(names)]

    answers = echoed(files, calls, tmp_path)

    assert answers == [given for _, given in calls]


def test_all_odd_property_names_that_differ_stand_in_one_tool(tmp_path: Path) -> None:
    names = ["class", "self", "model_config", "copy", "json", "a-b", "é", "日本", "1st", "$x", "in"]
    parameters = {name: {"type": "string", "default": name} for name in names}
    files = compiled(manifest_of({"t": tool(parameters=parameters)}), tmp_path)
    given = {name: f"{name}!" for name in names}

    assert echoed(files, [("t", given), ("t", {})], tmp_path) == [given, {}]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("ﬁeld", "field"),
        ("class", "class_"),
        ("a-b", "a_b"),
        ("a b", "a.b"),
        ("ｃｏｐｙ", "copy"),
        ("é", "e\u0301"),
        ("_x", "field_x"),
        ("_", "__"),
        ("👍", "👎"),
        ("int", "int_"),
    ],
)
def test_properties_that_would_share_a_python_name_are_refused_by_name(
    first: str, second: str, tmp_path: Path
) -> None:
    parameters = {first: {"type": "string"}, second: {"type": "string"}}

    said = problems_of(manifest_of({"t": tool(parameters=parameters)}), tmp_path)

    assert f'properties "{first}" and "{second}" would share a Python name' in said


def test_property_names_that_differ_only_in_case_stay_apart(tmp_path: Path) -> None:
    parameters = {"name": {"type": "string"}, "Name": {"type": "string"}, "NAME": {}}
    files = compiled(manifest_of({"t": tool(parameters=parameters)}), tmp_path)
    given = {"name": "a", "Name": "b", "NAME": "c"}

    assert echoed(files, [("t", given)], tmp_path) == [given]


def test_a_property_named_like_a_class_of_its_module_hides_no_class(tmp_path: Path) -> None:
    inner: Json = {"type": "object", "properties": {"a": {"type": "string"}}}
    parameters = {
        "TParams": {"type": "string", "default": "x"},
        "TParamsFoo": {"type": "string", "default": "y"},
        "foo": inner,
        "TParamsBar": {**inner, "description": "d"},
    }
    files = compiled(manifest_of({"t": tool(parameters=parameters)}), tmp_path)
    given = {"TParams": "1", "TParamsFoo": "2", "foo": {"a": "3"}, "TParamsBar": {"a": "4"}}

    assert echoed(files, [("t", given)], tmp_path) == [given]


def test_one_property_name_in_two_tools_is_encoded_for_each(tmp_path: Path) -> None:
    tools = {
        "x": tool(parameters={"XParams": {"type": "string"}, "YParams": {"type": "string"}}),
        "y": tool(parameters={"XParams": {"type": "string"}, "YParams": {"type": "string"}}),
    }
    files = compiled(manifest_of(tools), tmp_path)
    given = {"XParams": "1", "YParams": "2"}

    assert echoed(files, [("x", given), ("y", given)], tmp_path) == [given, given]


def test_odd_tool_names_get_modules_and_methods_that_work(tmp_path: Path) -> None:
    names = [
        *keyword.kwlist,
        *("match", "case", "type", "__init__", "__main__", "self", "json", "copy", "models"),
        *("server", "handlers", "catalog", "model_config", "BaseModel2", "a-b-c", "1st", "_"),
        *("x-", "str", "print", "Params", "Result", "Model", "index", *DEVICES[:5]),
    ]
    tools = {name: tool(parameters={"v": {"type": "string"}}) for name in dict.fromkeys(names)}
    files = compiled(manifest_of(tools), tmp_path)
    for source in python_of(files).values():
        assert_only_expected_code(source)
    calls: list[tuple[str, Json]] = [(name, {"v": name}) for name in tools]

    assert echoed(files, calls, tmp_path) == [given for _, given in calls]
    assert_importing_does_nothing([files], tmp_path)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("read", "Read"),
        ("a-b", "a_b"),
        ("a_b", "aB"),
        ("class", "class_"),
        ("con", "con_"),
        ("index", "index_"),
        ("1st", "tool_1st"),
        ("__init__", "init_"),
    ],
)
def test_tools_that_would_share_a_name_are_refused_with_both_places(
    first: str, second: str, tmp_path: Path
) -> None:
    said = problems_of(manifest_of({first: tool(), second: tool()}), tmp_path)

    assert f'"{first}" (' in said
    assert f'and "{second}" would share' in said


@pytest.mark.parametrize(
    ("first", "second"), [("one", "One"), ("con", "con_"), ("INDEX", "index_")]
)
def test_categories_that_would_share_a_page_are_refused(
    first: str, second: str, tmp_path: Path
) -> None:
    tools = {"a": tool(category=first), "b": tool(category=second)}
    manifest = manifest_of(tools) | {"categories": {first: {}, second: {}}}

    assert "would share" in problems_of(manifest, tmp_path)


def test_two_tools_never_share_a_method(tmp_path: Path) -> None:
    tools = {"a": tool(backend={"python": "b"}), "b": tool()}

    assert '"b"' in problems_of(manifest_of(tools), tmp_path)


OUTSIDE: Final = ("..", "../up", "a/b", "a\\b", "/abs", "C:x", ".", ".hidden", "", "a\nb", "-rf")


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("position", ["tool", "category", "package", "alias", "meta", "server"])
def test_names_that_could_leave_the_folder_are_refused(
    name: str, position: str, tmp_path: Path
) -> None:
    manifest = manifest_of({"t": tool()})
    match position:
        case "tool":
            manifest["tools"] = {name: tool()}
        case "category":
            manifest |= {"categories": {name: {}}, "tools": {"t": tool(category=name)}}
        case "package":
            manifest["server"]["package"] = name
        case "alias":
            manifest["tools"]["t"]["aliases"] = [name]
        case "meta":
            manifest["disclosure"] = {"meta": {"capabilities": {"name": name}}}
        case "server":
            del manifest["server"]["package"]
            manifest["server"]["name"] = name

    try:
        files = compiled(manifest, tmp_path)
    except ManifestError:
        return

    # A server's name is no file's name: its package is made of what is safe in it.
    assert position == "server"
    assert all(part.isascii() and part != ".." for path in files for part in path.parts)
    assert not any(path.is_absolute() or "\\" in str(path) for path in files)


def test_no_output_is_named_like_a_device_and_none_differ_only_in_case(tmp_path: Path) -> None:
    names = [*DEVICES[:7], "index"]
    tools = {name: tool(category=name) for name in names}
    manifest = manifest_of(tools) | {"categories": {name: {} for name in names}}

    paths = list(compiled(manifest, tmp_path))

    devices = {name.lower() for name in DEVICES}
    stems = {part.lower().split(".")[0] for path in paths for part in path.parts}
    assert stems & devices == set()
    assert len({str(path).casefold() for path in paths}) == len(paths)


@pytest.mark.parametrize(
    "package", ["con", "NUL", "docs", "Docs", "json", "mcp", "class", "tests/x"]
)
def test_packages_that_hide_something_or_name_a_device_are_refused(
    package: str, tmp_path: Path
) -> None:
    manifest = manifest_of({"t": tool()})
    manifest["server"]["package"] = package

    assert "server.package" in problems_of(manifest, tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "os",
        "os.path",
        "a:b:c",
        "a b:C",
        "a;import os:C",
        "..a:C",
        "a/b:C",
        "a:C()",
        "a:C\n",
        "é:\n",
    ],
)
def test_an_implementation_is_a_dotted_path_or_refused(path: str, tmp_path: Path) -> None:
    manifest = manifest_of({"t": tool()})
    manifest["server"]["implementation"] = path

    assert "server.implementation" in problems_of(manifest, tmp_path)


def test_a_refused_key_cannot_write_to_the_terminal(tmp_path: Path) -> None:
    """Escape sequences and line ends in keys and values are shown, not sent."""
    key = "\u001b]0;owned\u0007\u009b31m\nforged.yaml:1:1: error\u202e"
    manifest = manifest_of({"t": tool(parameters={"p": {"type": "string", key: key}})}) | {key: key}
    (tmp_path / "tools.yaml").write_text(json.dumps(manifest), encoding="utf-8")

    for form in ("text", "github"):
        done = toolfold(tmp_path, "generate", "--format", form)

        assert done.code == 1
        shown = done.text
        assert [c for c in shown if not c.isprintable() and c != "\n"] == []
        assert not any(line.startswith("forged.yaml") for line in shown.split("\n"))


def test_paths_are_posix_and_below_the_output_folder(tmp_path: Path) -> None:
    files = compiled(manifest_of({"t": tool()}), tmp_path)

    assert {path.parts[0] for path in files} == {
        *("docs", "manifest.schema.json", "names", "site.json")
    }
    assert not any(path.is_absolute() or ".." in path.parts for path in files)
