"""YAML text to data with places, through the reader's one door."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold.errors import ManifestError
from toolfold.manifest.read import MAX_DEPTH, read_yaml
from toolfold.manifest.tree import PlacedMapping, place_of

from tests.support.commands import toolfold_process

# Line ends to YAML 1.1 only: a file holds them as escapes, so that every place is right.
LINE_ENDS = "\x85\u2028\u2029"
NOT_YAML = "".join(chr(n) for n in range(0x7F, 0xA0)) + LINE_ENDS + "\ufffe\uffff"
TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters=NOT_YAML))
# `json.dumps` writes what is beyond the basic plane as two escapes, which are not YAML.
PLAIN_TEXT = st.text(st.characters(exclude_categories=["Cs"], max_codepoint=0xFFFF))


def json_values(text: st.SearchStrategy[str]) -> st.SearchStrategy[Any]:
    scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text
    finite = scalars.filter(lambda value: value not in (float("inf"), float("-inf")))
    # YAML reads a key of a thousand characters and no longer one without a question mark.
    keys = text.map(lambda key: key[:100])
    return st.recursive(
        finite, lambda inner: st.lists(inner) | st.dictionaries(keys, inner), max_leaves=20
    )


def value_of(text: str) -> Any:
    return read_yaml(f"v: {text}\n".encode(), "tools.yaml")["v"]


def problem_lines(data: bytes) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        read_yaml(data, "tools.yaml")
    return [f"{p.place}: {p.fact}" for p in raised.value.problems]


@pytest.mark.parametrize("word", ["no", "yes", "on", "off", "y", "n", "No", "OFF", "tRue", "nil"])
def test_words_that_yaml_1_1_took_for_booleans_are_strings(word: str) -> None:
    assert value_of(word) == word


@pytest.mark.parametrize("word", ["true", "True", "TRUE"])
def test_true_is_true(word: str) -> None:
    assert value_of(word) is True


@pytest.mark.parametrize("word", ["false", "False", "FALSE"])
def test_false_is_false(word: str) -> None:
    assert value_of(word) is False


@pytest.mark.parametrize("word", ["~", "null", "Null", "NULL", ""])
def test_null_is_none(word: str) -> None:
    assert value_of(word) is None


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-12", -12),
        ("+7", 7),
        ("0777", 777),
        ("0o17", 15),
        ("0x1f", 31),
        ("0x1F", 31),
    ],
)
def test_whole_numbers_follow_yaml_1_2(text: str, number: int) -> None:
    found = value_of(text)

    assert (type(found), found) == (int, number)


@pytest.mark.parametrize(
    ("text", "number"),
    [("1.10", 1.1), ("1.", 1.0), (".5", 0.5), ("-1e3", -1000.0), ("12e03", 12000.0), ("0e0", 0.0)],
)
def test_numbers_with_a_point_or_exponent_are_floats(text: str, number: float) -> None:
    found = value_of(text)

    assert (type(found), found) == (float, number)


@pytest.mark.parametrize(
    "text",
    ["12:30:00", "1_000", "0b11", "-0x1f", "1.2.3", "2026-07-28", "1e", "0o8", "+", ".", "<<"],
)
def test_what_only_looks_like_a_number_or_a_date_is_a_string(text: str) -> None:
    assert value_of(text) == text


@pytest.mark.parametrize("text", ['"1"', "'true'", '"null"', "'~'", "'0x1f'"])
def test_quotes_make_a_string_of_anything(text: str) -> None:
    assert value_of(text) == text[1:-1]


@pytest.mark.parametrize("style", ["|", ">"])
def test_block_scalars_are_strings(style: str) -> None:
    assert read_yaml(f"v: {style}\n  12\n".encode(), "tools.yaml")["v"] == "12\n"


@pytest.mark.parametrize("text", [".inf", "-.INF", ".nan", "1e999", "9" * 301])
def test_numbers_that_json_cannot_carry_are_refused(text: str) -> None:
    assert len(problem_lines(f"v: {text}\n".encode())) == 1


@pytest.mark.parametrize("key", ["404", "null", "true", "1.5", "no", "~"])
def test_a_key_is_the_text_that_was_written(key: str) -> None:
    assert read_yaml(f"{key}: x\n".encode(), "tools.yaml") == {key: "x"}


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    tree = read_yaml(b"\xef\xbb\xbfa: 1\n", "tools.yaml")

    assert tree == {"a": 1}
    assert str(tree.keys_at["a"]) == "tools.yaml:1:1"


def test_windows_line_ends_read_like_any_other() -> None:
    tree = read_yaml(b"a: 1\r\nb:\r\n  c: |\r\n    x\r\n    y\r\n", "tools.yaml")

    assert tree == {"a": 1, "b": {"c": "x\ny\n"}}
    assert str(place_of(tree, ("b", "c"), of_key=True)) == "tools.yaml:3:3"


def test_an_alias_repeats_what_its_anchor_marked() -> None:
    assert read_yaml(b"a: &x {k: [1]}\nb: *x\n", "tools.yaml") == {"a": {"k": [1]}, "b": {"k": [1]}}


PLACED = """\
# a comment
toolfold: 1
server: {name: demo, "version":  '1'}
tools:
  größe:
    tags:
      - first
      -   second
    notes: |
      text
    日本: [a, {b: c}]
