"""A server whose tools know who calls, over HTTP with and without a verifier of tokens."""

from collections.abc import Iterator

import pytest

from tests.callers import questions
from tests.callers.material import IMPLEMENTATION, TOOLS, VERIFIER
from tests.support.clients import ERAS, Era
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening, listening_with_verifier


@pytest.fixture(params=ERAS)
def era(request: pytest.FixtureRequest) -> Era:
    """Each era of the protocol in turn."""
    era: Era = request.param
    return era


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = served_by(
        tmp_path_factory.mktemp("orders"),
        TOOLS,
        IMPLEMENTATION,
        disclosure={"exposure": "progressive"},
    )
    (made.folder / "checks.py").write_text(VERIFIER, encoding="utf-8")
    return made


@pytest.fixture(scope="session")
def guarded(orders: Project) -> Iterator[Listening]:
    """With a verifier."""
    with listening_with_verifier(orders) as server:
        yield server


@pytest.fixture(scope="session")
def unguarded(orders: Project) -> Iterator[Listening]:
    """Without one, on loopback."""
    with listening(orders) as server:
        yield server


@pytest.fixture(scope="session")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Tools whose methods ask the user."""
    return served_by(
        tmp_path_factory.mktemp("asking"),
        questions.TOOLS,
        questions.IMPLEMENTATION,
        disclosure={"exposure": "progressive"},
    )


@pytest.fixture(scope="session")
def asked_over_http(asking: Project) -> Iterator[Listening]:
    with listening(asking) as server:
        yield server
