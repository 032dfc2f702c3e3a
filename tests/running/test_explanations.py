"""What an agent reads about arguments that a schema refuses: the place, the fact, the way out."""

import time
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.walk import faults_of
from toolfold_runtime.running.explain import Explanation, explanations
from toolfold_runtime.validation import validator_for

from tests.running.drawn import SCHEMAS, VALUES
from tests.support.projects import Json

_ADDRESS: Final[Json] = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "zip": {"type": "string"},
        "lines": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["city"],
    "additionalProperties": False,
}
_DEFINITIONS: Final[Json] = {
    "Address": _ADDRESS,
    "Card": {
        "type": "object",
        "properties": {"kind": {"const": "card"}, "number": {"type": "string"}},
        "required": ["kind", "number"],
    },
    "Cash": {
        "type": "object",
        "allOf": [{"properties": {"kind": {"enum": ["cash", "coins"]}}}],
        "properties": {"amount": {"type": "number"}},
        "required": ["kind", "amount"],
    },
    "Tree": {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "left": {"anyOf": [{"$ref": "#/$defs/Tree"}, {"type": "null"}]},
        },
        "additionalProperties": False,
    },
}
_TO: Final = {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]}
_PAY: Final = {"oneOf": [{"$ref": "#/$defs/Card"}, {"$ref": "#/$defs/Cash"}]}
_LIMIT: Final = {"anyOf": [{"type": "integer"}, {"const": "all"}, {"const": "none"}]}
_REACH: Final = {"anyOf": [{"required": ["mail"]}, {"required": ["street", "town"]}]}
_FEWEST: Final = {
    "anyOf": [
        {"properties": {"a": {"type": "string"}}, "required": ["a", "b", "c"]},
        {"properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"type": "array"},
    ]
}
_UNEVALUATED: Final = {
    "allOf": [{"$ref": "#/$defs/Card"}],
    "properties": {"note": {"type": "string"}},
    "unevaluatedProperties": False,
}
_IF: Final = {"if": {"required": ["a"]}, "then": {"required": ["b"]}}

#: The schema of parameter `p`, what was given for it, and all the lines.
TEXTS: Final[list[tuple[Any, Any, list[str]]]] = [
    # Types and values
    ({"type": "integer"}, "five", ['p: expected integer, got string "five"']),
    ({"type": ["string", "null"]}, 5, ["p: expected string or null, got integer 5"]),
    ({"type": "string"}, 1.5, ["p: expected string, got number 1.5"]),
    ({"type": "string"}, True, ["p: expected string, got true"]),
    ({"type": "string"}, {"a": [1]}, ['p: expected string, got object {"a":[1]}']),
    ({"enum": ["full", "brief", 1]}, "fulll", ['p: "fulll" is not one of "full", "brief", 1, did you mean "full"?']),
    ({"enum": ["full", "brief"]}, 7, ['p: 7 is not one of "full", "brief"']),
    ({"const": "x"}, "y", ['p: expected "x", got "y"']),
    (False, 1, ["p: 1 is not allowed here"]),
    ({"not": {"type": "string"}}, "x", ['p: "x" is not allowed: it must not fit {"type":"string"}']),
    # Numbers and text
    ({"minimum": 3}, 2, ["p: 2 is less than the minimum of 3"]),
    ({"maximum": 3}, 4, ["p: 4 is greater than the maximum of 3"]),
    ({"exclusiveMinimum": 3}, 3, ["p: 3 is not greater than 3"]),
    ({"exclusiveMaximum": 3}, 3, ["p: 3 is not less than 3"]),
    ({"multipleOf": 5}, 7, ["p: 7 is not a multiple of 5"]),
    ({"minLength": 3}, "a", ["p: has 1 character, expected at least 3"]),
    ({"maxLength": 3}, "x" * 5000, ["p: has 5,000 characters, expected at most 3"]),
    ({"pattern": "^a"}, "b", ['p: "b" does not match the pattern "^a"']),
    # Lists
    ({"items": {"type": "string"}}, ["a", 1], ["p.1: expected string, got integer 1"]),
    ({"minItems": 2}, [1], ["p: has 1 item, expected at least 2"]),
    ({"maxItems": 1}, [1, 2], ["p: has 2 items, expected at most 1"]),
    ({"uniqueItems": True}, [1, 1], ["p: has equal items, expected all to differ"]),
    ({"contains": {"const": 1}}, [2], ['p: expected at least 1 of the items to fit {"const":1}']),
    ({"prefixItems": [{"type": "string"}], "items": False}, [1, 2], ["p.0: expected string, got integer 1", "p: has 2 items, expected at most 1"]),
    # Objects
    (_ADDRESS, {"cty": "x"}, ["p.city: missing", 'p.cty: unknown, did you mean "city"?']),
    (_ADDRESS, {"city": "x", "qqq": 1, "www": 2}, ["p.qqq: unknown; known: city, zip, lines", "p.www: unknown"]),
    (_ADDRESS, {"city": "x", "CITY": 1}, ['p.CITY: unknown, did you mean "city"?']),
    ({"type": "object", "additionalProperties": False}, {"a": 1}, ["p.a: unknown"]),
    ({"additionalProperties": {"type": "string"}}, {"a b": 1}, ['p."a b": expected string, got integer 1']),
    ({"minProperties": 2}, {"a": 1}, ["p: has 1 property, expected at least 2"]),
    ({"propertyNames": {"pattern": "^a"}}, {"b": 1}, ['p.b: this name does not fit {"pattern":"^a"}']),
    ({"patternProperties": {"^a": {"type": "string"}}}, {"a1": 1}, ["p.a1: expected string, got integer 1"]),
    ({"dependentRequired": {"a": ["b"]}}, {"a": 1}, ["p.b: missing; needed where a is given"]),
    (_UNEVALUATED, {"kind": "card", "number": "1", "nte": 1}, ['p.nte: unknown, did you mean "note"?']),
    (_IF, {"a": 1}, ["p.b: missing"]),
    # Alternatives
    (_TO, {"cty": "x"}, ["p.city: missing", 'p.cty: unknown, did you mean "city"?']),
    (_TO, {"city": "x", "lines": [1]}, ["p.lines.0: expected string, got integer 1"]),
    (_TO, "x", ['p: expected object or null, got string "x"']),
    (_PAY, {"kind": "card"}, ["p.number: missing"]),
    (_PAY, {"kind": "coins", "amount": "1"}, ['p.amount: expected number, got string "1"']),
    (_PAY, {"kind": "crd"}, ['p.kind: "crd" is not one of "card", "cash", "coins", did you mean "card"?']),
    (_PAY, {"number": "1"}, ['p.kind: missing; one of "card", "cash", "coins"']),
    (_LIMIT, "al", ['p: expected integer, "all" or "none", got string "al", did you mean "all"?']),
    ({"oneOf": [{"const": "asc"}, {"const": "desc"}]}, "des", ['p: "des" is not one of "asc", "desc", did you mean "desc"?']),
    (_REACH, {}, ["p: needs mail or street and town"]),
    (_FEWEST, {"a": "1"}, ['p.a: expected integer, got string "1"']),
    ({"anyOf": [{"anyOf": [{"type": "string"}, {"type": "integer"}]}, _ADDRESS]}, {}, ["p.city: missing"]),
    ({"oneOf": [{"type": "integer"}, {"minimum": 1}]}, 3, ["p: fits 2 of the alternatives, expected exactly one"]),
    ({"$ref": "#/$defs/Tree"}, {"left": {"left": {"nam": "x"}}}, ['p.left.left.nam: unknown, did you mean "name"?']),
]  # fmt: skip


def explained(schema: Json, value: object, **options: bool) -> list[Explanation]:
    return explanations(faults_of(SchemaDocument(schema, **options), value))


def lines(schema: Json, value: object, **options: bool) -> list[str]:
    return [explanation.line for explanation in explained(schema, value, **options)]


@pytest.mark.parametrize(("schema", "value", "expected"), TEXTS, ids=lambda part: str(part)[:60])
def test_each_mistake_is_named_by_its_path_with_what_is_allowed(
    schema: Any, value: Any, expected: list[str]
) -> None:
    document = {"type": "object", "properties": {"p": schema}, "$defs": _DEFINITIONS}

    assert lines(document, {"p": value}) == expected


def test_formats_are_explained_where_they_are_asserted() -> None:
    schema = {"properties": {"day": {"type": "string", "format": "date"}}}

    (line,) = lines(schema, {"day": "monday"}, asserts_formats=True)

    assert line.startswith('day: "monday" is not a date')


@pytest.mark.parametrize(
    ("dialect", "value", "expected"),
    [
        ("http://json-schema.org/draft-04/schema#", {"n": 3}, ["n: 3 is not greater than 3"]),
        (
            "http://json-schema.org/draft-07/schema#",
            {"r": 3},
            ["r: expected string, got integer 3"],
        ),
        (
            "http://example.com/unknown",
            {"r": 3},
            ["r: expected string, got integer 3", "r: 3 is greater than the maximum of 1"],
        ),
    ],
)
def test_older_and_unknown_dialects_are_explained_by_their_own_rules(
    dialect: str, value: Json, expected: list[str]
) -> None:
    schema: Json = {
        "$schema": dialect,
        "$id": "https://example.com/tool",
        "definitions": {"R": {"type": "string"}},
        "properties": {"r": {"$ref": "#/definitions/R", "maximum": 1}},
    }
    if "draft-04" in dialect:
        schema["properties"]["n"] = {"minimum": 3, "exclusiveMinimum": True}

    assert lines(schema, value) == expected


def test_a_long_text_is_shown_in_part() -> None:
    schema = {"properties": {"a": {"type": "integer"}}, "additionalProperties": False}

    shown = lines(schema, {"a": "x" * 10_000, "y\n" * 10_000: 1})

    assert max(map(len, shown)) < 200
    assert "\n" not in "".join(shown)


def _deep(levels: int) -> Json:
    value: Json = {"v": "bad"}
    for _ in range(levels):
        value = {"k": value}
    return value


_LEVEL: Final[Json] = {
    "type": "object",
    "properties": {
        "k": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}, {"$ref": "#/$defs/C"}]},
        "v": {"type": "integer"},
    },
}
_CHAIN: Final = {f"c{n}": {"$ref": f"#/$defs/c{n + 1}"} for n in range(2_000)}
HOSTILE: Final[list[tuple[Json, Any]]] = [
    ({"$ref": "#/$defs/A", "$defs": dict.fromkeys("ABC", _LEVEL)}, _deep(100)),
    ({"$ref": "#/$defs/c0", "$defs": {**_CHAIN, "c2000": {"type": "string"}}}, {}),
    ({"properties": {"a": {"items": {"type": "string"}}}}, {"a": list(range(200_000))}),
    ({"properties": {"a": {"anyOf": [{"const": n} for n in range(3_000)]}}}, {"a": "x" * 10**6}),
    ({"required": [f"r{n}" for n in range(5_000)]}, {"x": "y" * 10**6}),
    ({"additionalProperties": False}, {f"k{n}": n for n in range(100_000)}),
    (
        {"properties": {f"key{n}": {} for n in range(2_000)}, "additionalProperties": False},
        {f"kye{n}": n for n in range(2_000)},
    ),
    ({"allOf": [{"$ref": "#"}, {"type": "string"}]}, {}),
]


