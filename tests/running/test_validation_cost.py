"""Schemas that double with every level: generated, called and ended in time."""

import asyncio
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from toolfold.plan.schemas.validation_cost import checks_per_value
from toolfold_runtime import ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.validation_process import is_valid_in_process

from tests.running.material import Returns, Served, outcome, tool
from tests.support.commands import toolfold
from tests.support.projects import Json
from tests.support.waiting import PATIENCE

NESTED: Final = ("allOf", "anyOf", "oneOf")


def doubling(levels: int, keyword: str = "allOf", last: Json | None = None) -> dict[str, Json]:
    """Definitions of which each refers to the next one twice."""
    definitions = {
        f"L{level}": {keyword: [{"$ref": f"#/$defs/L{level + 1}"}] * 2} for level in range(levels)
    }
    return {**definitions, f"L{levels}": last or {"type": "object"}}


def by_property(levels: int) -> dict[str, Json]:
    """The same, each a level deeper in the value."""
    definitions: dict[str, Json] = {}
    for level in range(levels):
        part = {"properties": {"a": {"$ref": f"#/$defs/L{level + 1}"}}}
        definitions[f"L{level}"] = {"allOf": [part, dict(part)]}
    return {**definitions, f"L{levels}": {"type": "object"}}


def whole(definitions: dict[str, Json]) -> Json:
    return {"$ref": "#/$defs/L0", "$defs": definitions}


@pytest.mark.parametrize("keyword", NESTED)
def test_checks_of_one_value_are_counted_with_references_followed(keyword: str) -> None:
    assert checks_per_value(whole(doubling(10, keyword))) > 2**10
    assert checks_per_value(whole(doubling(60, keyword))) == 1_000_000_000


def test_levels_of_properties_count_for_the_deepest_value() -> None:
    assert checks_per_value(whole(by_property(12))) > 2**12


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(2_000)}},
        {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]},
        {"$defs": {"N": {"properties": {"n": {"$ref": "#/$defs/N"}}}}, "$ref": "#/$defs/N"},
        whole(
            {"L0": {"properties": {f"p{n}": {"$ref": "#/$defs/L1"} for n in range(500)}}, "L1": {}}
        ),
        {"allOf": [{"$ref": "#"}]},
    ],
)
def test_ordinary_schemas_count_as_few(schema: Json) -> None:
    assert checks_per_value(schema) == 0


@pytest.mark.parametrize("levels", [28, 40])
@pytest.mark.parametrize("is_foreign", [False, True])
def test_validation_that_takes_too_long_ends_with_the_call(
    tmp_path: Path, levels: int, is_foreign: bool
) -> None:
    definitions = doubling(levels)
    reference = {"$ref": "#/$defs/L0"}
    if is_foreign:
        schema = {"type": "object", "properties": {"x": reference}, "$defs": definitions}
        grown, more = tool(timeout=0.5, input_schema=schema), {}
    else:
        grown, more = tool(timeout=0.5, parameters={"x": reference}), {"$defs": definitions}
    grown["examples"] = [{"arguments": {"x": {}}}]
    served = Served(tmp_path, {"grown": grown, "plain": tool()}, **more)

    async def called(door: Dispatcher) -> list[str]:
        growing = asyncio.ensure_future(outcome(door, "grown", {"x": {}}))
        plain = []
        while not growing.done():
            plain.append(await outcome(door, "plain", {}))
            await asyncio.sleep(0.005)
        return [growing.result(), *set(plain)]

    assert served.run(Returns("x"), called) == ["timeout", "ok"]
    assert toolfold(served.project.folder, "check").text.count("[validation-cost]") == 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [({"x": {}}, "ok"), ({"x": {"a": 1}}, "ok"), ({"x": 1}, "invalid_arguments")],
)
def test_arguments_are_validated_apart_where_there_is_time(
    tmp_path: Path, given: Json, expected: str
) -> None:
    served = Served(
        tmp_path,
        {"grown": tool(timeout=30, parameters={"x": {"$ref": "#/$defs/L0"}})},
        **{"$defs": doubling(17)},
    )

    async def called(door: Dispatcher) -> str:
        return await outcome(door, "grown", given)

    assert served.run(Returns("x"), called) == expected


def test_a_result_is_validated_apart_too(tmp_path: Path) -> None:
    served = Served(
        tmp_path,
        {"grown": tool(timeout=30, returns={"$ref": "#/$defs/L0"})},
        **{"$defs": doubling(17)},
    )

    assert served.call(Returns({}), "grown").structured == {"result": {}}
    with pytest.raises(ToolError, match="breaks its own schema"):
        served.call(Returns([1]), "grown")


def test_the_process_that_validates_ends_in_time() -> None:
    with pytest.raises(TimeoutError):
        is_valid_in_process(whole(doubling(40)), {}, 0.4, asserts_formats=False)


def test_the_process_that_validates_ends_also_where_its_server_is_gone() -> None:
    command = [sys.executable, "-m", "toolfold_runtime.running.validation_process"]
    given = json.dumps([whole(doubling(40)), {}, False, 0.4])

    ended = subprocess.run(command, input=given, text=True, timeout=PATIENCE, check=False)

    assert ended.returncode == -signal.SIGALRM


@pytest.mark.parametrize("value", [{}, {"a": "\ud800"}, 1, None, [10**400]])
def test_the_process_that_validates_says_what_the_validator_says(value: Any) -> None:
    schema = {"type": "object"}
    assert is_valid_in_process(schema, value, 30, asserts_formats=True) is isinstance(value, dict)
