"""The figures that this repository's own server has to show, in o200k tokens.

For listed tools name, description and inputSchema count, as compact JSON.
"""

import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
import yaml
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor
from toolfold_runtime.serving.protocol import build_server

from tests.disclosure.catalogs import Baked, compact, listed_tokens, sized, tokens
from tests.support.clients import call, listed
from tests.support.projects import Json

ROOT: Final = Path(__file__).parents[2]
MANIFEST: Final[Json] = yaml.safe_load((ROOT / "tools.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def tana(tmp_path_factory: pytest.TempPathFactory) -> Baked:
    return Baked(tmp_path_factory.mktemp("tana"), MANIFEST)


@pytest.fixture(scope="module")
def served() -> Iterator[Any]:
    """The committed package with its real implementation, everything behind meta-tools."""
    module = importlib.import_module("tana_mcp.server")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("TANA_DATABASE", raising=False)
        workspace = importlib.import_module("examples.tana.workspace").Workspace()
    executor = Executor(module.CATALOG, backend_of(module.CATALOG, workspace))
    yield build_server(Dispatcher(module.CATALOG, module.META_TOOLS, executor, "progressive"))
    workspace.close()


def surface(baked: Baked) -> int:
    return sum(listed_tokens(tool.listed()) for tool in baked.catalog.facts.meta_tools)


def test_surface_of_the_five_meta_tools_is_at_most_350(tana: Baked, tmp_path: Path) -> None:
    plain = Baked(tmp_path, sized(1, 1))

    assert len(tana.catalog.facts.meta_tools) == 5
    assert surface(tana) <= 350
    assert surface(plain) <= 350


def test_surface_and_inventory_cost_at_most_half_of_all_tools_listed(tana: Baked) -> None:
    catalog = tana.catalog
    everything = sum(
        listed_tokens(catalog.entry(name).definition.listed()) for name in catalog.names()
    )

    assert surface(tana) + tokens(catalog.inventory()) <= everything / 2


def test_inventory_has_an_example_per_tool_within_500(tana: Baked) -> None:
    text = tana.catalog.inventory()
    shown = [tool for group in json.loads(text)["categories"] for tool in group["tools"]]

    assert {tool["name"] for tool in shown} >= set(MANIFEST["tools"])
    assert [tool["name"] for tool in shown if not tool.get("example")] == []
    assert tokens(text) < 500


@pytest.mark.parametrize("form", ["json", "text"])
def test_overview_is_under_100_and_counts_at_most_40(form: str, tana: Baked) -> None:
    assert tokens(tana.catalog.inventory(detail="overview", format=form)) < 100
    assert tokens(tana.catalog.inventory(detail="counts", format=form)) <= 40


@pytest.mark.parametrize("tool", MANIFEST["tools"])
def test_each_tools_schema_is_under_300(tool: str, tana: Baked) -> None:
    assert tokens(tana.catalog.details(tool)) < 300


@pytest.mark.parametrize("form", ["json", "text"])
@pytest.mark.parametrize("detail", ["names", "summaries", "full"])
@pytest.mark.parametrize("category", MANIFEST["categories"])
def test_any_category_costs_less_than_the_whole(
    category: str, detail: str, form: str, tana: Baked
) -> None:
    one = tana.catalog.inventory(category=category, detail=detail, format=form)
    whole = tana.catalog.inventory(detail=detail, format=form)

    assert tokens(one) < tokens(whole)


def test_costs_that_budget_prints_are_what_the_server_sends(tana: Baked) -> None:
    costs = {cost.name: cost.tokens for cost in tana.plan.costs}
    catalog = tana.catalog

    assert costs["surface"] == surface(tana)
    assert costs["every tool listed"] == sum(
        listed_tokens(catalog.entry(name).definition.listed()) for name in catalog.names()
    )
    assert {name: costs[name] for name in MANIFEST["tools"]} == {
        name: tokens(catalog.details(name)) for name in MANIFEST["tools"]
    }


# Three tasks, walked by a scripted client that knows nothing but what it was told.


class Walk:
    """An agent's way through the server, with what every answer cost it."""

    def __init__(self, server: Any) -> None:
        self.server = server
        self.schemas = 0
        definitions = [tool.model_dump(by_alias=True) for tool in listed(server)]
        self.cost = sum(listed_tokens(definition) for definition in definitions)

    def ask(self, name: str, /, **arguments: Any) -> str:
        answer = call(self.server, name, arguments)
        assert not answer.is_error, answer.text
        self.cost += tokens(compact({"name": name, "arguments": arguments})) + tokens(answer.text)
        return answer.text

    def inventory(self) -> set[str]:
        groups = json.loads(self.ask("tana_capabilities"))["categories"]
        return {tool["name"] for group in groups for tool in group["tools"]}

    def schemas_of(self, *names: str) -> list[Json]:
        self.schemas += len(names)
        text = self.ask("tana_tool_schema", tool=", ".join(names))
        return [json.loads(line) for line in text.split("\n")]

    def run(self, schema: Json, **arguments: Any) -> Any:
        runner = "tana_run_read" if schema["effect"] == "read" else "tana_run_write"
        assert set(arguments) <= set(schema["parameters"]["properties"])
        return json.loads(self.ask(runner, tool=schema["name"], arguments=arguments))

    def finish(self, task: str) -> None:
        print(f"{task}: {self.cost} tokens, {self.schemas} schemas")
        assert self.schemas <= 2


def test_a_search_takes_at_most_two_schemas(served: Any) -> None:
    walk = Walk(served)
    assert "tana_search" in walk.inventory()
    search, node = walk.schemas_of("tana_search", "tana_node")

    hits = walk.run(search, query="onboarding")
    shown = walk.run(node, node_id=hits[0]["id"])

    assert shown["id"] == hits[0]["id"]
    walk.finish("search")


def test_a_creation_takes_at_most_two_schemas(served: Any) -> None:
    walk = Walk(served)
    assert "tana_create" in walk.inventory()
    create, node = walk.schemas_of("tana_create", "tana_node")

    made = walk.run(create, name="Call Ada about the launch")
    shown = walk.run(node, node_id=made["id"])

    assert shown["name"] == "Call Ada about the launch"
    walk.finish("create")


def test_a_meeting_summary_takes_at_most_two_schemas(served: Any) -> None:
    walk = Walk(served)
    assert {"tana_transcript_list", "tana_transcript_show", "tana_create"} <= walk.inventory()
    meetings = json.loads(walk.ask("tana_run_read", tool="tana_transcript_list"))
    show, create = walk.schemas_of("tana_transcript_show", "tana_create")

    transcript = walk.run(show, meeting_id=meetings[0]["id"])
    made = walk.run(create, name="Summary", description=str(transcript)[:200])

    assert made["id"]
    walk.finish("meeting summary")