@pytest.mark.parametrize(("schema", "value"), HOSTILE, ids=lambda part: str(part)[:40])
def test_neither_a_hostile_schema_nor_a_large_value_takes_long(schema: Json, value: Any) -> None:
    start = time.process_time()

    shown = lines(schema, value)

    assert 0 < len(shown) <= 50
    assert time.process_time() - start < 3


@given(schema=SCHEMAS, value=VALUES)
@settings(max_examples=500)
def test_whatever_a_schema_refuses_is_explained(schema: Any, value: Any) -> None:
    document = {"type": "object", "properties": {"v": schema}, "required": ["v"]}
    if validator_for(document).is_valid({"v": value}):
        return

    shown = explained(document, {"v": value})

    assert shown
    assert all(each.path == "v" or each.path.startswith("v.") for each in shown)
    assert not any("does not fit the schema" in each.text for each in shown)


@given(st.recursive(st.none() | st.text(max_size=3), lambda inner: st.dictionaries(st.text(max_size=3), inner), max_leaves=8))  # fmt: skip
def test_any_name_of_a_property_can_be_explained(value: Any) -> None:
    schema = {"properties": {"v": {"additionalProperties": {"type": "integer"}}}}

    assert validator_for(schema).is_valid({"v": value}) or lines(schema, {"v": value})
