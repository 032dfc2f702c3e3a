"""Two servers on one PostgreSQL, called by real clients: their counts add up, also where one is killed."""

import os
import signal
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, closing
from typing import Final

import anyio
import pytest
from toolfold_runtime.usage.figures import ToolFigures, figures_by_tool
from toolfold_runtime.usage.location import Location
from toolfold_runtime.usage.open import open_store

from tests.support.clients import ERAS, Era, connected
from tests.support.projects import Json, Project, served_by
from tests.support.servers import Listening, listening
from tests.support.waiting import wait_until
from tests.usage.material import counted

_TOOL: Final[Json] = {"category": "all", "effect": "read", "summary": "Do it"}
_TOOLS: Final[dict[str, Json]] = {"fetch": _TOOL, "fail": _TOOL, "here": _TOOL, "there": _TOOL}
_IMPLEMENTATION: Final = """
class Tools:
    def fetch(self, params):
        return "fetched"

    def fail(self, params):
        raise ValueError("no")

    here = there = fetch
"""
_CALLS: Final = 20


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("replicas"), _TOOLS, _IMPLEMENTATION)


def replica(made: Project, location: Location) -> AbstractContextManager[Listening]:
    return listening(made, TOOLFOLD_USAGE=location.target)


def figures(location: Location) -> dict[str, ToolFigures]:
    with closing(open_store(location, is_reader=True)) as store:
        return figures_by_tool(store.totals(0))


def test_the_calls_of_two_replicas_add_up(made: Project, postgres: Location) -> None:
    async def call(url: str, tool_name: str, era: Era) -> None:
        async with connected(url, era) as client:
            for name in ("fetch", "fail", tool_name):
                for _ in range(_CALLS):
                    await client.call_tool(name, {})

    async def call_both(urls: list[str]) -> None:
        async with anyio.create_task_group() as tasks:
            for url, tool_name, era in zip(urls, ("here", "there"), ERAS, strict=True):
                tasks.start_soon(call, url, tool_name, era)

    with replica(made, postgres) as one, replica(made, postgres) as other:
        anyio.run(call_both, [one.url, other.url])
        for server in (one, other):
            server.tell_to_stop()
            assert server.end() in (0, -signal.SIGTERM)
            assert "cannot be recorded" not in server.log

    found = figures(postgres)
    assert {
        name: (tool_figures.calls, tool_figures.failures) for name, tool_figures in found.items()
    } == {
        "running::fail": (2 * _CALLS, 2 * _CALLS),
        "running::fetch": (2 * _CALLS, 0),
        "running::here": (_CALLS, 0),
        "running::there": (_CALLS, 0),
    }


def test_a_replica_that_is_killed_under_load_loses_nothing_that_was_written(
    made: Project, postgres: Location
) -> None:
    answered = 0

    def load(url: str) -> None:
        async def call() -> None:
            nonlocal answered
            async with connected(url) as client:
                while True:
                    await client.call_tool("here", {})
                    answered += 1

        anyio.run(call)

    with (
        replica(made, postgres) as killed,
        replica(made, postgres) as other,
        ThreadPoolExecutor(1) as pool,
    ):
        loaded = pool.submit(load, killed.url)
        wait_until(lambda: answered >= _CALLS, "no call is answered")
        before = answered
        # Written while the calls go on: what is older than a second is in the store.
        wait_until(lambda: counted(postgres) >= before, "nothing is written under load")
        before = answered
        wait_until(lambda: counted(postgres) >= before, "nothing more is written")
        os.kill(killed.process.pid, signal.SIGKILL)
        assert loaded.exception() is not None
        anyio.run(_call_often, other.url)
        other.tell_to_stop()
        assert other.end() in (0, -signal.SIGTERM)

    found = figures(postgres)
    # One more may have been carried out whose answer did not come.
    assert before <= found["running::here"].calls <= answered + 1
    assert found["running::there"].calls == _CALLS


async def _call_often(url: str) -> None:
    async with connected(url) as client:
        for _ in range(_CALLS):
            await client.call_tool("there", {})
