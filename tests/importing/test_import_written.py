"""The written manifest: same bytes every time, never over somebody's work, read back exactly."""

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from toolfold.errors import UsageError
from toolfold.importing.run import import_tools
from toolfold.manifest.load import load
from toolfold.manifest.schema import Manifest

from tests.importing.hard_cases import HARD_CASES
from tests.importing.material import by_id, exact, imported, save, tool
from tests.support.commands import python, toolfold
from tests.support.projects import Json


def test_two_interpreters_write_the_same_bytes(tmp_path: Path) -> None:
    tools = [{**case.tool, "server": f"s{n % 3}"} for n, case in enumerate(HARD_CASES)]
    written = []
    for seed in ("0", "4242"):
        folder = tmp_path / seed
        folder.mkdir()
        file = save(folder, tools)
        environment = {"PYTHONHASHSEED": seed, "LC_ALL": "C" if seed == "0" else "C.UTF-8"}
        command = ("-m", "toolfold", "import", "tools", file)
        assert python(folder, *command, environment=environment).code == 0
        written.append((folder / "tools.yaml").read_bytes())

    assert written[0] == written[1]


def test_a_second_run_changes_nothing_and_says_so(tmp_path: Path) -> None:
    file = save(tmp_path, [tool("find")])

    first = toolfold(tmp_path, "import", "tools", file)
    before = (tmp_path / "tools.yaml").stat()
    second = toolfold(tmp_path, "import", "tools", file)
    after = (tmp_path / "tools.yaml").stat()

    assert first.out == "tools.yaml: written: 1 tools in 1 categories\n"
    assert second.out == "tools.yaml: unchanged: 1 tools in 1 categories\n"
    assert (before.st_mtime_ns, before.st_ino) == (after.st_mtime_ns, after.st_ino)


def test_a_manifest_that_differs_is_kept_until_force_is_used(tmp_path: Path) -> None:
    imported(tmp_path, [tool("find")])
    manifest = tmp_path / "tools.yaml"
    mine = manifest.read_bytes() + b"# curated\n"
    manifest.write_bytes(mine)

    refused = toolfold(tmp_path, "import", "tools", "demo.json")
    kept = manifest.read_bytes()
    forced = toolfold(tmp_path, "import", "tools", "demo.json", "--force")

    assert (refused.code, refused.out) == (2, "")
    assert "tools.yaml: there already and different; --force" in refused.err
    assert kept == mine
    assert forced.code == 0
    assert b"curated" not in manifest.read_bytes()


def test_the_manifest_is_written_where_it_is_wanted(tmp_path: Path) -> None:
    said = toolfold(tmp_path, "import", "tools", save(tmp_path, [tool("find")]), "-o", "a/b/c.yaml")

    assert said.code == 0
    assert list(load(tmp_path / "a/b/c.yaml").manifest.tools) == ["find"]
    assert sorted(path.name for path in (tmp_path / "a/b").iterdir()) == ["c.yaml"]


