"""What a manifest's schemas are held to, through the compiler's door."""

import json
from pathlib import Path
from typing import Any

import pytest
from toolfold.compile import plan_manifest
from toolfold.errors import ManifestError
from toolfold.manifest.load import load
from toolfold.plan.model import Plan
from toolfold_runtime.contract.codec import decode
from toolfold_runtime.contract.tool import ToolEntry

from tests.support.commands import toolfold_process

HEAD = """\
toolfold: 1
server: {name: demo, version: "1"}
categories: {all: {}}
tools:
  one:
    category: all
    effect: read
    summary: One
"""


def manifest_with(tmp_path: Path, body: str) -> Path:
    path = tmp_path / "tools.yaml"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    path.write_text(HEAD + lines, encoding="utf-8")
    return path


def plan_of(tmp_path: Path, body: str) -> Plan:
    return plan_manifest(load(manifest_with(tmp_path, body)))


def definition(plan: Plan) -> Any:
    """The one tool as it is listed."""
    entry = json.loads(plan.data["categories/all.jsonl"].splitlines()[-1])
    return decode(ToolEntry, entry).definition.listed()


def facts(tmp_path: Path, body: str) -> list[str]:
    with pytest.raises(ManifestError) as raised:
        plan_of(tmp_path, body)
    return [problem.fact for problem in raised.value.problems]


@pytest.mark.parametrize("pattern", [r"^\\p{L}+$", r"(?<=a)b", r"^\\d{4}$", r"(?<year>\\d+)"])
def test_patterns_are_those_of_ecma_262(pattern: str, tmp_path: Path) -> None:
    assert plan_of(tmp_path, f'parameters: {{a: {{type: string, pattern: "{pattern}"}}}}').tools


def test_a_pattern_that_backtracks_without_end_does_not_hang(tmp_path: Path) -> None:
    value = "a" * 60 + "b"
    body = f'parameters: {{a: {{type: string, pattern: "^(a+)+$", default: {value}}}}}'
    manifest_with(tmp_path, body)

    done = toolfold_process(tmp_path, "check")  # whatever does not end here is killed, and fails

    assert done.code == 1
    assert done.err.count("tools.yaml:") == 1


def test_whole_numbers_may_be_written_with_a_point(tmp_path: Path) -> None:
    assert plan_of(tmp_path, "parameters: {a: {type: integer, default: 1.0}}").tools


def test_an_unknown_argument_in_an_example_is_refused(tmp_path: Path) -> None:
    body = "parameters: {query: {type: string}}\nexamples: [{arguments: {qury: x}}]"
    found = facts(tmp_path, body)

    assert len(found) == 1
    assert "qury" in found[0]


def test_all_problems_of_all_schemas_are_found_in_one_run(tmp_path: Path) -> None:
    body = (
        "parameters: {a: {type: strng}, b: {pattern: '('}, c: {$ref: '#/$defs/X'}}\n"
        "returns: {type: object, propertys: {}}"
    )

    assert len(facts(tmp_path, body)) == 4


@pytest.mark.parametrize(
    "returns",
    [
        "{type: object, properties: {again: {$ref: '#'}}}",
        "{type: array, items: {type: array, items: {type: string}}}",
        "{anyOf: [{type: string}, {type: 'null'}]}",
        "{enum: [a, b]}",
        "{}",
    ],
)
def test_any_root_of_returns_is_served_as_an_object(returns: str, tmp_path: Path) -> None:
    if "'#'" in returns:
        # A hand-written schema refers to `$defs` only; a foreign one may refer to its own root.
        plan = plan_of(tmp_path, f"output_schema: {returns}")
    else:
        plan = plan_of(tmp_path, f"returns: {returns}")

    assert definition(plan)["outputSchema"]["type"] == "object"


def test_a_reference_to_the_root_follows_it_into_the_wrapper(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, "output_schema: {type: array, items: {$ref: '#'}}")

    served = definition(plan)["outputSchema"]
    assert served["properties"]["result"]["items"] == {"$ref": "#/properties/result"}


def test_a_foreign_schema_is_served_key_by_key_as_it_came(tmp_path: Path) -> None:
    body = (
        "input_schema:\n"
        "  required: [b]\n"
        "  x-vendor: {default: [1]}\n"
        "  properties: {b: {type: integer, minimum: '1'}, a: {default: 5, type: string}}\n"
        "  type: object"
    )
    plan = plan_of(tmp_path, body)

    served = definition(plan)["inputSchema"]
    assert list(served) == ["required", "x-vendor", "properties", "type"]
    assert list(served["properties"]) == ["b", "a"]
    assert served["properties"]["b"] == {"type": "integer", "minimum": "1"}


def test_a_schema_as_deep_as_yaml_may_be_is_planned(tmp_path: Path) -> None:
    deep = "{type: array, items: " * 28 + "{type: string}" + "}" * 28

    assert plan_of(tmp_path, f"parameters: {{a: {deep}}}").tools
