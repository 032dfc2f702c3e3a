"""The injection boundary, function by function."""

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.plan.text.escape import (
    docstring,
    markdown,
    markdown_code,
    markdown_fence,
    one_line,
    python_literal,
    url,
)
from toolfold.plan.text.paths import file_stem, output_path

TEXT = st.text() | st.text(st.sampled_from("\"'\\\n\r\t{}[]()<>`*_#|&%$ \x00\u2028a1"))
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)


@given(SCALARS)
@settings(max_examples=300)
def test_a_literal_evaluates_to_its_value(value: object) -> None:
    found = ast.literal_eval(python_literal(value))

    assert (type(found), found) == (type(value), value)


@given(TEXT)
@settings(max_examples=300)
def test_a_docstring_is_one_constant_on_one_line(text: str) -> None:
    source = docstring(text)

    assert len(source.splitlines()) == 1
    assert ast.literal_eval(source) == one_line(text)


@given(TEXT)
@settings(max_examples=300)
def test_markdown_of_one_line_stays_on_one_line(text: str) -> None:
    for shown in (markdown(text), markdown_code(text)):
        assert len(shown.splitlines()) <= 1
        assert "|" not in shown
    assert "<" not in markdown(text)


@given(TEXT)
@settings(max_examples=300)
def test_a_fence_is_closed_by_its_own_end_only(text: str) -> None:
    lines = markdown_fence(text, "json").split("\n")
    fence = lines[-1]

    assert lines[0] == f"{fence}json"
    assert [line for line in lines[1:-1] if line.strip().startswith(fence)] == []


@given(TEXT)
def test_an_address_cannot_leave_its_parentheses(text: str) -> None:
    shown = url(f"https://example.com/{text.encode('utf-8', 'replace').decode()}")

    assert not set(shown) & set('()<>" \n\t[]')


@pytest.mark.parametrize(
    "name", ["..", ".", "", "a/b", "a\\b", "-a", ".hidden", "a\x00", "ä", "a b"]
)
def test_what_is_not_a_name_never_becomes_a_path(name: str) -> None:
    with pytest.raises(ValueError, match="name"):
        output_path("package", name)
    with pytest.raises(ValueError, match="name"):
        file_stem(name)


@pytest.mark.parametrize("name", ["con", "CON", "nul", "com1", "LPT9", "aux", "index", "Index"])
def test_names_that_file_systems_keep_are_changed(name: str) -> None:
    assert file_stem(name) == f"{name}_"
