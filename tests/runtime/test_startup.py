"""Start-up: nothing grows with the catalog, and nothing loads before it is needed."""

import json
import shutil
from pathlib import Path
from typing import Final

import anyio
import pytest
from mcp import MCPError
from mcp_types import INVALID_PARAMS
from toolfold_runtime.catalog.catalog import Catalog
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.serving.protocol import build_server

from tests.runtime.demo import MANIFEST, PACKAGE, generate
from tests.support.clients import connected, pages
from tests.support.commands import python
from tests.support.projects import Json, import_path

_LOADED: Final = """
import asyncio, json, sys
import runtime_demo.server as server

def loaded():
    heavy = [name for name in ("mcp", "mcp_types", "pydantic", "jsonschema_rs", "anyio",
             "yaml", "jinja2", "toolfold", "datamodel_code_generator") if name in sys.modules]
    models = [name for name in sys.modules if name.startswith("runtime_demo.models.")]
    return [heavy, models]

steps = [loaded()]
server.capabilities()
server.tool_schema("add")
steps.append(loaded())
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.running.backends.python import backend_of

class Tools:
    def add(self, params):
        return params.a + params.b

catalog = server.CATALOG
asyncio.run(Executor(catalog, backend_of(catalog, Tools())).call(catalog.entry("add"), {"a": 1}))
steps.append(loaded()[1])
print(json.dumps(steps))
"""


def test_importing_the_server_loads_neither_the_sdk_nor_any_models(tmp_path: Path) -> None:
    output = generate(tmp_path, MANIFEST)

    done = python(tmp_path, "-c", _LOADED, environment=import_path(output))

    imported, disclosed, called = json.loads(done.out)
    assert imported == [[], []]
    assert disclosed == [[], []]
    assert called == [f"{PACKAGE}.models.add"]


def many_tools(number: int) -> Json:
    tool = {"category": "all", "effect": "read", "summary": "One of many"}
    return {
        "toolfold": 1,
        "server": {"name": "many", "version": "1", "package": "many_tools"},
        "categories": {"all": {}},
        "tools": {f"tool_{n}": tool for n in range(number)},
    }


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Catalog:
    output = generate(tmp_path_factory.mktemp("many"), many_tools(450))
    return Catalog(output / "many_tools/catalog", "many_tools")


def test_a_long_list_comes_in_pages_that_miss_and_repeat_nothing(many: Catalog) -> None:
    server = build_server(Dispatcher(many, {}, Executor(many, backend_of(many, None)), "direct"))

    shown = pages(server)

    assert len(shown) == 3
    names = [tool.name for page in shown for tool in page]
    assert names == ["capabilities", "tool_schema", *(f"tool_{n}" for n in range(450))]


@pytest.mark.parametrize("cursor", ["x", "-1", "999999", "1e3", "²", " 200", "9" * 5000])
def test_a_cursor_that_was_never_given_is_refused_and_breaks_nothing(
    many: Catalog, cursor: str
) -> None:
    server = build_server(Dispatcher(many, {}, Executor(many, backend_of(many, None)), "direct"))

    async def ask() -> tuple[int, int]:
        async with connected(server) as client:
            with pytest.raises(MCPError, match="list again without one") as caught:
                await client.list_tools(cursor=cursor)
            return caught.value.error.code, len((await client.list_tools()).tools)

    assert anyio.run(ask) == (INVALID_PARAMS, 200)


def test_a_catalog_reads_only_what_it_is_asked_for(tmp_path: Path) -> None:
    manifest = many_tools(3)
    manifest["categories"] = {"all": {}, "other": {}}
    manifest["tools"]["tool_2"] = {**manifest["tools"]["tool_2"], "category": "other"}
    folder = generate(tmp_path, manifest) / "many_tools/catalog"
    shutil.rmtree(folder / "search")
    for name in ("server.json", "inventory.jsonl", "categories/all.jsonl"):
        (folder / name).unlink()
    catalog = Catalog(folder, "many_tools")

    assert catalog.entry("tool_2").name == "tool_2"
    assert catalog.names() == ["tool_0", "tool_1", "tool_2"]
