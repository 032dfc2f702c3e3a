"""`null` for "not given": where a property may be absent but not null, it counts as absent."""

import copy
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from toolfold_runtime import ToolError
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.repair import repaired
from toolfold_runtime.validation import validator_for

from tests.disclosure.catalogs import SHELF, Shelf
from tests.running.drawn import SCHEMAS, VALUES
from tests.running.material import Served, tool, value_of
from tests.support.clients import call
from tests.support.projects import Json, project

_ADDRESS: Final[Json] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zip": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS: Final = {
    "order": tool(
        parameters={
            "id": {"type": "integer", "required": True},
            "limit": {"type": "integer", "default": 5},
            "note": {"type": ["string", "null"]},
            "state": {"enum": ["open", "closed"]},
            "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
            "ship_to": {"anyOf": [{"$ref": "#/$defs/Address"}, {"type": "null"}]},
            "lines": {"type": "array", "items": {"$ref": "#/$defs/Address"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        cache={"ttl": 60},
    ),
    "both": tool(
        parameters={"count": {"type": "integer"}, "deep": _ADDRESS, "size": {"type": "integer"}},
        coerce_strings=True,
    ),
    "apart": tool(
        input_schema={
            "type": "object",
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "allOf": [{"required": ["a"]}],
        }
    ),
}


class Echo:
    """Says what reached it."""

    def __getattr__(self, name: str) -> Any:
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    definitions = {"Address": _ADDRESS}
    return Served(tmp_path_factory.mktemp("nulls"), TOOLS, **{"$defs": definitions})


@pytest.mark.parametrize(
    ("sent", "reached"),
    [
        ({"limit": None, "state": None, "either": None}, {}),
        ({"lines": None, "labels": None}, {}),
        ({"note": None, "ship_to": None}, {"note": None, "ship_to": None}),
        ({"ship_to": {"city": "x", "zip": None}}, {"ship_to": {"city": "x"}}),
        ({"lines": [{"city": "x", "zip": None}]}, {"lines": [{"city": "x"}]}),
    ],
    ids=str,
)
def test_null_counts_as_not_given_where_it_has_no_meaning(
    sent: Json, reached: Json, served: Served
) -> None:
    before = copy.deepcopy(sent)

    reply = served.call(Echo(), "order", {"id": 1, **sent})

    assert value_of(reply) == {"id": 1, **reached}
    assert len(reply.texts) == 1  # without a warning
    assert sent == before


@pytest.mark.parametrize(
    ("name", "sent", "lines"),
    [
        ("order", {"id": None, "limit": None}, ["id: expected integer, got null"]),
        ("order", {"id": 1, "labels": {"a": None}}, ["labels.a: expected string, got null"]),
        ("order", {"id": 1, "lines": [None]}, ["lines.0: expected object, got null"]),
        ("order", {"id": 1, "ship_to": {"city": None, "zip": None}}, ["ship_to.city: expected string, got null"]),
        ("order", {"id": 1, "nothing": None}, ["nothing: unknown; known: id, limit, note, state, either, ship_to, lines, labels"]),
        ("apart", {"a": None, "b": None}, ["a: expected string, got null"]),
    ],
)  # fmt: skip
def test_null_is_refused_where_a_value_is_needed(
    name: str, sent: Json, lines: list[str], served: Served
) -> None:
    with pytest.raises(ToolError) as caught:
        served.call(Echo(), name, sent)

    shown = [line[2:] for line in caught.value.text.split("\n") if line.startswith("- ")]
    assert shown == lines


def test_calls_with_and_without_nulls_share_a_cached_result(served: Served) -> None:
    ran: list[int] = []

    class Counting:
        def order(self, params: Any) -> int:
            ran.append(params.limit)
            return len(ran)

    async def calls(door: Any) -> list[str]:
        sent: list[Json] = [{"id": 1}, {"id": 1, "limit": None}, {"id": 1, "limit": 5}]
        return [(await door.call("order", arguments)).texts[0] for arguments in sent]

    assert served.run(Counting(), calls) == ["1", "1", "1"]
    assert ran == [5]


def test_nulls_and_strings_are_understood_in_one_call(served: Served) -> None:
    sent = {"count": "5", "size": None, "deep": '{"city":"x","zip":null}'}

    reply = served.call(Echo(), "both", sent)

    assert value_of(reply) == {"count": 5, "deep": {"city": "x"}}
    assert [text.split(" was taken")[0] for text in reply.texts[1:]] == [
        'warning: count: "5"',
        'warning: deep: "{\\"city\\":\\"x\\",\\"zip\\":null}"',
    ]


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("capabilities", {}),
        ("tool_schema", {"tool": "dust"}),
        ("search_tools", {"query": "book"}),
        ("run_read", {"tool": "find_book", "arguments": {"title": "dune"}}),
        ("run_write", {"tool": "dust"}),
    ],
)
def test_meta_tools_take_null_for_every_optional_parameter(
    name: str, plain: Json, tmp_path: Path
) -> None:
    server = project(tmp_path, SHELF).server("progressive", Shelf())
    optional = ("category", "detail", "page", "format", "limit", "arguments", "fields", "cursor")
    names = {
        "capabilities": optional[:4],
        "tool_schema": optional[1:2],
        "search_tools": optional[4:5],
    }.get(name, optional[5:])
    nulls = dict.fromkeys(names)

    assert call(server, name, {**nulls, **plain}) == call(server, name, plain)


def test_a_required_parameter_of_a_meta_tool_may_not_be_null(tmp_path: Path) -> None:
    server = project(tmp_path, SHELF).server("progressive")

    assert call(server, "tool_schema", {"tool": None, "detail": None}).text == (
        "invalid_arguments: tool_schema: tool: expected string, got null. Parameters: tool, detail."
    )


def test_the_nulls_of_a_long_list_are_all_left_out() -> None:
    rows = {"type": "array", "items": _ADDRESS}
    schema: Json = {"type": "object", "properties": {"rows": rows}}
    sent = {"rows": [{"city": str(n), "zip": None} for n in range(1_500)]}

    accepted, _, faults = repaired(SchemaDocument(schema), sent)

    assert faults == []
    assert accepted == {"rows": [{"city": str(n)} for n in range(1_500)]}


@given(schemas=st.lists(SCHEMAS, min_size=3, max_size=3), values=st.lists(VALUES, max_size=3))
@settings(max_examples=300)
def test_nulls_for_absent_properties_change_nothing(schemas: list[Any], values: list[Any]) -> None:
    names = ("x", "y", "z")
    schema: Json = {"type": "object", "properties": dict(zip(names, schemas, strict=True))}
    validator, plain = validator_for(schema), dict(zip(names, values, strict=False))
    nulls = {
        name: None for name in names if name not in plain and not validator.is_valid({name: None})
    }
    if not nulls:
        return

    accepted, _, faults = repaired(SchemaDocument(schema), {**nulls, **plain})

    assert validator.is_valid(accepted) is not bool(faults)
    if validator.is_valid(plain):
        assert accepted == plain
