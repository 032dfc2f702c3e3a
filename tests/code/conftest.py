"""A server that runs programs, over HTTP, and a real client of it."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from anyio.from_thread import start_blocking_portal

from tests.callers.material import VERIFIER
from tests.code.material import IMPLEMENTATION, MANIFEST, TOOLS
from tests.support import clients
from tests.support.clients import ERAS, Answer, Era, answer_of
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening, listening_with_verifier

Run = Callable[..., Answer]


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """Each era of the protocol in turn."""
    era: Era = request.param
    return era


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return served_by(tmp_path_factory.mktemp("orders"), TOOLS, IMPLEMENTATION, **MANIFEST)


@pytest.fixture(scope="session")
def server(orders: Project) -> Iterator[Listening]:
    with listening(orders) as running:
        yield running


@pytest.fixture(scope="session")
def guarded(orders: Project) -> Iterator[Listening]:
    """The same tools behind a verifier, which knows who calls."""
    (orders.folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    with listening_with_verifier(orders) as running:
        yield running


@pytest.fixture(scope="session")
def call(server: Listening) -> Iterator[Run]:
    """Calls a tool through a client that stays connected."""
    with (
        start_blocking_portal() as portal,
        portal.wrap_async_context_manager(clients.connected(server.url)) as client,
    ):

        def answered(tool: str, arguments: dict[str, Any]) -> Answer:
            return answer_of(portal.call(client.call_tool, tool, arguments))

        yield answered


@pytest.fixture(scope="session")
def run(call: Run) -> Run:
    """Runs a program."""

    def answered(code: str, tool: str = "run_code") -> Answer:
        return call(tool, {"code": code})

    return answered
