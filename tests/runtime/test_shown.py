"""Schemas that are trimmed for agents: within a budget, accepting whatever the whole accepts."""

from typing import Any, Final

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold_runtime.jsontext import compact
from toolfold_runtime.shown.parts import at_path, sentence
from toolfold_runtime.shown.schema import shown_schema
from toolfold_runtime.shown.types import shown_types

Json = dict[str, Any]

USER: Final[Json] = {
    "type": "object",
    "properties": {
        "login": {"type": "string"},
        "friends": {"type": "array", "items": {"$ref": "#/$defs/User"}},
    },
    "required": ["login"],
    "additionalProperties": False,
}
DEFINITIONS: Final[Json] = {"User": USER, "Name": {"type": "string", "enum": ["a", "b"]}}


def shown(schema: Any, budget: int = 4000) -> Json:
    return shown_schema(schema, DEFINITIONS.get, budget).schema


def objects(count: int, prose: str = "") -> Json:
    """An object with so many properties that are objects themselves."""
    inner = {"type": "object", "properties": {"x": {"type": "string", "description": prose}}}
    return {"type": "object", "properties": {f"p{index}": inner for index in range(count)}}


def test_what_fits_is_shown_with_everything_that_matters() -> None:
    schema = {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "format": "int32", "minimum": 1, "default": 5, "title": "N"},
            "at": {"type": "string", "format": "date-time", "description": "When. And more."},
        },
        "required": ["n"],
        "additionalProperties": False,
    }

    assert shown(schema) == {
        "type": "object",
        "properties": {
            "n": {"type": "integer", "minimum": 1, "default": 5},
            "at": {"type": "string", "description": "When", "format": "date-time"},
        },
        "required": ["n"],
        "additionalProperties": False,
    }


def test_what_goes_in_circles_is_cut_and_named() -> None:
    found = shown_schema({"$ref": "#/$defs/User"}, DEFINITIONS.get, 4000)

    friends = {"type": "object", "description": "Inside: login, friends"}
    assert found.schema["properties"]["friends"] == {"type": "array", "items": friends}
    assert found.cut == ("friends",)


def test_less_is_shown_where_the_budget_is_smaller() -> None:
    rich, poor = (
        shown_schema(objects(20, "x" * 100), DEFINITIONS.get, budget) for budget in (9000, 2000)
    )

    assert rich.cut == ()
    assert poor.cut[:2] == ("p0", "p1")
    assert poor.schema["properties"]["p0"] == {"type": "object", "description": "Inside: x"}


def test_required_properties_are_left_out_last() -> None:
    schema = {**objects(200), "required": ["p150"], "additionalProperties": False}
    found = shown(schema, 1000)

    assert "p150" in found["properties"]
    assert found["required"] == ["p150"]
    assert found["description"].startswith("Left out: p")
    assert "additionalProperties" not in found
    assert len(compact(found)) <= 1000


@pytest.mark.parametrize("budget", [300, 1000, 4000])
def test_no_schema_breaks_its_budget(budget: int) -> None:
    for schema in (objects(300, "words " * 50), {"anyOf": [objects(50)] * 30}, USER):
        assert len(compact(shown(schema, budget))) <= max(budget, 300)
        assert len(shown_types(schema, DEFINITIONS.get, budget)) <= budget + 1


def test_the_names_of_what_is_left_out_count() -> None:
    names = [f"{'a_long_name_' * 3}{number}" for number in range(300)]
    schema = {"type": "object", "properties": {name: {"type": "string"} for name in names}}

    assert len(compact(shown(schema, 1000))) <= 1000


TYPES: Final[dict[str, tuple[Any, str]]] = {
    "a list of objects": (
        {"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"}}}},
        "[{id: int}]",
    ),
    "a circle": ({"$ref": "#/$defs/User"}, "{login: str, friends: [{…}]}"),
    "values": ({"$ref": "#/$defs/Name"}, '"a"|"b"'),
    "null": ({"type": ["string", "null"]}, "str|null"),
    "variants": ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, "str|int"),
    "a map": ({"type": "object", "additionalProperties": {"type": "number"}}, "{*: float}"),
    "anything": ({}, "any"),
}


