"""Names of imported tools: their own where legal and free; the id works wherever a name does."""

import re
from pathlib import Path

import pytest
from toolfold_runtime import ToolError

from tests.importing.material import generated, imported, names_by_id, save, tool
from tests.support.commands import toolfold, toolfold_process

LEGAL = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")


def names_of(folder: Path, *ids: str) -> list[str]:
    """The names that tools get, in order; each is given as `server::tool`."""
    pairs = [identity.split("::", 1) for identity in ids]
    manifest = imported(folder, [tool(name, server=server) for server, name in pairs])
    assert list(names_by_id(manifest)) == list(ids)
    return list(manifest.tools)


@pytest.mark.parametrize("name", ["find", "find-all", "findAll", "_find", "2fa", "x" * 64, "class"])
def test_a_legal_name_that_is_free_is_kept(name: str, tmp_path: Path) -> None:
    assert names_of(tmp_path, f"acme::{name}") == [name]


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("find it", "acme_find_it"),
        ("find.it", "acme_find_it"),
        ("a/b/c", "acme_a_b_c"),
        ("-find", "acme_-find"),
        ("../../etc/passwd", "acme_etc_passwd"),
        ("søk", "acme_s_k"),
        ("os.system('x')", "acme_os_system_x_"),
    ],
)
def test_a_name_that_is_not_legal_becomes_server_and_tool(
    name: str, given: str, tmp_path: Path
) -> None:
    (found,) = names_of(tmp_path, f"acme::{name}")

    assert LEGAL.fullmatch(found)
    assert re.sub("_+", "_", found) == given


def test_the_first_of_several_keeps_the_name_and_the_others_say_their_server(
    tmp_path: Path,
) -> None:
    assert names_of(tmp_path, "one::find", "two::find", "three::find") == [
        "find",
        "two_find",
        "three_find",
    ]


def test_a_name_that_is_still_taken_is_numbered(tmp_path: Path) -> None:
    found = names_of(tmp_path, "a b::find it", "a.b::find it", "a/b::find.it")

    assert found == ["a_b_find_it", "a_b_find_it_2", "a_b_find_it_3"]


def test_a_made_up_name_never_takes_one_that_a_later_tool_has(tmp_path: Path) -> None:
    found = names_of(tmp_path, "acme::find it", "other::acme_find_it", "other::ACME-find-it")

    assert found[1] == "acme_find_it"
    assert len({name.casefold() for name in found}) == 3


def test_a_made_up_name_takes_no_later_name_in_another_case_either(tmp_path: Path) -> None:
    assert names_of(tmp_path, "acme::find it", "other::ACME_FIND_IT")[1] == "ACME_FIND_IT"


@pytest.mark.parametrize(
    "names",
    [
        ["get_user", "getUser", "get-user", "GetUser", "GET_USER", "get__user"],
        ["a_b", "a-b", "aB", "A-B", "a_B"],
        ["con", "CON", "con_", "index", "index_", "Index"],
        ["class", "class_", "__init__", "init", "_", "__", "___", "-", "--"],
        ["1", "tool_1", "Tool1", "tool-1"],
    ],
)
def test_names_that_meet_in_case_class_module_or_page_are_told_apart(
    names: list[str], tmp_path: Path
) -> None:
    found = names_of(tmp_path, *(f"acme::{name}" for name in names))

    assert found[0] == names[0]
    assert all(LEGAL.fullmatch(name) for name in found)
    assert len({name.casefold() for name in found}) == len(names)
    assert generated(tmp_path).names() == found


@pytest.mark.parametrize(
    "name",
    [
        *("capabilities", "tool_schema", "search_tools", "run_read", "run_write", "run_tool"),
        *("Capabilities", "tool-schema", "searchTools"),
    ],
)
def test_the_name_of_a_meta_tool_is_not_free(name: str, tmp_path: Path) -> None:
    assert names_of(tmp_path, f"acme::{name}") == [f"acme_{name}"]
    assert generated(tmp_path).entry(f"acme::{name}").name == f"acme_{name}"


