"""What a tool's entry says: category, summary, effect, and everything foreign as it was."""

from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from toolfold.manifest.schema import Manifest

from tests.importing.material import by_id, exact, generated, imported, read_back, save, tool
from tests.support.commands import toolfold
from tests.support.projects import Json


def only_entry(folder: Path, **fields: Any) -> Any:
    (entry,) = imported(folder, [tool("find", **fields)]).tools.values()
    return entry


def text_of(folder: Path, *tools: Json) -> str:
    imported(folder, list(tools))
    return (folder / "tools.yaml").read_text(encoding="utf-8")


def grouped(manifest: Manifest) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {name: [] for name in manifest.categories}
    for name, entry in manifest.tools.items():
        found[entry.category].append(name)
    return found


# --- categories -----------------------------------------------------------------------------------


def test_each_server_is_a_category_in_the_order_of_its_first_tool(tmp_path: Path) -> None:
    tools = [tool("b", server="zeta"), tool("a", server="alpha"), tool("c", server="zeta")]

    manifest = imported(tmp_path, tools)

    assert grouped(manifest) == {"zeta": ["b", "c"], "alpha": ["a"]}


def test_a_category_is_titled_with_the_servers_own_name(tmp_path: Path) -> None:
    tools = [tool("a", server="Acme Inc. 工具"), tool("b", server="other")]

    manifest = imported(tmp_path, tools)

    assert [category.title for category in manifest.categories.values()] == [
        "Acme Inc. 工具",
        "other",
    ]


@pytest.mark.parametrize(
    "servers",
    [
        ["a b", "a-b", "A-B", "a.b"],
        ["工具", "搜索"],
        ["x" * 100 + "1", "x" * 100 + "2"],
        ["index", "index_", "INDEX"],
        ["con", "CON_", "con_"],
        ["-", "--", "."],
    ],
)
def test_servers_whose_names_meet_keep_categories_of_their_own(
    servers: list[str], tmp_path: Path
) -> None:
    manifest = imported(tmp_path, [tool(f"t{n}", server=s) for n, s in enumerate(servers)])

    assert len(manifest.categories) == len(servers)
    assert toolfold(tmp_path, "generate", "--quiet").code == 0


def test_one_server_is_grouped_by_prefixes_that_are_clear(tmp_path: Path) -> None:
    names = [f"{group}_{verb}" for group in ("issue", "repo") for verb in ("list", "get", "edit")]

    manifest = imported(tmp_path, [tool(name) for name in [*names, "whoami"]])

    assert grouped(manifest) == {"issue": names[:3], "repo": names[3:], "other": ["whoami"]}


def test_a_prefix_that_all_tools_share_is_no_group(tmp_path: Path) -> None:
    names = [f"acme_{g}_{v}" for g in ("issue", "repo") for v in ("list", "get", "edit")]

    manifest = imported(tmp_path, [tool(name) for name in names])

    assert list(grouped(manifest)) == ["issue", "repo"]


@pytest.mark.parametrize(
    "names",
    [
        ["find"],
        ["find", "store", "drop"],
        ["issue_list", "issue_get", "repo_list", "repo_get"],
        ["get_a", "get_b", "get_c"],
        ["a_1", "a_2", "a_3", "b_1", "b_2", "b_3", "c", "d", "e", "f", "g"],
    ],
)
def test_one_server_without_clear_prefixes_is_one_category(
    names: list[str], tmp_path: Path
) -> None:
    assert grouped(imported(tmp_path, [tool(name) for name in names], "acme")) == {"acme": names}


def test_a_prefix_that_reads_other_does_not_swallow_the_rest(tmp_path: Path) -> None:
    names = [f"{g}_{v}" for g in ("other", "issue", "repo") for v in ("a", "b", "c", "d", "e")]

    manifest = imported(tmp_path, [tool(name) for name in names])

    assert sorted(manifest.tools) == sorted(names)
    assert all(grouped(manifest).values())


# --- summaries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("description", "summary"),
    [
        ("Find it", "Find it"),
        ("Find it.", "Find it"),
        ("Find it. Then store it.", "Find it"),
        ("Find it! Then store it.", "Find it!"),
        ("Is it there? Find out.", "Is it there?"),
        ("  Find it.  ", "Find it"),
        ("Find it\n\nArgs:\n  query: words", "Find it"),
        ("Find it.\nStore it.", "Find it"),
        ("Find it\r\n\r\nMore", "Find it"),
        ("Find version 1.2 of it. More.", "Find version 1.2 of it"),
        ("Read config.json and go. More.", "Read config.json and go"),
        ('Find it. "Quoted" words follow.', "Find it"),
        ("Sucht es. Über alles.", "Sucht es"),
        ("查找。然后保存。", "查找。"),
        ("# Find\n\nFinds it all.", "Find"),
        ("## **Find it**\nMore", "Find it"),
        ("Find\tit   now. More", "Find it now"),
    ],
)
def test_the_summary_is_the_first_sentence(description: str, summary: str, tmp_path: Path) -> None:
    assert only_entry(tmp_path, description=description).summary == summary


