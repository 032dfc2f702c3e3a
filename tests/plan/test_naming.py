"""Manifest names to Python names: always valid, always the same."""

import keyword

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel
from toolfold.plan.names.identifiers import (
    clashes,
    class_name,
    field_name,
    module_name,
    package_name,
    tool_keys,
)

TOOL_NAMES = st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}", fullmatch=True)


def is_usable(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


@given(TOOL_NAMES)
def test_every_tool_has_a_module_and_a_class(tool: str) -> None:
    assert is_usable(module_name(tool))
    assert not module_name(tool).startswith("__")
    assert is_usable(class_name(tool))


@given(st.text(min_size=1))
@settings(max_examples=500)
def test_every_property_has_an_attribute_that_pydantic_accepts(prop: str) -> None:
    name = field_name(prop)

    assert is_usable(name)
    assert not name.startswith("_")
    assert not hasattr(BaseModel, name)
    assert name == field_name(prop)


@pytest.mark.parametrize("prop", ["query", "userId", "größe", "日本", "limit2", "a_b"])
def test_a_property_that_is_a_python_name_keeps_it(prop: str) -> None:
    assert field_name(prop) == prop


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("read_file", "read-file"),
        ("read_file", "readFile"),
        ("read_file", "READ_FILE"),
        ("abc", "ABC"),
        ("import", "import_"),
        ("con", "con_"),
        ("2a", "tool_2a"),
        ("_", "___"),
    ],
)
def test_tools_that_would_share_a_name_clash(first: str, second: str) -> None:
    found = list(clashes([first, "other", second], tool_keys))

    assert [(later, earlier) for later, earlier, _ in found] == [(second, first)]


@given(st.lists(TOOL_NAMES, unique=True, max_size=6))
@settings(max_examples=300)
def test_tools_without_a_clash_share_neither_module_nor_class(tools: list[str]) -> None:
    clashing = {later for later, _, _ in clashes(tools, tool_keys)}
    kept = [tool for tool in tools if tool not in clashing]

    assert len({module_name(tool).casefold() for tool in kept}) == len(kept)
    assert len({class_name(tool) for tool in kept}) == len(kept)


@given(st.from_regex(r"[A-Za-z0-9._-]{1,64}", fullmatch=True))
def test_every_server_has_a_package_of_its_own(server: str) -> None:
    name = package_name(server)

    assert is_usable(name)
    assert name.isascii()
    assert name not in {"mcp", "toolfold", "toolfold_runtime", "pydantic", "docs"}


@pytest.mark.parametrize("server", ["mcp", "json", "class", "2024", "-", "test", "MCP"])
def test_an_odd_server_name_gives_a_package_that_hides_nothing(server: str) -> None:
    import sys

    name = package_name(server)

    assert is_usable(name)
    assert name not in sys.stdlib_module_names
    assert name != "mcp"
