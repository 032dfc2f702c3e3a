"""Which changes of a schema break a caller or a reader, and how they are told."""

from typing import Any

import pytest
from toolfold.plan.docs.schema_changes import schema_changes


def told(before: Any, after: Any, *, is_result: bool = False) -> list[tuple[str, bool]]:
    """What changed in one field `a`."""
    sides = [{"type": "object", "properties": {"a": schema}} for schema in (before, after)]
    return [(one.words, one.breaks) for one in schema_changes(*sides, is_result=is_result)]


TEXT = {"type": "string"}
NUMBER = {"type": "number"}
NULL = {"type": "null"}


@pytest.mark.parametrize(
    ("before", "after", "in_input", "in_result"),
    [
        ({"type": "integer"}, {"type": "number"}, False, True),
        ({"type": "number"}, {"type": "integer"}, True, False),
        (TEXT, {"type": "integer"}, True, True),
        (TEXT, {"type": ["string", "null"]}, False, True),
        ({"type": ["string", "null"]}, TEXT, True, False),
        (TEXT, {"enum": ["x"], **TEXT}, True, False),
        ({"enum": ["x", "y"]}, {"enum": ["x"]}, True, False),
        ({"enum": ["x"]}, {"enum": ["x", "y"]}, False, False),
        ({"minimum": 1}, {"minimum": 2}, True, False),
        ({"minimum": 2}, {"minimum": 1}, False, False),
        ({"maximum": 5}, {}, False, False),
        ({}, {"pattern": "^x"}, True, False),
        (TEXT, {**TEXT, "default": "x"}, False, False),
        (TEXT, {**TEXT, "description": "Other"}, False, False),
        ({"anyOf": [TEXT]}, {"anyOf": [TEXT, NULL]}, False, True),
        ({"anyOf": [TEXT, NULL]}, {"anyOf": [TEXT]}, True, False),
        (TEXT, {"anyOf": [TEXT, NULL]}, False, True),
        ({"anyOf": [TEXT, NULL]}, TEXT, True, False),
        ({"type": ["string", "null"]}, {"oneOf": [NULL]}, True, False),
        ({"anyOf": [TEXT, NUMBER]}, {"anyOf": [NUMBER, TEXT, {"type": "boolean"}]}, False, False),
        ({"type": "array"}, {"type": "array", "items": TEXT}, True, False),
        ({"type": "array", "items": TEXT}, {"type": "array"}, False, True),
        ({"type": "object"}, {"type": "object", "additionalProperties": TEXT}, True, False),
        ({"not": {}}, {"not": TEXT}, True, True),
    ],
)
def test_what_narrows_breaks_inputs_and_what_widens_in_kind_breaks_results(
    before: Any, after: Any, in_input: bool, in_result: bool
) -> None:
    inputs, results = told(before, after), told(before, after, is_result=True)

    assert [breaks for _, breaks in inputs] == [in_input]
    assert [breaks for _, breaks in results] == [in_result]
    assert inputs[0][0].startswith("parameter `a")
    assert results[0][0].startswith("result `a")


def test_fields_that_come_and_go_are_told_by_their_path() -> None:
    before = {"properties": {"x": TEXT, "y": TEXT}, "required": ["x"]}
    after = {"properties": {"x": TEXT, "z": TEXT}, "required": ["z"]}

    assert told(before, after) == [
        ("parameter `a.z` added: `str`, required", True),
        ("parameter `a.y` removed, and ignored", False),
        ("parameter `a.x`: no longer required", False),
    ]
    assert told(before, after, is_result=True) == [
        ("result `a.z` added: `str`", False),
        ("result `a.y` removed", True),
        ("result `a.x`: may be missing now", True),
    ]


def test_closed_objects_refuse_what_was_removed() -> None:
    closed = {"properties": {}, "additionalProperties": False}

    assert told({"properties": {"x": TEXT}, "additionalProperties": False}, closed) == [
        ("parameter `a.x` removed", True)
    ]
    assert told({"properties": {}}, closed) == [
        ("parameter `a`: unknown fields are refused now", True)
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"anyOf": [TEXT, NUMBER]}, {"anyOf": [NUMBER, TEXT]}),
        ({"type": ["string", "null"]}, {"anyOf": [NULL, TEXT]}),
        (
            {"allOf": [{"properties": {"x": TEXT}}, {"required": ["x"]}]},
            {"properties": {"x": TEXT}, "required": ["x"]},
        ),
    ],
)
def test_the_same_in_other_words_is_no_change(before: Any, after: Any) -> None:
    assert (told(before, after), told(after, before, is_result=True)) == ([], [])


def test_definitions_and_lists_are_compared_in_depth_and_circles_end() -> None:
    def schema(kind: str) -> Any:
        node = {
            "type": "object",
            "properties": {"next": {"$ref": "#/$defs/Node"}, "kind": {"type": kind}},
        }
        items = {"type": "array", "items": {"$ref": "#/$defs/Node"}}
        return {"$defs": {"Node": node}, "properties": {"list": items}}

    found = list(schema_changes(schema("string"), schema("integer"), is_result=True))

    assert [tuple(one) for one in found] == [("result `list[].kind`: `str` → `int`", True)]
