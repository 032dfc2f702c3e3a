"""Definitions in `tool_schema`: each is said once in an answer, and none is taken for another."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from toolfold_runtime import Catalog

from tests.disclosure.catalogs import Baked
from tests.support.projects import Json

_DEPTH: Final = 4  # definitions may refer to each other in circles


def reference(name: str) -> Json:
    return {"$ref": f"#/$defs/{name}"}


def node(kind: str, *names: str) -> Json:
    """An object with a value of this type that refers to these definitions."""
    properties = {"value": {"type": kind}} | {name: reference(name) for name in names}
    return {"type": "object", "properties": properties}


def manifest_of(tools: Mapping[str, Json], definitions: Json, **disclosure: Any) -> Json:
    return {
        "toolfold": 1,
        "server": {"name": "defined", "version": "1"},
        "disclosure": disclosure,
        "$defs": definitions,
        "categories": {"all": {}},
        "tools": {
            name: {"category": "all", "effect": "read", "summary": f"Tool {name}"} | tool
            for name, tool in tools.items()
        },
    }


def shared(*names: str) -> Json:
    """A tool whose parameters refer to definitions of the manifest."""
    return {"parameters": {name: reference(name) for name in names}}


def foreign(definitions: Json, *names: str) -> Json:
    """A tool with definitions of its own."""
    return {"input_schema": node("string", *names) | {"$defs": definitions}}


# What an answer says, read as an agent would: a name that a tool does not define was defined
# above, by one tool or by the one that is pointed to.


class Answer:
    """The lines of an answer about several tools."""

    def __init__(self, text: str) -> None:
        self.lines = [json.loads(line) for line in text.split("\n")]

    def said(self) -> list[tuple[str, str]]:
        """Every definition that is said in full: its name and its schema."""
        return [
            (name, json.dumps(schema))
            for line in self.lines
            for name, schema in line.get("$defs", {}).items()
            if not self._is_pointer(schema)
        ]

    def meaning(self, at: int) -> Any:
        """The parameters in a line, with definitions in the place of references."""
        return self._expanded(self.lines[at]["parameters"], at, _DEPTH)

    def _expanded(self, value: Any, at: int, depth: int) -> Any:
        if isinstance(value, list):
            return [self._expanded(item, at, depth) for item in value]
        if not isinstance(value, dict):
            return value
        if "$ref" in value:
            schema, place = self._definition(value["$ref"].removeprefix("#/$defs/"), at)
            return self._expanded(schema, place, depth - 1) if depth else "…"
        return {key: self._expanded(inner, at, depth) for key, inner in value.items()}

    def _definition(self, name: str, at: int) -> tuple[Any, int]:
        """A definition as a line means it, and the line that says it."""
        definition = self.lines[at].get("$defs", {}).get(name)
        if definition is not None and self._is_pointer(definition):
            tool = definition["$ref"].partition("#")[0]
            at = [line["name"] for line in self.lines].index(tool)
            return self.lines[at]["$defs"][name], at
        if definition is not None:
            return definition, at
        (above,) = (n for n in range(at) if name in self.lines[n].get("$defs", {}))
        return self.lines[above]["$defs"][name], above

    @staticmethod
    def _is_pointer(schema: Json) -> bool:
        return not schema.get("$ref", "#").startswith("#")


def own_meaning(catalog: Catalog, name: str) -> Any:
    """The input schema of a tool with definitions in the place of references."""
    schema = dict(catalog.entry(name).definition.input_schema)
    definitions = schema.pop("$defs", {})
    lines = {"name": name, "parameters": schema, "$defs": definitions}
    return Answer(json.dumps(lines)).meaning(0)


_NAMES: Final = ("A", "B", "C")
_NODES: Final = st.builds(
    node, st.sampled_from(["string", "integer"]), st.sampled_from(_NAMES), st.sampled_from(_NAMES)
)
_DEFINITIONS: Final = st.fixed_dictionaries(dict.fromkeys(_NAMES, _NODES))
_TOOLS: Final = st.lists(
    st.one_of(
        st.builds(shared, st.sampled_from(_NAMES)),
        st.builds(foreign, _DEFINITIONS, st.sampled_from(_NAMES)),
    ),
    min_size=1,
    max_size=6,
)


@given(definitions=_DEFINITIONS, tools=_TOOLS, order=st.randoms(use_true_random=False))
@settings(
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_several_tools_say_every_definition_that_they_need_and_none_twice(
    definitions: Json, tools: list[Json], order: Any, tmp_path: Path
) -> None:
    named = {f"tool_{n}": tool for n, tool in enumerate(tools)}
    catalog = Baked(tmp_path, manifest_of(named, definitions)).catalog
    asked = list(named)
    order.shuffle(asked)

    answer = Answer(catalog.details(",".join(asked)))

    meanings = [answer.meaning(at) for at in range(len(asked))]
    assert meanings == [own_meaning(catalog, name) for name in asked]
    needed = {(d.name, d.digest): d.text for n in asked for d in catalog.entry(n).views.definitions}
    assert sorted(name for name, _ in answer.said()) == sorted(name for name, _ in needed)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    definitions = {"Node": node("integer"), "Spare": node("boolean")}
    tools = {
        "first": shared("Node"),
        "second": shared("Node", "Leaf"),
        "other": foreign(definitions, "Node"),
        "third": shared("Node"),
        "tree": {"returns": reference("Tree")},
        "both": foreign({"Leaf": node("string")}, "Leaf")
        | {"output_schema": node("string", "Leaf") | {"$defs": {"Leaf": node("string")}}},
        "torn": foreign({"Leaf": node("string")}, "Leaf")
        | {"output_schema": node("string", "Leaf") | {"$defs": {"Leaf": node("null")}}},
        "old": {
            "input_schema": {
                "type": "object",
                "properties": {"leaf": {"$ref": "#/definitions/Leaf"}},
                "definitions": {"Leaf": node("string")},
            }
        },
    }
    definitions = {"Node": node("string", "Leaf"), "Leaf": node("string")}
    definitions["Tree"] = node("string", "Tree")
    return Baked(tmp_path_factory.mktemp("defined"), manifest_of(tools, definitions)).catalog


def lines(catalog: Catalog, tools: str, detail: str = "schema") -> list[Json]:
    return [json.loads(line) for line in catalog.details(tools, detail).split("\n")]


def test_a_later_tool_leaves_out_what_was_said_above(catalog: Catalog) -> None:
    first, second, third = lines(catalog, "first,second,third")

    assert list(first["$defs"]) == ["Node", "Leaf"]
    assert "$defs" not in second
    assert "$defs" not in third


@pytest.mark.parametrize("detail", ["schema", "full"])
def test_of_two_definitions_of_one_name_the_one_that_is_meant_is_pointed_to(
    detail: str, catalog: Catalog
) -> None:
    *_, other, third = lines(catalog, "first,other,third", detail)

    assert other["$defs"] == {"Node": node("integer")}
    assert third["$defs"] == {"Node": {"$ref": "first#/$defs/Node"}}


def test_a_definition_that_nothing_refers_to_is_not_shown(catalog: Catalog) -> None:
    (other,) = lines(catalog, "other")

    assert list(other["$defs"]) == ["Node"]


def test_a_result_that_is_a_definition_refers_to_it(catalog: Catalog) -> None:
    (tree,) = lines(catalog, "tree")

    assert tree["returns"] == reference("Tree")
    assert tree["$defs"] == {"Tree": node("string", "Tree")}


def test_parameters_and_result_share_their_definitions(catalog: Catalog) -> None:
    (both,) = lines(catalog, "both")

    assert both["$defs"] == {"Leaf": node("string")}
    assert "$defs" not in both["parameters"]
    assert "$defs" not in both["returns"]


def test_a_result_keeps_definitions_that_its_parameters_define_otherwise(catalog: Catalog) -> None:
    (torn,) = lines(catalog, "torn")

    assert torn["$defs"] == {"Leaf": node("string")}
    assert torn["returns"]["$defs"] == {"Leaf": node("null")}


def test_definitions_of_older_dialects_stay_under_their_keyword(catalog: Catalog) -> None:
    first, old = lines(catalog, "second,old")

    assert list(first["$defs"]) == ["Node", "Leaf"]
    assert old["definitions"] == {"Leaf": node("string")}


def test_text_calls_definitions_by_name_and_says_each_once(tmp_path: Path) -> None:
    tools = {
        "first": shared("Leaf"),
        "second": {"returns": {"type": "array", "items": reference("Leaf")}},
    }
    manifest = manifest_of(tools, {"Leaf": node("string")}, format="text", exposure="progressive")

    text = Baked(tmp_path, manifest).catalog.details("first,second")

    assert text == (
        "first [all, read]\n"
        "Tool first\n"
        "parameters:\n"
        "  Leaf: Leaf\n"
        "$defs:\n"
        '  Leaf: {"type":"object","properties":{"value":{"type":"string"}}}\n'
        "next: run_read\n"
        "second [all, read]\n"
        "Tool second\n"
        "parameters:\n"
        'returns: {"type":"array","items":{"$ref":"#/$defs/Leaf"}}\n'
        "next: run_read"
    )
