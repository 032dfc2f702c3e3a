"""The repository's own server, as the TypeScript clients from npm see it."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from tana_mcp.catalog import CATALOG

from tests.clients.tana import DIRECT, GENERATED, META, PACKAGE, ROOT
from tests.clients.typescript import CLIENTS, session
from tests.support.servers import package_command, package_listening

Json = dict[str, Any]

CALLS: Final[dict[str, tuple[str, Json]]] = {
    "inventory": ("tana_capabilities", {}),
    "schema": ("tana_tool_schema", {"tool": "tana_search"}),
    "run": ("tana_run_read", {"tool": "tana_search", "arguments": {"query": "onboarding"}}),
    "direct": ("tana_search", {"query": "onboarding"}),
    "refused": ("tana_run_read", {"tool": "tana_create", "arguments": {"name": "x"}}),
    "invalid": ("tana_search", {"limit": 0}),
    "unknown": ("tana_serch", {}),
}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with package_listening(PACKAGE, GENERATED, "--exposure", "progressive") as server:
        yield server.url


def over_stdio(exposure: str) -> Json:
    program, *arguments = package_command(PACKAGE, "--exposure", exposure)
    return {
        "command": program,
        "args": arguments,
        "env": {"PYTHONPATH": str(GENERATED)},
        "cwd": str(ROOT),
    }


def assert_disclosed(seen: Json, client: str) -> None:
    """The whole walk: list, inventory, schema, call, and errors that say what to do."""
    assert seen["protocol"] == CLIENTS[client]
    assert seen["server"]["name"] == "tana"
    assert seen["instructions"]
    assert [tool["name"] for tool in seen["tools"]] == META
    answers = seen["answers"]
    failed = [label for label, answer in answers.items() if answer.get("isError")]
    assert failed == ["refused", "invalid", "unknown"]
    texts = {label: answer["content"][0]["text"] for label, answer in answers.items()}
    assert "tana_search" in texts["inventory"]
    assert json.loads(texts["schema"])["name"] == "tana_search"
    assert "onboarding" in texts["run"]
    assert answers["direct"]["structuredContent"] == {"result": json.loads(texts["run"])}
    assert "structuredContent" not in answers["run"]  # a runner's text says it once
    assert texts["refused"].startswith("effect_refused: ")
    assert "tana_run_write" in texts["refused"]
    assert texts["invalid"].startswith("invalid_arguments: ")
    assert texts["unknown"].startswith("unknown_tool: ")
    assert "tana_search" in texts["unknown"]


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_walks_the_disclosure_path_over_stdio(client: str, tmp_path: Path) -> None:
    seen = session(client, over_stdio("progressive"), CALLS, tmp_path)

    assert_disclosed(seen, client)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_walks_the_disclosure_path_over_http(
    client: str, url: str, tmp_path: Path
) -> None:
    seen = session(client, {"url": url}, CALLS, tmp_path)

    assert_disclosed(seen, client)


@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_that_validates_results_accepts_those_of_every_listed_tool(
    client: str, tmp_path: Path
) -> None:
    # Clients check structured content against the output schemas that they were listed.
    entries = [CATALOG.entry(name) for name in CATALOG.names()]
    calls = {entry.name: (entry.name, entry.example or {}) for entry in entries}

    seen = session(client, over_stdio("direct"), calls, tmp_path)

    listed = {tool["name"]: tool for tool in seen["tools"]}
    assert set(listed) == {*DIRECT, *calls}
    answers = seen["answers"]
    assert {name: answer for name, answer in answers.items() if answer.get("isError")} == {}
    promised = [name for name in calls if "outputSchema" in listed[name]]
    assert [name for name in calls if "structuredContent" in answers[name]] == promised
    assert promised