@pytest.mark.parametrize(
    ("description", "summary"),
    [
        (
            "Make an image from a URL (e.g. QCOW2, ISO). More.",
            "Make an image from a URL (e.g. QCOW2, ISO)",
        ),
        ("Use a key, i.e. Yours. More.", "Use a key, i.e. Yours"),
        ("Compare A vs. B here. More.", "Compare A vs. B here"),
        ("Read the U.S. Census. More.", "Read the U.S. Census"),
    ],
)
def test_an_abbreviation_does_not_end_the_summary(
    description: str, summary: str, tmp_path: Path
) -> None:
    assert only_entry(tmp_path, description=description).summary == summary


@pytest.mark.parametrize("description", ["`find` it now. More", "**Find** it now", "*Find* it. Or"])
def test_marks_around_a_word_are_kept_or_dropped_in_pairs(description: str, tmp_path: Path) -> None:
    summary = only_entry(tmp_path, description=description).summary

    assert summary.count("`") % 2 == summary.count("*") % 2 == 0


def test_a_first_sentence_that_is_wrapped_is_summarised_whole(tmp_path: Path) -> None:
    description = "Search the documentation for relevant\ninformation. Use this before\nwriting."

    assert only_entry(tmp_path, description=description).summary == (
        "Search the documentation for relevant information"
    )


@pytest.mark.parametrize("fields", [{}, {"description": ""}, {"description": " \n"}])
def test_without_a_description_the_title_or_the_name_is_the_summary(
    fields: Json, tmp_path: Path
) -> None:
    tools = [tool("find_all_nodes", **fields), tool("store", title="Store it", **fields)]

    manifest = imported(tmp_path, tools)

    assert [entry.summary for entry in manifest.tools.values()] == ["find all nodes", "Store it"]


@pytest.mark.parametrize("description", ["...", "###", "*", ".", "# \n", "`` ``", "!"])
def test_a_description_without_words_still_leaves_a_summary(
    description: str, tmp_path: Path
) -> None:
    entry = only_entry(tmp_path, description=description)

    assert entry.summary
    assert entry.description == description


@pytest.mark.parametrize(
    "description", ["word " * 200, "x" * 1000, "查" * 500, "a, b; c: " * 50, "word\n" * 300]
)
def test_a_long_summary_is_cut_at_a_word_and_says_so(description: str, tmp_path: Path) -> None:
    entry = only_entry(tmp_path, description=description)

    assert 10 < len(entry.summary) <= 120
    assert entry.summary.endswith("…")
    assert not entry.summary[:-1].endswith((" ", ",", ";", ":"))
    assert entry.description == description


@pytest.mark.parametrize(
    "description",
    [
        "One\u2028two",
        "One\u0085two",
        "Tab\there\x00and\x1bthere",
        "key: value # comment",
        "no",
        "~",
        "1e3",
        "- item",
        "'quoted'",
        "{{ template }} ${ENV} %s",
        "Line one\r\nline two\rline three\n",
        "\ufeffMark",
        "🙂" * 10,
    ],
)
def test_a_description_is_kept_to_the_letter(description: str, tmp_path: Path) -> None:
    assert only_entry(tmp_path, description=description).description == description


# --- effects --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("annotations", "effect"),
    [
        ({"readOnlyHint": True}, "read"),
        ({"readOnlyHint": True, "destructiveHint": True}, "read"),
        ({"destructiveHint": True}, "destructive"),
        ({"destructiveHint": False}, "write"),
        ({"readOnlyHint": False, "destructiveHint": False}, "write"),
        ({"readOnlyHint": False, "destructiveHint": True}, "destructive"),
        ({"readOnlyHint": False}, "destructive"),
    ],
)
def test_annotations_decide_the_effect(annotations: Json, effect: str, tmp_path: Path) -> None:
    text = text_of(tmp_path, tool("find", annotations=annotations))

    assert read_back(tmp_path).tools["find"].effect == effect
    assert "proposed" not in text


@pytest.mark.parametrize("annotations", [{}, {"title": "Find"}, {"openWorldHint": True}, None])
def test_an_effect_that_nobody_declared_is_write_and_marked_as_proposed(
    annotations: Json | None, tmp_path: Path
) -> None:
    text = text_of(tmp_path, tool("find", annotations=annotations))

    (line,) = [line for line in text.splitlines() if line.strip().startswith("effect:")]
    assert line.strip() == "effect: write"
    assert '    proposed: ["effect"]' in text.splitlines()
    assert read_back(tmp_path).tools["find"].effect == "write"