def test_a_name_that_is_too_long_ends_in_a_hash_of_its_own(tmp_path: Path) -> None:
    long = "find_" + "x" * 80
    first, second = names_of(tmp_path, f"acme::{long}a", f"acme::{long}b")

    assert len(first) == len(second) == 64
    assert re.fullmatch(r"acme_find_x+_[0-9a-f]{8}", first)
    assert first != second


def test_the_hash_of_a_long_name_does_not_depend_on_other_tools(tmp_path: Path) -> None:
    long = "find_" + "x" * 80
    folders = [tmp_path / "alone", tmp_path / "among"]
    for folder in folders:
        folder.mkdir()

    (alone,) = names_of(folders[0], f"acme::{long}")
    among = names_of(folders[1], f"acme::{long}b", "other::find", f"acme::{long}")

    assert among[2] == alone


def test_a_long_server_makes_no_name_too_long(tmp_path: Path) -> None:
    servers = ["s" * 70, "s" * 71, "s" * 60 + "_" + "s" * 10]

    found = names_of(tmp_path, *(f"{server}::find it" for server in servers))

    assert all(LEGAL.fullmatch(name) for name in found)
    assert len(set(found)) == 3


def test_more_than_a_thousand_tools_of_one_made_up_name_all_fit(tmp_path: Path) -> None:
    server = "s" * 61
    tools = [tool("щ" * (number % 10 + 1) + " " * (number // 10)) for number in range(1100)]

    manifest = imported(tmp_path, {"server": server, "tools": tools})

    assert len(manifest.tools) == 1100
    assert all(LEGAL.fullmatch(name) for name in manifest.tools)


def test_the_id_works_wherever_a_name_does(tmp_path: Path) -> None:
    schema = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
    tools = [tool("find", schema, server="one"), tool("find it", schema, server="Two & co.")]
    imported(tmp_path, tools)

    catalog = generated(tmp_path)

    for identity, name in (("one::find", "find"), ("Two & co.::find it", "Two_co__find_it")):
        assert catalog.entry(identity) == catalog.entry(name)
        assert catalog.entry(identity).definition.meta["toolfold/id"] == identity
        assert catalog.details(identity) == catalog.details(name)
        tried = toolfold_process(tmp_path, "try", identity, '{"q": "x"}')
        assert tried.code == 1
        assert tried.out.startswith(f"backend_failed: {name} has no implementation")


def test_an_id_that_is_no_tools_is_unknown(tmp_path: Path) -> None:
    imported(tmp_path, [tool("find")])
    catalog = generated(tmp_path)

    for wrong in ("demo::fnid", "other::find", "::find", "demo::"):
        with pytest.raises(ToolError, match="find") as caught:
            catalog.entry(wrong)
        assert caught.value.code == "unknown_tool"


def test_an_id_works_in_workflows_related_tools_quick_actions_and_overlays(tmp_path: Path) -> None:
    imported(tmp_path, [tool("find it"), tool("store")], "acme")
    manifest = tmp_path / "tools.yaml"
    more = (
        'workflows: [{name: Both, steps: ["acme::find it", "acme::store"]}]\n'
        'disclosure: {quick_actions: {find: "acme::find it"}}\n'
        "overlays: [more.yaml]\n"
    )
    overlay = 'tools: {"acme::find it": {related: ["acme::store"], tags: [curated]}}\n'
    manifest.write_text(manifest.read_text(encoding="utf-8") + more, encoding="utf-8")
    (tmp_path / "more.yaml").write_text(overlay, encoding="utf-8")

    said = toolfold(tmp_path, "generate", "--quiet")

    assert (said.code, said.err) == (0, "")


def test_ids_that_the_separator_makes_equal_are_refused(tmp_path: Path) -> None:
    tools = [tool("c", server="a::b"), tool("b::c", server="a")]

    said = toolfold(tmp_path, "import", "tools", save(tmp_path, tools))

    assert said.code == 2
    assert "a::b::c: listed twice" in said.err
