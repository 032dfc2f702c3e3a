"""A server whose tools know who calls, over HTTP with and without a verifier of tokens."""

from collections.abc import Iterator

import pytest

from tests.callers.material import IMPLEMENTATION, TOOLS, VERIFIER
from tests.support.projects import Project, served_by
from tests.support.servers import Listening, listening, listening_with_verifier


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
