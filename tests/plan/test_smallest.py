"""The smallest valid call of a tool, which errors show where there is no example."""

from typing import Any, Final

import pytest
from hypothesis import given, settings
from toolfold.plan.schemas.pattern_samples import text_matching
from toolfold.plan.schemas.smallest import example_arguments
from toolfold_runtime.validation import validator_for

from tests.running.drawn import SCHEMAS
from tests.support.projects import Json

_DEFINITIONS: Final[Json] = {
    "Address": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
        "required": ["city"],
    },
    "Tree": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}},
        },
        "required": ["name", "kids"],
    },
    "Endless": {"properties": {"next": {"$ref": "#/$defs/Endless"}}, "required": ["next"]},
}
_ADDRESS: Final = {"$ref": "#/$defs/Address"}
#: The schema of parameter `p`, and what is given for it.
VALUES: Final[list[tuple[Any, Any]]] = [
    ({"type": "string"}, "<p>"),
    ({}, "<p>"),
    ({"type": "string", "maxLength": 2}, "p"),
    ({"type": "string", "minLength": 5}, "<p>.."),
    ({"type": "string", "format": "date"}, "2025-01-31"),
    ({"type": "string", "pattern": "^[a-z]+$"}, "p"),
    ({"type": "string", "pattern": "^[A-Z]{3}-\\d+$"}, "AAA-1"),
    ({"type": "integer"}, 1),
    ({"type": "integer", "minimum": 10}, 10),
    ({"type": "integer", "maximum": -2}, -2),
    ({"type": "integer", "exclusiveMinimum": 4, "multipleOf": 3}, 9),
    ({"type": "number", "exclusiveMaximum": 1}, 0),
    ({"type": "boolean"}, True),
    ({"type": "null"}, None),
    ({"type": ["null", "integer"]}, 1),
    ({"enum": ["a", "b"]}, "a"),
    ({"const": {"a": 1}}, {"a": 1}),
    ({"type": "string", "default": "x"}, "x"),
    ({"type": "string", "examples": ["y"], "default": "x"}, "y"),
    ({"type": "integer", "examples": ["not one"]}, 1),
    ({"type": "array", "items": {"type": "string"}}, ["<p>"]),
    ({"type": "array", "items": {"type": "string"}, "minItems": 2, "uniqueItems": True}, ["<p>", "<p-2>"]),
    ({"type": "array", "prefixItems": [{"type": "integer"}, {"type": "string"}], "minItems": 2}, [1, "<p>"]),
    ({"type": "array", "maxItems": 0}, []),
    (_ADDRESS, {"city": "<city>"}),
    ({"anyOf": [{"type": "null"}, _ADDRESS]}, {"city": "<city>"}),
    ({"oneOf": [{"type": "integer", "not": {}}, {"type": "string"}]}, "<p>"),
    ({"allOf": [_ADDRESS, {"required": ["zip"]}]}, {"city": "<city>", "zip": "<zip>"}),
    ({"type": "object", "properties": {"a": {}, "b": {}}, "minProperties": 1}, {"a": "<a>"}),
    ({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}, {"a": "<a>"}),
    ({"type": "object", "additionalProperties": {"type": "integer"}, "required": ["x"]}, {"x": 1}),
    ({"$ref": "#/$defs/Tree"}, {"name": "<name>", "kids": []}),
]  # fmt: skip
IMPOSSIBLE: Final[list[Any]] = [
    False,
    {"enum": []},
    {"type": "integer", "minimum": 3, "maximum": 2},
    {"$ref": "#/$defs/Endless"},
    {"type": "array", "minItems": 10**9},
    {"type": "string", "minLength": 10**9},
]


def document(schema: Any) -> Json:
    properties = {"p": schema, "optional": {"type": "string"}}
    return {
        "type": "object",
        "properties": properties,
        "required": ["p"],
        "$defs": _DEFINITIONS,
    }


@pytest.mark.parametrize(("schema", "value"), VALUES, ids=lambda part: str(part)[:60])
def test_required_properties_get_the_smallest_values(schema: Any, value: Any) -> None:
    assert example_arguments(document(schema), (), asserts_formats=True) == {"p": value}


@pytest.mark.parametrize("schema", IMPOSSIBLE, ids=str)
def test_no_call_is_made_up_where_none_is_valid_or_small(schema: Any) -> None:
    assert example_arguments(document(schema), ()) is None


def test_the_first_example_that_is_valid_and_short_goes_before() -> None:
    schema = document({"type": "string"})
    examples: list[Json] = [{"p": 7}, {"p": "x" * 5_000}, {"p": "good"}]

    assert example_arguments(schema, examples) == {"p": "good"}
    assert example_arguments(schema, examples[:2]) == {"p": "<p>"}


@pytest.mark.parametrize(
    "pattern",
    [
        "^[Hh]ttps?://",
        "^[0-9]{4,}-(0[1-9]|1[012])-(0[1-9]|[12][0-9]|3[01])$",
        "^#[0-9A-Fa-f]{6}$",
        "^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z]{2,}$",
        "^(?!.*linear).*$",
        "^[^\\s/]+/[^/]+$",
        "^(?<year>\\d{4})\\.\\d$",
        "^AS\\d+?\\t$",
    ],
)
def test_patterns_that_people_write_are_matched(pattern: str) -> None:
    text = text_matching(pattern, 0)

    assert text is not None
    assert validator_for({"pattern": pattern}).is_valid(text)


@pytest.mark.parametrize("pattern", ["(", "[a", "a{", "\\p{Lu}", "(?i:a)", "a{9999}", "(" * 5_000])
def test_patterns_that_are_not_understood_give_nothing(pattern: str) -> None:
    assert text_matching(pattern) is None


@given(schema=SCHEMAS)
@settings(max_examples=200)
def test_whatever_is_made_is_valid(schema: Any) -> None:
    whole = document(schema)
    made = example_arguments(whole, ())

    assert made is None or validator_for(whole).is_valid(made)
    assert example_arguments(whole, ()) == made