@pytest.mark.parametrize("output", ["folder", "demo.json/tools.yaml", "/dev/null/tools.yaml"])
def test_an_output_that_cannot_be_written_is_wrong_use(output: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()

    said = toolfold(tmp_path, "import", "tools", save(tmp_path, [tool("find")]), "-o", output)

    assert (said.code, said.out) == (2, "")
    assert "this is a bug" not in said.err
    assert output.split("/tools")[0] in said.err


def test_the_manifest_says_where_it_came_from_and_reads_like_a_persons(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    imported(tmp_path, [tool("find", schema, description="Find it. Fast.")], "acme")

    assert (tmp_path / "tools.yaml").read_text(encoding="utf-8") == (
        "# Imported by `toolfold import tools` from acme.json\n"
        "toolfold: 1\n"
        "\n"
        "server:\n"
        "  name: acme\n"
        '  version: "0.1.0"\n'
        "\n"
        "categories:\n"
        '  acme: {"title": "acme"}\n'
        "\n"
        "tools:\n"
        "  find:\n"
        '    id: "acme::find"\n'
        "    category: acme\n"
        "    effect: write\n"
        '    proposed: ["effect"]\n'
        "    summary: Find it\n"
        '    description: "Find it. Fast."\n'
        "    input_schema:\n"
        "      type: object\n"
        "      properties:\n"
        '        q: {"type": "string"}\n'
        '      required: ["q"]\n'
    )


# --- whatever the list holds ----------------------------------------------------------------------

_ODD = [
    *("1e3", "0o17", "0x1F", "1_000", "no", "off", "y", "null", "Null", "~", "12:30", "1.0", ".5"),
    *("+1", "-", "- a", "?", ": ", "a: b", "a #b", "# a", "&a", "*a", "!tag", "|", ">", "%", "@"),
    *("`", "'", '"', "\\", "", " ", " a", "a ", "\t", "<<", "=", "---", "...", "{", "[", "]", "}"),
    *(",", "${HOME}", "{{ x }}", "true", "2001-12-14", ".inf", ".nan", "\x00", "\x1b[0m", "\x7f"),
    *("\x85", "\xa0", "\u2028", "\u2029", "\ufeff", "\ufffe", "\uffff", "\U0010ffff", "e\u0301"),
    *("\r", "\n", "\r\n", "a\nb", "$ref", "$defs", "type", "properties", "//", "__proto__"),
]
TEXT = st.sampled_from(_ODD) | st.text(max_size=12) | st.text(st.sampled_from("".join(_ODD)))
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            TEXT | st.sampled_from(["type", "properties", "items", "$ref", "enum", "anyOf"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=4)
# The protocol itself says what these hold in a root; elsewhere they are any JSON.
_HELD = ("properties", "required", "$schema")
_LOOSE = OBJECTS.map(lambda keys: {k: v for k, v in keys.items() if k not in _HELD})
SCHEMAS = st.builds(
    lambda loose, more: {**loose, **more, "type": "object"},
    _LOOSE,
    st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(TEXT, OBJECTS | st.booleans(), max_size=4),
            "required": st.lists(TEXT, max_size=2),
            "$defs": OBJECTS,
        },
    ),
)
NAMES = TEXT.filter(lambda text: text.strip() and not set(text) & set("\r\n"))
TOOLS = st.fixed_dictionaries(
    {"name": NAMES, "inputSchema": SCHEMAS},
    optional={
        "server": NAMES,
        "description": TEXT,
        "title": TEXT,
        "outputSchema": SCHEMAS,
        "annotations": st.dictionaries(TEXT, JSON, max_size=2),
        "_meta": OBJECTS,
    },
)
HOSTILE = st.fixed_dictionaries(
    {"name": JSON | TEXT},
    optional=dict.fromkeys(
        ["server", "description", "title", "inputSchema", "outputSchema", "annotations", "_meta"],
        JSON | OBJECTS | SCHEMAS,
    ),
)


def imported_or_refused(document: Any) -> Manifest | None:
    """The manifest that a document becomes; None where it is refused and nothing was written."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "demo.json").write_text(json.dumps(document), encoding="utf-8")
        output = folder / "tools.yaml"
        try:
            done = import_tools([folder / "demo.json"], output, None)
        except UsageError:
            assert list(folder.iterdir()) == [folder / "demo.json"]
            return None
        assert [p.severity for p in done.warnings if p.severity != "warning"] == []
        return load(output).manifest


def assert_same(tools: list[Json], manifest: Manifest) -> None:
    entries = by_id(manifest)
    assert list(entries) == [f"{t.get('server') or 'demo'}::{t['name']}" for t in tools]
    for given_, entry in zip(tools, entries.values(), strict=True):
        assert exact(entry.input_schema) == exact(given_["inputSchema"])
        assert exact(entry.output_schema) == exact(given_.get("outputSchema"))
        assert exact(entry.annotations) == exact(given_.get("annotations", {}))
        assert exact(entry.meta) == exact(given_.get("_meta", {}))
        assert (entry.description or "") == given_.get("description", "")


@settings(max_examples=60)
@given(st.lists(TOOLS, min_size=1, max_size=4))
@example([tool("a"), tool("A"), tool("a ")])
@example([tool("a", {"properties": {"p": {"type": {}, "enum": None}}})])
@example([tool("a", {"type": "object", "properties": {"p": {"type": [[], {}], "const": []}}})])
@example([tool("a", {"$ref": "#", "allOf": [{"$ref": "#"}], "anyOf": [{"$ref": "#/anyOf/0"}]})])
@example([tool("a", {"properties": {"p": {"$ref": "#/%ff/~2/-1/٣"}, "q": {"$ref": "#x"}}})])
@example([tool("a", {"properties": {"p": {"allOf": [{"required": 5}, {"properties": []}]}}})])
@example([{"name": "t", "inputSchema": {"type": "object", "default": -0.0, "x": 1e22}}])
def test_any_list_of_tools_reads_back_equal_or_is_refused_whole(tools: list[Json]) -> None:
    manifest = imported_or_refused(tools)

    if manifest is not None:
        assert_same(tools, manifest)


@settings(max_examples=80)
@given(JSON | st.lists(HOSTILE | JSON, max_size=3) | st.fixed_dictionaries({"tools": JSON}))
def test_any_document_at_all_is_imported_or_refused(document: Any) -> None:
    manifest = imported_or_refused(document)

    assert manifest is None or manifest.tools


@settings(max_examples=80)
@given(OBJECTS)
def test_any_json_in_a_schema_is_yaml_that_reads_back_exactly(extra: Json) -> None:
    schema = {**{k: v for k, v in extra.items() if k not in _HELD}, "type": "object"}
    extended = {"type": "object", "properties": {"p": extra}, "x-extra": extra}
    tools = [tool("a", schema, outputSchema=schema), tool("b", extended, _meta=extra)]

    manifest = imported_or_refused(tools)

    assert manifest is not None
    assert_same(tools, manifest)


@pytest.mark.parametrize("text", _ODD)
def test_text_that_yaml_could_misread_is_kept_as_text(text: str, tmp_path: Path) -> None:
    schema = {
        text: text,
        "type": "object",
        "properties": {text: {"const": text, "description": text, "enum": [text, {text: text}]}},
    }

    entry = by_id(imported(tmp_path, [tool("find", schema, _meta={text: [text]})]))["demo::find"]

    assert exact(entry.input_schema) == exact(schema)
    assert exact(entry.meta) == exact({text: [text]})
