"""Results that break their schema: what the author finds in the log, and what is mended silently."""

import copy
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any, Final

import pytest
from toolfold_runtime import ToolError

from tests.running.material import Returns, Served, tool, value_of
from tests.support.projects import Json

MOMENT: Final = {"type": "string", "format": "date-time"}

KIND_A: Final[Json] = {
    "type": "object",
    "properties": {
        "kind": {"const": "a"},
        "note": {"type": ["string", "null"]},
        "text": {"type": "string"},
    },
    "required": ["kind"],
    "additionalProperties": False,
}
KIND_B: Final[Json] = {
    **KIND_A,
    "properties": {"kind": {"const": "b"}, "note": {"type": "string"}, "size": {"type": "integer"}},
}
PROPERTIES: Final[Json] = {
    "id": {"type": "integer", "minimum": 1},
    "name": {"type": "string", "maxLength": 200},
    "price": {"type": "number"},
    "day": {"type": "string", "format": "date"},
    "at": MOMENT,
    "opens": {"type": "string", "format": "time"},
    "raw": {"type": "string", "contentEncoding": "base64"},
    "state": {"enum": ["open", "closed"]},
    "maybe": {"type": ["string", "null"]},
    "until": {"anyOf": [MOMENT, {"type": "null"}]},
    "thing": {"oneOf": [KIND_A, KIND_B]},
    "things": {"type": "array", "items": {"anyOf": [KIND_A, KIND_B, {"type": "null"}]}},
    "scores": {"type": "object", "additionalProperties": {"type": "integer"}},
    "inner": {
        "type": "object",
        "properties": {"x": {"type": "integer"}, "y": {"type": "integer"}},
        "required": ["y"],
    },
}
TOOLS: Final = {
    "give": tool(
        returns={"type": "object", "properties": PROPERTIES, "additionalProperties": False}
    ),
    "give_list": tool(returns={"type": "array", "items": {"$ref": "#/$defs/Item"}}),
}
ITEM: Final[Json] = {"type": "object", "properties": PROPERTIES, "required": ["id"]}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    return Served(tmp_path_factory.mktemp("wrong"), TOOLS, **{"$defs": {"Item": ITEM}})


def logged(
    served: Served, caplog: pytest.LogCaptureFixture, value: object, name: str = "give"
) -> dict[str, str]:
    """What is logged about a result that is refused."""
    caplog.clear()
    with pytest.raises(ToolError) as caught:
        served.call(Returns(value), name)
    assert caught.value.text == (
        f"{name} returned a result that breaks its own schema; its author must fix it."
    )
    (record,) = caplog.records
    facts: dict[str, str] = vars(record)["facts"]
    assert facts.pop("tool") == name
    return facts


NAIVE: Final = datetime(2025, 1, 31, 9, 30)


@pytest.mark.parametrize(
    ("value", "at", "problem"),
    [
        ({"id": "one"}, "id", 'expected integer, got string "one"'),
        ({"id": 0}, "id", "0 is less than the minimum of 1"),
        ({"state": "opened"}, "state", '"opened" is not one of "open", "closed"'),
        ({"nam": "x"}, "nam", 'unknown, did you mean "name"?'),
        ({"inner": {"x": 1}}, "inner.y", "missing"),
        ({"inner": {"y": None}}, "inner.y", "expected integer, got null"),
        ({"inner": []}, "inner", "expected object, got array []"),
        ({"things": [None, {"kind": "b", "size": "x"}]}, "things.1.size", 'got string "x"'),
        ({"thing": {"kind": "b", "sise": 1}}, "thing.sise", 'unknown, did you mean "size"?'),
        ({"until": 7}, "until", "expected string or null, got integer 7"),
        ({"until": "soon"}, "until", '"soon" is not a date-time (like 2025-'),
        (["x"], "the whole result", 'expected object, got array ["x"]'),
    ],
    ids=str,
)
def test_the_log_says_where_what_is_wrong_and_what_is_there(
    served: Served, caplog: pytest.LogCaptureFixture, value: object, at: str, problem: str
) -> None:
    facts = logged(served, caplog, value)

    assert facts["at"] == at
    assert problem in facts["problem"]


