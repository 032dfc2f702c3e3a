"""The JSON Schema test suite through `run_read`: accepted exactly when valid, and unchanged."""

import asyncio
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urldefrag, urljoin

import pytest
from toolfold_runtime import Catalog, ToolError
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor

from tests.runtime.demo import generate
from tests.support.projects import Json

SUITE: Final = Path(__file__).resolve().parents[3] / "shared/bench/jsonschema/tests/draft2020-12"
PACKAGE: Final = "json_schema_suite"
#: Known to every validator, so not outside.
META_SCHEMA: Final = "https://json-schema.org/draft/2020-12/"

pytestmark = pytest.mark.long


@dataclass(frozen=True)
class Group:
    """One schema of the suite, and the values that are tried against it."""

    tool: str
    name: str
    schema: Any
    tests: list[Json]


class Echo:
    """Answers every tool with what reached its method."""

    def __getattr__(self, name: str) -> Any:
        return lambda params: params.model_dump(by_alias=True, exclude_unset=True)


def groups() -> Iterator[Group]:
    """Every required group whose references stay inside its schema."""
    files = sorted(SUITE.glob("*.json"))
    assert files, f"{SUITE} is not there"
    for file in files:
        for number, group in enumerate(json.loads(file.read_bytes())):
            found = set(uris(group["schema"], "urn:root"))
            documents = {uri for key, uri in found if key == "$id"} | {"urn:root"}
            outside = {
                uri
                for key, uri in found
                if key != "$id" and uri not in documents and not uri.startswith(META_SCHEMA)
            }
            if not outside:
                name = f"{file.stem}: {group['description']}"
                tool = f"{file.stem.replace('-', '_')}_{number}".lower()
                yield Group(tool, name, group["schema"], group["tests"])


def uris(schema: Any, base: str) -> Iterator[tuple[str, str]]:
    """Every document that a schema names or refers to, as an absolute address."""
    if isinstance(schema, list):
        for inner in schema:
            yield from uris(inner, base)
    if not isinstance(schema, dict):
        return
    if isinstance(schema.get("$id"), str):
        base = urldefrag(absolute(base, schema["$id"])).url
        yield "$id", base
    for key in ("$ref", "$dynamicRef", "$schema"):
        if isinstance(schema.get(key), str):
            yield key, urldefrag(absolute(base, schema[key])).url
    for key, inner in schema.items():
        if key not in ("const", "enum"):
            yield from uris(inner, base)


def absolute(base: str, reference: str) -> str:
    if reference.startswith("#") or not reference:
        return f"{base}{reference}"
    return urljoin(base, reference)


def tool_of(group: Group) -> Json:
    """A tool whose one parameter has this schema, a document of its own."""
    schema = group.schema
    if isinstance(schema, dict) and "$id" not in schema:
        schema = {"$id": f"urn:suite:{group.tool}", **schema}
    whole = {"type": "object", "properties": {"value": schema}, "required": ["value"]}
    return {"category": "all", "effect": "read", "summary": "One", "input_schema": whole}


def dispatcher(folder: Path) -> Dispatcher:
    """A server with a tool for every schema of the suite."""
    manifest = {
        "toolfold": 1,
        "server": {"name": "suite", "version": "1", "package": PACKAGE},
        "categories": {"all": {}},
        "tools": {group.tool: tool_of(group) for group in groups()},
    }
    output = generate(folder, manifest)
    sys.path.insert(0, str(output))
    catalog = Catalog(output / PACKAGE / "catalog", PACKAGE)
    return Dispatcher(catalog, {}, Executor(catalog, backend_of(catalog, Echo())))


async def outcomes(served: Dispatcher) -> tuple[int, list[str]]:
    """How many values were tried, and where the answer was not what the suite says."""
    count, wrong = 0, []
    for group in groups():
        for test in group.tests:
            count += 1
            found = await outcome(served, group.tool, test["data"])
            expected = "accepted" if test["valid"] else "invalid_arguments"
            if found != expected:
                wrong.append(f"{group.name}: {test['description']}: {found}")
    return count, wrong


async def outcome(served: Dispatcher, tool: str, value: Any) -> str:
    given = {"tool": tool, "arguments": {"value": value}}
    try:
        reply = await served.call("run_read", given)
    except ToolError as error:
        return error.code if error.code == "invalid_arguments" else str(error)
    reached = json.loads(reply.texts[0])["value"]
    return "accepted" if reached == value else f"changed to {reached}"


def test_every_value_is_accepted_exactly_when_it_is_valid(tmp_path: Path) -> None:
    count, wrong = asyncio.run(outcomes(dispatcher(tmp_path)))

    print(f"{count - len(wrong)} of {count} right")
    assert count > 1200
    assert "\n".join(wrong) == ""
