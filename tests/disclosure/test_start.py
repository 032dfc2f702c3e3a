"""Starting: a server reads and imports as little as its first answer needs."""

import json
from typing import Any, Final

import pytest

from tests.disclosure.catalogs import META, sized
from tests.support.commands import Result, program, python
from tests.support.projects import Project, import_path, project

# Serves one in-memory client and says which files of the catalog were opened by then.
_LISTING: Final = """
import json, sys
opened = []
sys.addaudithook(lambda event, args: opened.append(str(args[0])) if event == "open" else None)
import anyio
from mcp import Client
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.serving.protocol import build_server
import {package}.server as generated

server = build_server(Dispatcher(
    generated.CATALOG, generated.META_TOOLS, Executor(generated.CATALOG, backend_of(generated.CATALOG, None)), "progressive"
))

async def ask():
    async with Client(server, mode={era!r}) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        at_first = catalog()
        await client.call_tool("capabilities", {{}})
        inventory = catalog()
        await client.call_tool("tool_schema", {{"tool": "tool_1x3"}})
        return [listed, at_first, inventory, catalog()]

def catalog():
    found = [path.split("/catalog/")[1] for path in opened if "/catalog/" in path]
    return sorted({{path for path in found if path.endswith((".json", ".jsonl"))}})

print(json.dumps(anyio.run(ask)))
"""
_IMPORTED: Final = """
import json, sys
import {package}.server as server
known = set(sys.modules)
server.META_TOOLS["capabilities"]()
server.META_TOOLS["tool_schema"]("tool_1x3")
server.META_TOOLS["search_tools"]("thing")
heavy = {{"mcp", "mcp_types", "pydantic", "pydantic_core", "jsonschema_rs", "anyio", "uvicorn",
         "yaml", "jinja2", "splintr", "toolfold"}}
models = [name for name in sys.modules if name.startswith("{package}.models.")]
print(json.dumps([sorted(heavy & known), sorted(heavy & set(sys.modules)), models]))
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return project(tmp_path_factory.mktemp("start"), sized(3, 10))


def answer(done: Result) -> list[Any]:
    assert done.code == 0, done.err
    printed: list[Any] = json.loads(done.out)
    return printed


@pytest.mark.parametrize("era", ["legacy", "2026-07-28"])
def test_listing_reads_the_servers_own_facts_and_nothing_that_grows(
    era: str, made: Project
) -> None:
    code = _LISTING.format(package=made.package, era=era)

    done = program(made.output, code, environment=import_path(made.output))
    listed, at_first, inventory, schema = answer(done)

    assert listed == META
    assert at_first == ["server.json"]
    assert inventory == ["inventory.jsonl", "server.json"]
    assert set(schema) - set(inventory) == {"names.json", "categories/group_1.jsonl"}


def test_importing_a_server_loads_neither_the_sdk_nor_pydantic_nor_models(made: Project) -> None:
    code = _IMPORTED.format(package=made.package)

    done = python(made.output, "-c", code, environment=import_path(made.output))
    at_first, disclosed, models = answer(done)

    assert at_first == []
    assert disclosed == []
    assert models == []