@pytest.mark.parametrize("case", TYPES)
def test_an_answer_is_a_type_in_a_few_words(case: str) -> None:
    schema, text = TYPES[case]

    assert shown_types(schema, DEFINITIONS.get, 500) == text


def test_a_path_leads_through_lists_variants_and_references() -> None:
    schema = {
        "type": "object",
        "properties": {
            "of": {"type": "array", "items": {"anyOf": [{"$ref": "#/$defs/User"}, {}]}},
            "a.b": {"properties": {"c": {"const": 1}}},
        },
    }

    assert at_path(schema, "of.friends.login", DEFINITIONS.get) == {"type": "string"}
    assert at_path(schema, "a.b.c", DEFINITIONS.get) == {"const": 1}
    assert at_path(schema, "of.none", DEFINITIONS.get) is None


def test_a_sentence_has_no_html_and_no_addresses() -> None:
    text = "The <b>id</b> of [a thing](https://example.com/x). It is long."

    assert sentence(text, 100) == "The id of a thing"
    assert sentence("one two three", 9) == "one two…"


def _schemas() -> st.SearchStrategy[Any]:
    names = st.sampled_from(["a", "b", "c"])
    scalars = st.sampled_from(
        [
            {"type": "string"},
            {"type": "integer", "minimum": 3},
            {"type": ["string", "null"]},
            {"enum": ["x", 1, None]},
            {"enum": list(range(30))},
            {"type": "string", "pattern": "^x+$"},
            {"type": "string", "maxLength": 3},
            {"const": 5},
            {"$ref": "#/$defs/User"},
            {"$ref": "#/$defs/Name"},
            {},
        ]
    )

    def larger(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
        properties = st.dictionaries(names, inner, max_size=3)
        return st.one_of(
            st.fixed_dictionaries(
                {"type": st.just("object"), "properties": properties},
                optional={
                    "required": st.lists(names, unique=True),
                    "additionalProperties": st.one_of(st.booleans(), inner),
                    "patternProperties": st.dictionaries(names, inner, max_size=1),
                },
            ),
            st.fixed_dictionaries({"type": st.just("array"), "items": inner}),
            st.fixed_dictionaries({"anyOf": st.lists(inner, min_size=1, max_size=3)}),
            st.fixed_dictionaries({"oneOf": st.lists(inner, min_size=1, max_size=7)}),
            st.fixed_dictionaries({"allOf": st.lists(inner, min_size=1, max_size=3)}),
            st.fixed_dictionaries(
                {"properties": properties, "anyOf": st.lists(inner, min_size=1, max_size=2)}
            ),
        )

    return st.recursive(scalars, larger, max_leaves=12)


def _values() -> st.SearchStrategy[Any]:
    scalars = st.sampled_from(["x", "a", "login", 1, 3, 5, None, True, {"login": "x"}])
    names = st.sampled_from(["a", "b", "c", "login", "friends"])
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.lists(inner, max_size=2), st.dictionaries(names, inner, max_size=3)
        ),
        max_leaves=6,
    )


@settings(max_examples=400)
@given(_schemas(), st.lists(_values(), min_size=1, max_size=8), st.sampled_from([120, 400, 4000]))
def test_whatever_the_whole_accepts_the_shown_schema_accepts(
    schema: Any, values: list[Any], budget: int
) -> None:
    whole = jsonschema_rs.Draft202012Validator({**schema, "$defs": DEFINITIONS})
    part = shown_schema(schema, DEFINITIONS.get, budget).schema
    trimmed = jsonschema_rs.Draft202012Validator(part)

    assert "$ref" not in compact(part)
    for value in values:
        assert trimmed.is_valid(value) or not whole.is_valid(value), (part, value)
