"""Whatever a tool may declare to return or to take, it generates, loads and answers."""

import asyncio
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from toolfold_runtime import Catalog, ToolError
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.shape import Answer

from tests.runtime.demo import generate
from tests.support.projects import Json

OBJECT: Final[Json] = {"type": "object", "properties": {"id": {"type": "string"}}}
#: A schema, values that fit it, values that do not.
SCHEMAS: Final[list[tuple[Json, list[Any], list[Any]]]] = [
    ({}, [1, "x", None, [], {}], []),
    ({"type": "object"}, [{}, {"a": [1]}], ["x", None]),
    ({"type": "object", "additionalProperties": {"type": "string"}}, [{"a": "b"}], [{"a": 1}]),
    ({"type": "object", "additionalProperties": False}, [{}], [{"a": 1}]),
    (OBJECT, [{}, {"id": "x"}, {"id": "x", "more": 1}], [{"id": 1}]),
    ({**OBJECT, "required": ["id"]}, [{"id": "x"}], [{}]),
    ({"type": "array"}, [[], [1, "x"]], [{}]),
    ({"type": "array", "items": OBJECT}, [[], [{"id": "x"}]], [[{"id": 1}]]),
    ({"type": "array", "items": {"type": "array", "items": OBJECT}}, [[[{}]]], [[{}]]),
    ({"type": "array", "prefixItems": [{"type": "string"}, OBJECT]}, [["x", {}]], [[1]]),
    ({"type": "string"}, ["", "x"], [1, None]),
    ({"type": "string", "format": "date"}, ["2026-11-16"], [1, "no date"]),
    ({"type": "integer"}, [0, -5, 10**20, 1.0], [1.5, "1"]),
    ({"type": "number"}, [0, 1.5, -1e300], ["1"]),
    ({"type": "boolean"}, [True, False], [0, "true"]),
    ({"type": "null"}, [None], [0]),
    ({"type": ["string", "null"]}, ["x", None], [1]),
    ({"type": ["object", "string"], "properties": {"a": {}}}, [{"a": 1}, "x"], [1]),
    ({"enum": ["a", "b"]}, ["a"], ["c"]),
    ({"enum": ["a", 1, None]}, ["a", 1, None], ["c"]),
    ({"enum": [1, 2.5, {"a": 1}]}, [1, {"a": 1}], [3]),
    ({"const": "x"}, ["x"], ["y"]),
    ({"const": {"a": [1]}}, [{"a": [1]}], [{}]),
    ({"anyOf": [{"type": "string"}, OBJECT]}, ["x", {"id": "y"}], [1]),
    ({"oneOf": [{"type": "string"}, {"type": "integer"}]}, ["x", 1], [None]),
    ({"allOf": [OBJECT, {"required": ["id"]}]}, [{"id": "x"}], [{}]),
    ({"not": {"type": "string"}}, [1], ["x"]),
    ({"$ref": "#/$defs/Tree"}, [{"kids": [{"kids": []}]}], [{"kids": 1}]),
    ({"type": "array", "items": {"$ref": "#/$defs/Tree"}}, [[{"kids": []}]], [[1]]),
    ({"$ref": "#/$defs/Word"}, ["x"], [1]),
]
DEFINITIONS: Final[dict[str, Json]] = {
    "Tree": {
        "type": "object",
        "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/Tree"}}},
    },
    "Word": {"type": "string"},
}


def _definition(schema: Json) -> Json:
    return DEFINITIONS.get(schema.get("$ref", "").rpartition("/")[2], {})


class Returns:
    """Answers every tool with the value it was told."""

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __getattr__(self, name: str) -> Any:
        return lambda params: self.value


class Echo:
    """Answers every tool with its own parameters."""

    def __getattr__(self, name: str) -> Any:
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)


@pytest.fixture(scope="module")
def catalog(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """A package with two tools for each schema: one that returns it and one that takes it."""
    plain = {"category": "all", "effect": "read", "summary": "s"}
    package = "shapes_mcp"
    tools: dict[str, Json] = {}
    for number, (schema, _, _) in enumerate(SCHEMAS):
        tools[f"returns_{number}"] = {**plain, "returns": schema}
        tools[f"takes_{number}"] = {**plain, "parameters": {"value": schema}}
    manifest = {
        "toolfold": 1,
        "server": {"name": "shapes", "version": "1", "package": package},
        "categories": {"all": {}},
        "tools": tools,
        "$defs": DEFINITIONS,
    }
    output = generate(tmp_path_factory.mktemp("shapes"), manifest)
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(output)
        yield Catalog(output / package / "catalog", package)


def run(catalog: Catalog, implementation: object, name: str, arguments: Json) -> Answer:
    return asyncio.run(
        Executor(catalog, backend_of(catalog, implementation)).call(catalog.entry(name), arguments)
    )


@pytest.mark.parametrize("number", range(len(SCHEMAS)), ids=lambda n: str(SCHEMAS[n][0]))
def test_a_result_is_answered_where_it_fits_and_refused_where_not(
    catalog: Catalog, number: int
) -> None:
    schema, good, bad = SCHEMAS[number]
    module = importlib.import_module(f"{catalog.package}.models.returns_{number}")
    assert hasattr(module, f"Returns{number}Result") is ("$ref" not in schema)

    for value in good:
        answer = run(catalog, Returns(value), f"returns_{number}", {})
        parts = (schema, _definition(schema), *schema.get("allOf", ()))
        wrapped = "object" not in [part.get("type") for part in parts]
        assert answer.structured == ({"result": value} if wrapped else value)
    for value in bad:
        with pytest.raises(ToolError) as caught:
            run(catalog, Returns(value), f"returns_{number}", {})
        assert caught.value.code == "invalid_result"


@pytest.mark.parametrize("number", range(len(SCHEMAS)), ids=lambda n: str(SCHEMAS[n][0]))
def test_what_the_validator_accepts_reaches_the_method_unchanged(
    catalog: Catalog, number: int
) -> None:
    _, good, bad = SCHEMAS[number]

    for value in good:
        answer = run(catalog, Echo(), f"takes_{number}", {"value": value})
        assert json.loads(answer.text or "") == {"value": value}
    for value in bad:
        if value is None:  # counts as not given
            assert run(catalog, Echo(), f"takes_{number}", {"value": None}).text == "{}"
            continue
        with pytest.raises(ToolError) as caught:
            run(catalog, Echo(), f"takes_{number}", {"value": value})
        assert caught.value.code == "invalid_arguments"


def test_extra_parameters_of_meta_tools_are_refused_where_the_manifest_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from toolfold.cli.main import main

    manifest = {
        "toolfold": 1,
        "server": {"name": "strict", "version": "1", "package": "strict_meta"},
        "disclosure": {"unknown_parameters": "reject"},
        "categories": {"all": {}},
        "tools": {"one": {"category": "all", "effect": "read", "summary": "s"}},
    }
    generate(tmp_path, manifest)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)

    assert main(["try", "capabilities", '{"verbose": true}']) == 1
    assert capsys.readouterr().out == (
        'invalid_arguments: capabilities: no parameter "verbose".'
        " Parameters: category, detail, page, format.\n"
    )
