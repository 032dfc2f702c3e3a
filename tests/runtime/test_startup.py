"""Start-up: nothing grows with the catalog, and nothing loads before it is needed."""

import json
import shutil
from pathlib import Path
from typing import Final

from toolfold_runtime.catalog.catalog import Catalog

from tests.runtime.demo import MANIFEST, PACKAGE, generate
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
