"""What reaches a method: validated, coerced where allowed, completed by defaults."""

import json
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolfold_runtime import ToolError
from toolfold_runtime.running.defaults import defaults_of
from toolfold_runtime.validation import validator_for

from tests.running.drawn import VALUES, object_of
from tests.running.material import Served, tool, value_of
from tests.support.projects import Json

_FILTER: Final[Json] = {
    "type": "object",
    "properties": {
        "state": {"type": "string", "default": "open"},
        "page": {
            "type": "object",
            "properties": {"size": {"type": "integer", "default": 10}},
            "default": {},
        },
    },
}
TOOLS: Final = {
    "numbers": tool(
        parameters={
            "count": {"type": "integer"},
            "share": {"type": "number"},
            "loud": {"type": "boolean"},
            "names": {"type": "array", "items": {"type": "string"}},
            "either": {"anyOf": [{"type": "integer"}, {"type": "boolean"}]},
            "text": {"type": ["string", "integer"]},
        },
        coerce_strings=True,
    ),
    "strict": tool(parameters={"count": {"type": "integer"}}),
    "nested": tool(
        parameters={
            "filter": {**_FILTER, "default": {"state": "closed"}},
            "filters": {"type": "array", "items": {"$ref": "#/$defs/Filter"}},
            "anything": {"default": {"a": [1]}},
            "limit": {"type": "integer", "default": 5},
        }
    ),
    "contrary": tool(
        input_schema={
            "type": "object",
            "properties": {"a": {"default": 1}, "b": {"type": "integer", "default": "x"}},
            "maxProperties": 1,
        }
    ),
    "unusable": tool(input_schema={"type": "object", "properties": {"a": {"pattern": "("}}}),
}


class Echo:
    """Says what reached it."""

    def __getattr__(self, name: str) -> Any:
        return _seen


def _seen(params: Any) -> Json:
    given: Json = params.model_dump(by_alias=True, exclude_unset=True)
    nulls = {key: None for key, value in given.items() if value is None}
    return {**params.model_dump(by_alias=True, exclude_none=True), **nulls}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Served:
    folder = tmp_path_factory.mktemp("arguments")
    return Served(folder, TOOLS, **{"$defs": {"Filter": _FILTER}})


def test_strings_are_taken_for_what_they_say_where_a_tool_allows_it(served: Served) -> None:
    sent = {"count": "5", "share": "0.5", "loud": "true", "names": '["a"]'}

    reply = served.call(Echo(), "numbers", sent)

    assert value_of(reply) == {"count": 5, "share": 0.5, "loud": True, "names": ["a"]}
    assert reply.texts[1:] == (
        'warning: count: "5" was taken as 5',
        'warning: share: "0.5" was taken as 0.5',
        'warning: loud: "true" was taken as true',
        'warning: names: "[\\"a\\"]" was taken as ["a"]',
    )


@pytest.mark.parametrize(
    "sent",
    [
        {"count": "five"},
        {"count": "5.5"},
        {"count": "NaN"},
        {"share": "Infinity"},
        {"loud": "1"},
        {"loud": "yes"},
        {"loud": ""},
        {"names": "a"},
        {"either": "5"},
        {"count": "5", "share": "half"},
    ],
    ids=str,
)
def test_strings_that_may_mean_something_else_are_refused(served: Served, sent: Json) -> None:
    with pytest.raises(ToolError, match="invalid arguments") as caught:
        served.call(Echo(), "numbers", sent)

    assert caught.value.code == "invalid_arguments"


def test_text_where_text_may_stand_stays_text(served: Served) -> None:
    assert value_of(served.call(Echo(), "numbers", {"text": "5"})) == {"text": "5"}


def test_nothing_is_coerced_unless_the_manifest_says_so(served: Served) -> None:
    with pytest.raises(ToolError) as caught:
        served.call(Echo(), "strict", {"count": "5"})

    assert '- count: expected integer, got string "5"' in caught.value.text


def test_a_manifest_may_allow_it_for_every_tool_and_a_tool_may_not(tmp_path: Path) -> None:
    count = {"count": {"type": "integer"}}
    tools = {"lax": tool(parameters=count), "not": tool(parameters=count, coerce_strings=False)}
    served = Served(tmp_path, tools, execution={"coerce_strings": True})

    assert value_of(served.call(Echo(), "lax", {"count": "5"})) == {"count": 5}
    with pytest.raises(ToolError):
        served.call(Echo(), "not", {"count": "5"})


def test_defaults_are_filled_in_at_every_depth(served: Served) -> None:
    whole = {"state": "closed", "page": {"size": 10}}
    assert value_of(served.call(Echo(), "nested")) == {
        "filter": whole,
        "anything": {"a": [1]},
        "limit": 5,
    }

    sent: Json = {"filter": {"page": {}}, "filters": [{}, {"state": "x"}], "anything": None}
    assert value_of(served.call(Echo(), "nested", sent)) == {
        "filter": {"state": "open", "page": {"size": 10}},
        "filters": [
            {"state": "open", "page": {"size": 10}},
            {"state": "x", "page": {"size": 10}},
        ],
        "anything": None,
        "limit": 5,
    }