"""


@pytest.mark.parametrize(
    ("path", "key_at", "value_at"),
    [
        (("toolfold",), "2:1", "2:11"),
        (("server",), "3:1", "3:9"),
        (("server", "name"), "3:10", "3:16"),
        (("server", "version"), "3:22", "3:34"),
        (("tools", "größe"), "5:3", "6:5"),
        (("tools", "größe", "tags"), "6:5", "7:7"),
        (("tools", "größe", "tags", 1), "8:11", "8:11"),
        (("tools", "größe", "notes"), "9:5", "9:12"),
        (("tools", "größe", "日本"), "11:5", "11:9"),
        (("tools", "größe", "日本", 1, "b"), "11:14", "11:17"),
    ],
)
def test_places_are_those_of_the_characters(
    path: tuple[str | int, ...], key_at: str, value_at: str
) -> None:
    tree = read_yaml(PLACED.encode(), "tools.yaml")

    assert str(place_of(tree, path, of_key=True)) == f"tools.yaml:{key_at}"
    assert str(place_of(tree, path)) == f"tools.yaml:{value_at}"


def test_columns_count_characters_beyond_the_basic_plane_once() -> None:
    tree = read_yaml("{😀: 1, b: 2}".encode(), "tools.yaml")

    assert str(tree.keys_at["b"]) == "tools.yaml:1:8"


def test_what_is_absent_has_the_place_of_its_nearest_ancestor() -> None:
    tree = read_yaml(PLACED.encode(), "tools.yaml")

    assert str(place_of(tree, ("server", "title", "x"))) == "tools.yaml:3:9"


@pytest.mark.parametrize("character", LINE_ENDS)
def test_line_ends_of_yaml_1_1_never_shift_places(character: str) -> None:
    first = problem_lines(f"# {character}\na: !tag 1\n".encode())[0]

    assert first.startswith(("tools.yaml:1:3: ", "tools.yaml:2:4: "))


def test_every_duplicate_and_tag_is_reported_in_one_run() -> None:
    assert problem_lines(b"a: 1\na: 2\nb: !x 3\nc: {d: 1, d: 2}\n") == [
        'tools.yaml:2:1: duplicate key "a"',
        "tools.yaml:3:4: tag !x",
        'tools.yaml:4:11: duplicate key "d"',
    ]


def test_keys_that_differ_in_spelling_only_by_quotes_are_duplicates() -> None:
    assert problem_lines(b"a: 1\n'a': 2\n") == ['tools.yaml:2:1: duplicate key "a"']


def test_nesting_is_read_up_to_its_limit_and_no_further() -> None:
    levels = MAX_DEPTH - 1
    fits = b"v: " + b"[" * levels + b"]" * levels

    assert json.dumps(read_yaml(fits, "tools.yaml")["v"]).count("[") == levels
    assert len(problem_lines(b"v: " + b"[" * (levels + 1) + b"]" * (levels + 1))) == 1


def test_an_alias_cannot_nest_deeper_than_is_written() -> None:
    nested = b"[" * 40 + b"]" * 40
    doubled = b"[" * 40 + b"*a" + b"]" * 40

    assert len(problem_lines(b"a: &a " + nested + b"\nb: " + doubled + b"\n")) == 1


def test_an_anchor_cannot_contain_itself() -> None:
    assert len(problem_lines(b"a: &a [*a]\n")) == 1


@given(json_values(TEXT))
@settings(max_examples=200)
def test_any_json_value_is_yaml_that_reads_back_equal(value: Any) -> None:
    data = json.dumps({"v": value}, ensure_ascii=False).encode()

    assert json.dumps(read_yaml(data, "tools.yaml")) == json.dumps({"v": value})


@given(json_values(PLAIN_TEXT), st.sampled_from([None, 2]))
@settings(max_examples=200)
def test_any_json_value_written_in_ascii_reads_back_equal(value: Any, indent: int | None) -> None:
    data = json.dumps({"v": value}, indent=indent).encode()

    assert json.dumps(read_yaml(data, "tools.yaml")) == json.dumps({"v": value})


YAML_TEXT = st.text(st.sampled_from("ab01 \n\t:-?[]{},#&*!|>'\"%@`~<=.\\\r\u2028é\ufeff"))


def read_or_refused(data: bytes) -> PlacedMapping | ManifestError:
    try:
        return read_yaml(data, "tools.yaml")
    except ManifestError as error:
        return error


@given(st.binary() | YAML_TEXT.map(str.encode) | YAML_TEXT.map(lambda text: f"a: {text}".encode()))
@settings(max_examples=300)
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes) -> None:
    found = read_or_refused(data)

    if isinstance(found, ManifestError):
        assert found.problems
        assert all(p.place.line >= 1 and p.place.column >= 1 and p.fact for p in found.problems)
    else:
        json.dumps(found, allow_nan=False)


def billion_laughs() -> bytes:
    lines = ["a0: &a0 [" + ", ".join(["lol"] * 10) + "]"]
    lines += [f"a{n}: &a{n} [" + ", ".join([f"*a{n - 1}"] * 10) + "]" for n in range(1, 10)]
    return "\n".join(lines).encode()


def nested_aliases() -> bytes:
    lines = ["tools: {one: {meta: {v: [", "&a0 []"]
    lines += [f", &a{n} {'[' * 50}*a{n - 1}{']' * 50}" for n in range(1, 50)]
    return "\n".join([*lines, "]}}}"]).encode()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(nested_aliases(), id="aliases that nest"),
        pytest.param(b"a: " + b"[" * 100_000, id="100,000 nested lists"),
        pytest.param(b"a: " + b"{b: " * 100_000, id="100,000 nested mappings"),
        pytest.param(b"- " * 100_000, id="100,000 nested dashes"),
        pytest.param(b"? " * 100_000, id="100,000 nested keys"),
        pytest.param(billion_laughs(), id="a billion laughs"),
        pytest.param(b"!a" * 100_000, id="a long tag"),
        pytest.param(b"a: '" + b"x\n" * 100_000, id="an open quote"),
    ],
)
def test_hostile_files_end_a_process_quickly_with_exit_1(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "tools.yaml").write_bytes(data)

    done = toolfold_process(tmp_path, "check")

    assert done.code == 1, done.err
    assert done.err.startswith("tools.yaml:")
    assert len(done.err) < 10_000
    assert "Traceback" not in done.err