def test_the_log_says_all_of_a_few_mistakes(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    facts = logged(served, caplog, {"id": "7", "name": 1, "pric": 3})

    assert facts["at"] == "id"
    assert facts["more"] == (
        'name: expected string, got integer 1; pric: unknown, did you mean "price"?'
    )
    many = logged(served, caplog, [{"id": None} for _ in range(9)], "give_list")
    assert many["more"].endswith("4.id: expected integer, got null; 4 others")


def test_a_wrapped_result_is_described_as_the_method_returned_it(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    assert logged(served, caplog, [{"id": 1}, {"id": "x"}], "give_list")["at"] == "1.id"
    assert logged(served, caplog, None, "give_list") == {
        "at": "the whole result",
        "problem": "expected array, got null",
    }


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ({"at": NAIVE}, "a naive datetime: use datetime.now(UTC), or make it aware with .replace("),
        ({"until": NAIVE}, "a naive datetime"),
        ({"at": date(2025, 1, 31)}, "use datetime.combine(day, time(), UTC)"),
        ({"opens": time(9, 30)}, "a naive time: make it aware with .replace(tzinfo=UTC)"),
        ({"opens": NAIVE}, "use its .timetz()"),
        ({"day": NAIVE}, "use its .date()"),
        ({"day": NAIVE.replace(tzinfo=UTC)}, "use its .date()"),
        ({"price": Decimal("1.5")}, "convert it with float()"),
        ({"raw": "-_8="}, "use base64.b64encode"),
        ({"raw": "ä"}, "return bytes"),
    ],
    ids=str,
)
def test_the_log_says_how_to_mend_a_usual_mistake(
    served: Served, caplog: pytest.LogCaptureFixture, value: object, hint: str
) -> None:
    assert hint in logged(served, caplog, value)["hint"]


def test_what_is_logged_of_a_value_is_short(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    long = "x\n" * 10_000
    for value in (
        {"name": long},
        {"id": [long] * 100},
        {"day": long},
        {long: 1},
        {"inner": {long: 1}},
    ):
        facts = logged(served, caplog, value)

        assert all(len(text) < 300 and text.isprintable() for text in facts.values())


def test_aware_values_are_sent_as_their_format_says(served: Served) -> None:
    value = {"at": NAIVE.replace(tzinfo=UTC), "opens": time(9, 30, tzinfo=UTC), "day": NAIVE.date()}

    assert value_of(served.call(Returns(value), "give")) == {
        "at": "2025-01-31T09:30:00Z",
        "opens": "09:30:00Z",
        "day": "2025-01-31",
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"name": None, "id": 1}, {"id": 1}),
        ({"maybe": None, "name": None}, {"maybe": None}),
        ({"until": None, "day": None}, {"until": None}),
        ({"inner": {"x": None, "y": 1}}, {"inner": {"y": 1}}),
        ({"inner": None, "things": None}, {}),
        ({"scores": {"a": 1, "b": None}}, {"scores": {"a": 1}}),
        (
            {"things": [None, {"kind": "b", "note": None}, {"kind": "a", "note": None}]},
            {"things": [None, {"kind": "b"}, {"kind": "a", "note": None}]},
        ),
        (
            {"thing": {"kind": "a", "note": None, "text": None}},
            {"thing": {"kind": "a", "note": None}},
        ),
    ],
    ids=str,
)
def test_none_is_left_out_where_the_schema_forbids_null(
    served: Served, value: Json, expected: Json
) -> None:
    before = copy.deepcopy(value)

    reply = served.call(Returns(value), "give")

    assert (value_of(reply), reply.structured) == (expected, expected)
    assert value == before


def test_none_is_left_out_of_a_list_of_objects(served: Served) -> None:
    rows: list[Json] = [{"id": n, "name": None, "maybe": None} for n in range(1, 300)]

    reply = served.call(Returns(rows), "give_list")

    assert value_of(reply) == [{"id": n, "maybe": None} for n in range(1, 300)]


def test_what_else_is_wrong_is_logged_before_a_none_that_may_be_absent(
    served: Served, caplog: pytest.LogCaptureFixture
) -> None:
    value = {"name": None, "day": None, "price": "much"}

    assert logged(served, caplog, value)["at"] == "price"


@dataclass
class Row:
    raw: bytes
    name: str | None = None


def test_objects_with_bytes_are_sent_as_models_would_be(served: Served) -> None:
    rows: list[Any] = [{"id": 1, "raw": bytearray(b"\xfb\xff")}]

    assert value_of(served.call(Returns(rows), "give_list")) == [{"id": 1, "raw": "+/8="}]
    assert value_of(served.call(Returns(Row(b"\xfb\xff")), "give")) == {"raw": "+/8="}