def test_what_was_filled_in_counts_as_not_set(served: Served) -> None:
    class Sent:
        def nested(self, params: Any) -> Any:
            return sorted(params.model_fields_set)

    assert value_of(served.call(Sent(), "nested", {"limit": 5})) == ["limit"]


def test_defaults_that_would_break_the_schema_are_not_applied(served: Served) -> None:
    class Sees:
        def contrary(self, params: Any) -> Any:
            return [sorted(params.model_fields_set), params.b]

    assert value_of(served.call(Sees(), "contrary", {"c": 1})) == [["c"], None]


def test_a_schema_that_no_validator_takes_says_whose_fault_it_is(served: Served) -> None:
    with pytest.raises(ToolError, match="its author must fix it") as caught:
        served.call(Echo(), "unusable", {"a": "x"})

    assert caught.value.code == "invalid_arguments"


def test_many_mistakes_are_not_all_seen(served: Served) -> None:
    with pytest.raises(ToolError) as caught:
        served.call(Echo(), "numbers", {"names": list(range(100_000))})

    assert caught.value.text.count("\n- ") == 11
    assert "- and 990 more" in caught.value.text


# Random schemas


def _schemas() -> Any:
    plain = st.sampled_from(
        [{}, True]
        + [{"type": kind} for kind in ("string", "integer", "number", "boolean", "null")]
        + [{"type": "integer", "minimum": 0}, {"enum": ["a", 1, None]}, {"const": "a"}]
    )
    return st.recursive(
        st.builds(_with_default, plain, st.none() | VALUES),
        lambda inner: st.one_of(
            st.builds(lambda items: {"type": "array", "items": items}, inner),
            st.builds(lambda a, b: {"anyOf": [a, b]}, inner, inner),
            st.builds(lambda a, b: {"allOf": [a, b]}, inner, inner),
            st.builds(object_of, inner, inner, st.booleans(), st.booleans()),
        ),
        max_leaves=6,
    )


def _with_default(schema: Any, default: Any) -> Any:
    return {**schema, "default": default} if default is not None and schema is not True else schema


@given(schema=_schemas(), value=VALUES)
@settings(max_examples=300)
def test_filling_in_changes_nothing_that_was_sent(schema: Any, value: Any) -> None:
    document = {"type": "object", "properties": {"v": schema}}
    before = json.dumps(value)
    defaults = defaults_of(document)
    filled = defaults.fill({"v": value}) if defaults else {"v": value}

    assert json.dumps(value) == before
    assert contains(filled["v"], value)


def contains(filled: Any, sent: Any) -> bool:
    if isinstance(sent, dict):
        return isinstance(filled, dict) and all(
            key in filled and contains(filled[key], inner) for key, inner in sent.items()
        )
    if isinstance(sent, list):
        return (
            isinstance(filled, list)
            and len(filled) == len(sent)
            and all(contains(f, s) for f, s in zip(filled, sent, strict=True))
        )
    return bool(filled == sent)


@given(data=st.data())
@settings(
    max_examples=4,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_model_and_validator_never_disagree_on_what_reaches_a_method(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    # Many schemas in one catalog: making a catalog costs more than calling its tools.
    schemas = data.draw(st.lists(_schemas(), min_size=40, max_size=40))
    whole = [
        {"type": "object", "properties": {"value": schema}, "required": ["value"]}
        for schema in schemas
    ]
    tools = {f"t{n}": tool(input_schema=schema) for n, schema in enumerate(whole)}
    served = Served(tmp_path_factory.mktemp("drawn"), tools)
    sent = [(n, data.draw(VALUES)) for n in range(len(schemas)) for _ in range(3)]

    async def calls(door: Any) -> list[Any]:
        return [await _reached(door, f"t{number}", value) for number, value in sent]

    for (number, value), reached in zip(sent, served.run(Given(), calls), strict=True):
        validator = validator_for(whole[number])
        if validator.is_valid({"value": value}):
            assert contains(reached, value), (schemas[number], value)
        elif reached != "invalid_arguments":
            assert contains(value, reached), (schemas[number], value)
            assert validator.is_valid({"value": reached}), (schemas[number], value)


class Given:
    """Says what was sent to it, and not what was filled in at the top."""

    def __getattr__(self, name: str) -> Any:
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)


async def _reached(door: Any, name: str, value: Any) -> Any:
    try:
        reply = await door.call(name, {"value": value})
    except ToolError as error:
        return error.code
    return json.loads(reply.texts[0])["value"]
