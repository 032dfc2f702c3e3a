"""The forms that saved tool lists come in, and those that are refused."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.importing.material import by_id, exact, imported, read_back, refused, save, tool
from tests.support.commands import toolfold

TOOLS: Final = [tool("find", description="Find it."), tool("store")]


@pytest.mark.parametrize(
    "document",
    [
        TOOLS,
        {"tools": TOOLS},
        {"tools": TOOLS, "nextCursor": None, "_meta": {}},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": TOOLS}},
        {"result": {"tools": TOOLS, "_meta": {"ttl": 1}}},
    ],
)
def test_a_list_in_any_form_is_of_the_server_that_the_file_is_named_after(
    document: Any, tmp_path: Path
) -> None:
    manifest = imported(tmp_path, document, "acme")

    assert list(by_id(manifest)) == ["acme::find", "acme::store"]
    assert manifest.server.name == "acme"


def test_a_catalog_says_the_server_of_each_tool(tmp_path: Path) -> None:
    tools = [tool("find", server="one"), tool("store", server="two"), tool("drop", server="one")]
    document = {"name": "pool", "source": "somewhere", "license": "MIT", "tools": tools}

    manifest = imported(tmp_path, document, "pool")

    assert list(by_id(manifest)) == ["one::find", "two::store", "one::drop"]
    assert manifest.server.name == "pool"


def test_a_document_may_say_the_server_of_all_its_tools(tmp_path: Path) -> None:
    manifest = imported(tmp_path, {"server": "acme", "tools": TOOLS}, "saved")

    assert list(by_id(manifest)) == ["acme::find", "acme::store"]


def test_several_files_become_one_manifest_in_their_order(tmp_path: Path) -> None:
    files = [save(tmp_path, TOOLS, "second"), save(tmp_path, {"tools": [tool("find")]}, "first")]

    said = toolfold(tmp_path, "import", "tools", *files)

    assert (said.code, said.err) == (0, "")
    assert said.out == "tools.yaml: written: 3 tools in 2 categories\n"
    assert list(by_id(read_back(tmp_path))) == ["second::find", "second::store", "first::find"]


def test_the_server_can_be_named_on_the_command_line(tmp_path: Path) -> None:
    toolfold(tmp_path, "import", "tools", save(tmp_path, TOOLS), "--name", "mine")

    assert read_back(tmp_path).server.name == "mine"


@pytest.mark.parametrize("name", ["a b", "", "x" * 65, "a/b", "a\nb"])
def test_a_name_that_no_server_can_have_is_wrong_use(name: str, tmp_path: Path) -> None:
    said = toolfold(tmp_path, "import", "tools", save(tmp_path, TOOLS), "--name", name)

    assert said.code == 2
    assert "this is a bug" not in said.err
    assert not (tmp_path / "tools.yaml").exists()


@pytest.mark.parametrize("server", ["Acme Inc. (beta)", "工具", "../..", "-x-", "a" * 100])
def test_any_server_has_a_name_that_a_manifest_takes(server: str, tmp_path: Path) -> None:
    manifest = imported(tmp_path, [tool("find", server=server)])

    assert list(by_id(manifest)) == [f"{server}::find"]
    assert manifest.categories


def test_a_list_saved_with_a_byte_order_mark_or_as_utf_16_is_read(tmp_path: Path) -> None:
    text = json.dumps([tool("find", description="Über alles")], ensure_ascii=False)
    for encoding in ("utf-8-sig", "utf-16"):
        (tmp_path / "demo.json").write_bytes(text.encode(encoding))

        said = toolfold(tmp_path, "import", "tools", "demo.json")

        assert said.code == 0, said.err
        assert by_id(read_back(tmp_path))["demo::find"].description == "Über alles"


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("", "not JSON"),
        ("tools: []", "not JSON"),
        ('[{"name": "a"}', "not JSON"),
        ("{'name': 'a'}", "not JSON"),
        ('[{"name": "a", "inputSchema": {"minimum": NaN}}]', "NaN"),
        ('[{"name": "a", "inputSchema": {"minimum": -Infinity}}]', "Infinity"),
        ('[{"name": "a", "inputSchema": {"minimum": 1e999}}]', "1e999"),
        ('[{"name": "a", "inputSchema": {"minimum": -1e999}}]', "-1e999"),
        (f'[{{"name": "a", "inputSchema": {{"minimum": {"9" * 5000}}}}}]', "demo.json"),
        (f'[{{"name": "a", "inputSchema": {{"minimum": {"9" * 400}}}}}]', "400 digits"),
    ],
)
def test_what_is_not_json_is_refused_with_the_reason(text: str, fact: str, tmp_path: Path) -> None:
    assert fact in refused(tmp_path, text)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    (tmp_path / "demo.json").write_bytes(b'[{"name": "\xff\xfe"}]')

    said = toolfold(tmp_path, "import", "tools", "demo.json")

    assert said.code == 2
    assert "demo.json: not JSON" in said.err


@pytest.mark.parametrize(
    "document",
    [
        None,
        True,
        5,
        "tools",
        {},
        {"tools": None},
        {"tools": {"find": {}}},
        {"result": []},
        {"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}},
    ],
)
def test_a_document_without_a_list_of_tools_is_refused(document: Any, tmp_path: Path) -> None:
    assert "demo.json: not a saved `tools/list` answer" in refused(tmp_path, json.dumps(document))


@pytest.mark.parametrize("document", [[], {"tools": []}, {"result": {"tools": []}}])
def test_a_list_of_nothing_is_refused(document: Any, tmp_path: Path) -> None:
    assert "demo.json: no tools in there" in refused(tmp_path, document)


@pytest.mark.parametrize(
    "wrong",
    [None, "find", 5, [], {}, {"name": None}, {"name": ""}, {"name": 5}, {"title": "Find"}],
)
def test_what_is_no_tool_is_refused_with_its_place(wrong: Any, tmp_path: Path) -> None:
    assert "demo.json: tools[1]: not a tool with a name" in refused(tmp_path, [tool("a"), wrong])


@pytest.mark.parametrize("key", ["inputSchema", "outputSchema", "annotations", "_meta"])
@pytest.mark.parametrize("wrong", [True, [], "x", 5])
def test_a_field_of_the_wrong_shape_is_refused_and_not_dropped(
    key: str, wrong: Any, tmp_path: Path
) -> None:
    said = refused(tmp_path, [tool("a"), {**tool("find"), key: wrong}])

    assert "find" in said
    assert key in said


@pytest.mark.parametrize("key", ["inputSchema", "outputSchema", "annotations", "_meta", "title"])
def test_a_field_that_is_null_is_absent(key: str, tmp_path: Path) -> None:
    entry = by_id(imported(tmp_path, [{"name": "find", key: None}]))["demo::find"]

    assert (entry.input_schema, entry.output_schema) == ({}, None)
    assert (entry.annotations, entry.meta, entry.title) == ({}, {}, None)


def test_two_tools_with_one_id_are_refused(tmp_path: Path) -> None:
    assert "demo::find: listed twice" in refused(tmp_path, [tool("find"), tool("find")])


@pytest.mark.parametrize("root", ["array", "string", ["object", "null"], 5, None])
def test_a_tool_whose_arguments_are_no_object_is_refused_by_name(root: Any, tmp_path: Path) -> None:
    assert "find" in refused(tmp_path, [tool("a"), tool("find", {"type": root})])


@pytest.mark.parametrize("depth", [70, 200, 500, 900, 3000, 100_000])
def test_a_schema_nested_beyond_reading_is_refused(depth: int, tmp_path: Path) -> None:
    nested = '{"not":' * depth + "{}" + "}" * depth

    said = refused(tmp_path, f'[{{"name": "find", "inputSchema": {nested}}}]')

    assert "Traceback" not in said


@pytest.mark.parametrize(
    "place",
    [
        {"name": "a\ud800"},
        {"server": "a\ud800"},
        {"inputSchema": {"title": "a\udfff"}},
        {"inputSchema": {"properties": {"\ud800": {}, "\udc00x": {}}}},
        {"inputSchema": {"enum": [["\udc00\ud800"]]}},
        {"outputSchema": {"properties": {"\ud800": {}}}},
        {"annotations": {"title": "\ud800"}},
        {"_meta": {"\ud800": 1}},
    ],
)
def test_half_a_character_where_text_is_kept_exactly_is_refused(
    place: dict[str, Any], tmp_path: Path
) -> None:
    assert "demo.json" in refused(tmp_path, [{**tool("find"), **place}])


@pytest.mark.parametrize("key", ["description", "title"])
def test_half_a_character_in_a_text_for_readers_loses_nothing_else(
    key: str, tmp_path: Path
) -> None:
    cut = {**tool("find"), key: "Cut in the middle \ud83d"}
    entry = by_id(imported(tmp_path, [cut]))

    assert getattr(entry["demo::find"], key).startswith("Cut in the middle ")


@pytest.mark.parametrize(
    ("file", "fact"), [("nowhere.json", "No such file"), (".", "Is a directory")]
)
def test_a_file_that_cannot_be_read_is_wrong_use(file: str, fact: str, tmp_path: Path) -> None:
    said = toolfold(tmp_path, "import", "tools", file)

    assert (said.code, said.out) == (2, "")
    assert fact in said.err
    assert "this is a bug" not in said.err


@pytest.mark.parametrize("name", ["a\nb", "a\rb", "\n", "x" * 500])
def test_a_name_that_no_id_can_hold_is_refused_or_kept_whole(name: str, tmp_path: Path) -> None:
    said = toolfold(tmp_path, "import", "tools", save(tmp_path, [tool("a"), tool(name)]))

    if said.code == 0:
        assert list(by_id(read_back(tmp_path))) == ["demo::a", f"demo::{name}"]
    else:
        assert (said.code, "this is a bug" in said.err) == (2, False)
        assert not (tmp_path / "tools.yaml").exists()


@pytest.mark.parametrize("key", ["k" * 1000, "k" * 1001, "\x01" * 500, "é" * 900, "\\" * 600])
def test_a_long_property_name_is_kept_or_refused(key: str, tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {key: {"type": "string"}}}

    said = toolfold(tmp_path, "import", "tools", save(tmp_path, [tool("find", schema)]))

    if said.code == 0:
        assert exact(by_id(read_back(tmp_path))["demo::find"].input_schema) == exact(schema)
    else:
        assert (said.code, "this is a bug" in said.err) == (2, False)
        assert not (tmp_path / "tools.yaml").exists()