def test_only_the_tools_without_annotations_are_marked(tmp_path: Path) -> None:
    told, untold = tool("a", annotations={"readOnlyHint": True}), tool("b")

    assert text_of(tmp_path, told, untold, tool("c")).count('proposed: ["effect"]') == 2


# --- what is kept ---------------------------------------------------------------------------------

_SCHEMA: Json = {
    "$schema": "http://json-schema.org/draft-07/schema#",
    "required": ["b"],
    "type": "object",
    "properties": {
        "z": {"type": "integer", "maximum": "50", "default": None},
        "b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": 1.0},
        "a": {"description": "no", "x-extra": {"deep": [1, 1.0, True, None, "1"]}},
    },
    "additionalProperties": False,
    "x-top": {},
}


def test_foreign_schemas_are_kept_exactly_with_the_order_of_their_keys(tmp_path: Path) -> None:
    entry = by_id(imported(tmp_path, [tool("find", _SCHEMA, outputSchema=_SCHEMA)]))["demo::find"]

    assert exact(entry.input_schema) == exact(_SCHEMA)
    assert exact(entry.output_schema) == exact(_SCHEMA)
    assert entry.parameters is entry.returns is None


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"properties": {}}])
def test_a_schema_that_says_little_is_kept_as_little(schema: Json, tmp_path: Path) -> None:
    entry = by_id(imported(tmp_path, [tool("find", schema, outputSchema=schema)]))["demo::find"]

    assert entry.input_schema == schema
    assert entry.output_schema == schema


ICONS = [
    {"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48"]},
    {"theme": "dark", "src": "data:image/svg+xml;base64,PHN2Zy8+"},
]


def test_icons_are_kept_and_served_as_they_came(tmp_path: Path) -> None:
    only_entry(tmp_path, icons=ICONS)

    definition = generated(tmp_path).entry("find").definition

    assert list(definition.icons) == ICONS
    assert types.Tool.model_validate(definition.listed()).icons


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("icons", [{"src": "javascript:alert(1)"}]),
        ("icons", [{"src": "data:text/html,<script>"}]),
        ("icons", [{"mimeType": "image/png"}]),
        ("icons", {"src": "https://example.com/a.png"}),
        ("icons", ["https://example.com/a.png"]),
        ("icons", 5),
        ("execution", {"taskSupport": "required"}),
        ("futureField", [1]),
    ],
)
def test_what_is_not_kept_is_told(tmp_path: Path, field: str, value: Any) -> None:
    file = save(tmp_path, [tool("find", **{field: value}), tool("other", **{field: None})])

    said = toolfold(tmp_path, "import", "tools", file, "--verbose")

    assert said.code == 0
    assert said.err == f'demo.json:1:1: demo::find: warning: "{field}" is not kept\n'
    assert field not in (tmp_path / "tools.yaml").read_text(encoding="utf-8")


def test_titles_annotations_and_meta_are_kept(tmp_path: Path) -> None:
    annotations = {"title": "Find!", "readOnlyHint": True, "x-cost": [1, 2.5]}
    meta = {"ui/resource": {"uri": "ui://x"}, "tags": ["no", None], "b": 1, "a": 2}

    entry = only_entry(tmp_path, title="Find: it", annotations=annotations, _meta=meta)

    assert entry.title == "Find: it"
    assert exact(entry.annotations) == exact(annotations)
    assert exact(entry.meta) == exact(meta)


def test_what_is_absent_stays_absent(tmp_path: Path) -> None:
    entry = only_entry(tmp_path)

    assert entry.title is entry.description is entry.output_schema is None
    assert (entry.annotations, entry.meta, entry.examples, entry.aliases) == ({}, {}, [], [])


def test_tools_keep_their_order(tmp_path: Path) -> None:
    names = ["zeta", "alpha", "mid", "beta"]

    assert list(imported(tmp_path, [tool(name) for name in names]).tools) == names


def test_a_title_of_several_lines_becomes_one(tmp_path: Path) -> None:
    assert only_entry(tmp_path, title=" Find\n it\r\nall ").title == "Find it all"


def test_a_file_name_that_reads_like_yaml_stays_in_its_comment(tmp_path: Path) -> None:
    manifest = imported(tmp_path, [tool("find", server="s")], "a\ntools: {}\n# b: ${X}\x85\u2028c")

    assert list(manifest.tools) == ["find"]
    assert toolfold(tmp_path, "generate", "--quiet").code == 0
