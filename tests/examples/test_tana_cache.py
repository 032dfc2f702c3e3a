"""Cached answers of the workspace: kept, cleared by changes and on request, counted."""

import asyncio
import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tana_mcp.models.tana_create import TanaCreateParams
from toolfold_runtime.disclosure.dispatch import Dispatcher
from toolfold_runtime.running.backends.python import backend_of
from toolfold_runtime.running.execute import Executor

from examples.tana.workspace import Workspace


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Dispatcher]:
    """The committed server over an empty database in a file."""
    monkeypatch.setenv("TANA_DATABASE", str(tmp_path / "workspace.db"))
    module = importlib.import_module("tana_mcp.server")
    workspace = Workspace()
    backend = backend_of(module.CATALOG, workspace)
    yield Dispatcher(module.CATALOG, module.META_TOOLS, Executor(module.CATALOG, backend))
    workspace.close()


def run(served: Dispatcher, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """The answers to calls made one after the other."""

    async def answers() -> list[Any]:
        results = [await served.call(name, arguments) for name, arguments in calls]
        return [json.loads(result.texts[0]) for result in results]

    return asyncio.run(answers())


def test_clearing_says_how_many_answers_were_dropped_and_how_often_one_was_there(
    served: Dispatcher,
) -> None:
    *_, first, second = run(
        served,
        ("tana_stats", {}),
        ("tana_stats", {}),
        ("tana_supertags", {}),
        ("tana_cache_clear", {}),
        ("tana_cache_clear", {}),
    )

    assert first == {"dropped": 2, "hits": 1, "misses": 2}
    assert second == {"dropped": 0, "hits": 1, "misses": 2}


def test_a_change_through_a_tool_is_seen_at_once(served: Dispatcher) -> None:
    before, _, after = run(
        served, ("tana_stats", {}), ("tana_create", {"name": "New"}), ("tana_stats", {})
    )

    assert (before["nodes"], after["nodes"]) == (0, 1)


def test_another_programs_change_is_seen_when_the_cache_is_cleared(served: Dispatcher) -> None:
    theirs = Workspace()
    assert run(served, ("tana_stats", {}))[0]["nodes"] == 0
    theirs.tana_create(TanaCreateParams(name="Shared"))
    theirs.close()

    hidden, _, seen = run(served, ("tana_stats", {}), ("tana_cache_clear", {}), ("tana_stats", {}))

    assert (hidden["nodes"], seen["nodes"]) == (0, 1)
