"""The JSON Schema suite's formats through calls of hand-written tools: accepted exactly when valid."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

import pytest
from toolfold_runtime.disclosure.dispatch import Dispatcher

from tests.running.material import Returns, Served, outcome, tool
from tests.support.projects import Json

SUITE: Final = Path(__file__).resolve().parents[3] / "shared/bench/jsonschema/tests/draft2020-12"
FORMATS: Final = (
    *("date", "date-time", "time", "uuid", "duration", "uri", "email", "hostname"),
    *("ipv4", "ipv6", "json-pointer", "regex"),
)
#: What agrees, at least. Python's types have no leap second.
SHARE: Final = 0.98

pytestmark = pytest.mark.long


class Case(NamedTuple):
    """A value of the suite and the tool that takes it."""

    tool: str
    description: str
    value: object
    is_valid: bool


def cases() -> Iterator[Case]:
    for name in FORMATS:
        file = SUITE / f"optional/format/{name}.json"
        assert file.is_file(), f"{file} is not there: the test needs the suite of ../shared/bench"
        for group in json.loads(file.read_bytes()):
            assert group["schema"].keys() <= {"$schema", "format"}
            for test in group["tests"]:
                kind = "text" if isinstance(test["data"], str) else "any"
                used = f"{name.replace('-', '_')}_{kind}"
                yield Case(used, test["description"], test["data"], test["valid"])


def tools() -> Iterator[tuple[str, Json]]:
    """For each format a tool that takes text, whose models have types, and one that takes all."""
    for name in FORMATS:
        used = name.replace("-", "_")
        yield f"{used}_text", tool(parameters={"value": {"type": "string", "format": name}})
        yield f"{used}_any", tool(parameters={"value": {"format": name}})


async def disagreements(door: Dispatcher) -> list[str]:
    wrong = []
    for case in cases():
        code = await outcome(door, case.tool, {"value": case.value})
        if code != ("ok" if case.is_valid else "invalid_arguments"):
            wrong.append(f"{case.tool}: {case.description}: {case.value!r}: {code}")
    return wrong


def test_values_are_accepted_exactly_when_they_are_of_their_format(tmp_path: Path) -> None:
    served = Served(tmp_path, dict(tools()))
    count = sum(1 for _ in cases())

    wrong = served.run(Returns(None), disagreements)

    share = 1 - len(wrong) / count
    print(f"{share:.1%} of {count} agree", *wrong, sep="\n")
    assert count > 450
    assert share >= SHARE
    assert [line for line in wrong if ":60" not in line] == []
