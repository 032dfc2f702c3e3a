"""Hard cases of real catalogs go through whole: imported, generated, checked, typed, served, called."""

import json
from pathlib import Path
from typing import Final

import pytest
from toolfold.plan.schemas.served import served_output
from toolfold_runtime import Catalog

from tests.importing.hard_cases import HARD_CASES, HardCase
from tests.importing.material import (
    IMPORT_ALL,
    as_sent,
    catalog,
    exact,
    generated,
    imported,
    list_every_tool,
    names_by_id,
    save,
    tool,
)
from tests.support.checker import strictly_checked
from tests.support.commands import WARNINGS_ARE_ERRORS, program, toolfold
from tests.support.projects import Json
from tests.support.servers import listed_tools

_CALL: Final = """
import asyncio, importlib, json, sys
from toolfold_runtime import ToolError
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.backends.python import backend_of

catalog = importlib.import_module("hard_mcp.server").CATALOG

class Echo:
    def __getattr__(self, method):
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)

executor = Executor(catalog, backend_of(catalog, Echo()))
for line in sys.stdin:
    identity, arguments = json.loads(line)
    try:
        said = asyncio.run(executor.call(catalog.entry(identity), arguments)).text
    except ToolError as error:
        said = error.code
    print(json.dumps(said))
"""


@pytest.fixture(scope="module")
def hard(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All hard cases in one generated project."""
    folder = tmp_path_factory.mktemp("hard")
    manifest = imported(folder, {"server": "hard", "tools": [case.tool for case in HARD_CASES]})
    assert list(names_by_id(manifest)) == [f"hard::{case.name}" for case in HARD_CASES]
    list_every_tool(folder)
    generated(folder)
    return folder


@pytest.fixture(scope="module")
def baked(hard: Path) -> Catalog:
    return catalog(hard)


@pytest.mark.parametrize("case", HARD_CASES, ids=lambda case: case.name[:40])
def test_a_hard_case_is_served_with_its_source_schema(case: HardCase, baked: Catalog) -> None:
    entry = baked.entry(f"hard::{case.name}")

    expected = case.schema if "type" in case.schema else {**case.schema, "type": "object"}
    assert exact(entry.definition.input_schema) == exact(expected)


@pytest.mark.parametrize(
    "case", [c for c in HARD_CASES if c.returns is not None], ids=lambda case: case.name
)
def test_the_result_of_a_hard_case_is_served_as_it_is_or_wrapped(
    case: HardCase, baked: Catalog
) -> None:
    assert case.returns is not None
    served, is_wrapped = served_output(case.returns)
    entry = baked.entry(f"hard::{case.name}")

    assert exact(entry.definition.output_schema) == exact(served)
    assert entry.wraps_result == is_wrapped
    assert entry.definition.listed()["outputSchema"]["type"] == "object"


def test_the_generated_output_is_current(hard: Path) -> None:
    said = toolfold(hard, "check", "--no-cache")

    assert (said.code, said.out) == (0, "")


def test_every_generated_module_imports_without_a_warning(hard: Path) -> None:
    done = program(hard / "generated", WARNINGS_ARE_ERRORS + IMPORT_ALL, "hard_mcp")

    assert done.code == 0, done.err
    assert int(done.out) > len(HARD_CASES)


def test_the_generated_package_passes_strict_type_checking(hard: Path) -> None:
    done = strictly_checked(hard / "generated", "hard_mcp")

    assert done.code == 0, done.text


def test_models_accept_what_the_schema_accepts_and_keep_every_argument(hard: Path) -> None:
    calls = [
        (case, arguments)
        for case in HARD_CASES
        if case.is_usable and case.returns is None
        for arguments in case.accepted
    ]

    said = answers(hard, [(case, arguments) for case, arguments in calls])

    for (case, arguments), text in zip(calls, said, strict=True):
        back = json.loads(text) if text.startswith("{") else text
        assert isinstance(back, dict), (case.name, arguments, text)
        assert {key: back[key] for key in arguments} == arguments, case.name


def test_calls_that_the_schema_rejects_are_refused(hard: Path) -> None:
    calls = [(case, arguments) for case in HARD_CASES for arguments in case.rejected]

    assert set(answers(hard, calls)) == {"invalid_arguments"}


def answers(hard: Path, calls: list[tuple[HardCase, Json]]) -> list[str]:
    """What each call answers, in a process that can import the package."""
    (hard / "calls.jsonl").write_text(
        "".join(json.dumps([f"hard::{c.name}", arguments]) + "\n" for c, arguments in calls),
        encoding="utf-8",
    )
    code = f"import sys; sys.stdin = open({str(hard / 'calls.jsonl')!r})\n{_CALL}"
    done = program(hard / "generated", WARNINGS_ARE_ERRORS + code)
    assert done.code == 0, done.err
    return [json.loads(line) for line in done.out.splitlines()]


def test_every_hard_case_is_listed_over_stdio_as_its_server_described_it(hard: Path) -> None:
    served = {
        found["_meta"]["toolfold/id"]: found
        for found in listed_tools(hard / "generated", "hard_mcp")
        if "toolfold/id" in found.get("_meta", {})
    }

    assert list(served) == [f"hard::{case.name}" for case in HARD_CASES]
    for case in HARD_CASES:
        found = served[f"hard::{case.name}"]
        expected = case.schema if "type" in case.schema else {**case.schema, "type": "object"}
        assert as_sent(found["inputSchema"]) == as_sent(expected), case.name
        assert found["description"] == case.tool["description"]
    annotated = served["hard::annotated"]
    assert annotated["title"] == "Annotated: it"
    assert annotated["annotations"]["title"] == "A"
    assert annotated["annotations"]["readOnlyHint"] is True
    assert annotated["_meta"]["vendor/key"] == {"deep": [1, None]}


@pytest.mark.parametrize(
    "fields",
    [
        {"annotations": {"readOnlyHint": "maybe"}},
        {"annotations": {"destructiveHint": 7}},
        {"annotations": {"title": 5}},
        {"annotations": {"idempotentHint": []}},
        {"annotations": {"openWorldHint": None, "readOnlyHint": None}},
        {"annotations": {"other": {"deep": None}}},
        {"inputSchema": {"type": "object", "properties": []}},
        {"inputSchema": {"type": "object", "properties": {"a": "string", "b": None}}},
        {"inputSchema": {"type": "object", "required": "a"}},
        {"inputSchema": {"type": "object", "required": [1]}},
        {"inputSchema": {"type": "object", "$schema": 7}},
        {"inputSchema": {"type": "object", "$defs": [], "definitions": 5, "allOf": "x"}},
        {"outputSchema": {"type": "object", "properties": []}},
        {"outputSchema": {"type": "object", "required": "a", "$schema": 7}},
        {"outputSchema": {"type": "string", "$schema": 7, "$defs": 5}},
        {"_meta": {"toolfold/id": 5, "progressToken": [], "io.modelcontextprotocol/x": None}},
    ],
)
def test_what_the_protocol_cannot_carry_hides_no_other_tool(fields: Json, tmp_path: Path) -> None:
    tools = [tool("a"), {**tool("odd"), **fields}, tool("z")]
    said = toolfold(tmp_path, "import", "tools", save(tmp_path, tools))

    if said.code == 0:
        generated(tmp_path)
        names = [found["name"] for found in listed_tools(tmp_path / "generated", "demo_mcp")]
        assert names[-3:] == ["a", "odd", "z"]
    else:
        assert said.code == 2
        assert "odd" in said.err
        assert "this is a bug" not in said.err
