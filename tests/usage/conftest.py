"""Both databases, really: SQLite, and a PostgreSQL server that the tests start."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from toolfold_runtime.usage.location import Location

from tests.support.postgres import Server, new_database, own_server, shared_server


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The DSN of a server that all processes of this run share."""
    with shared_server(tmp_path_factory.getbasetemp()) as dsn:
        yield dsn


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[Location]:
    """An empty database."""
    with new_database(postgres_server) as dsn:
        yield Location("postgres", dsn)


@pytest.fixture
def stoppable(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of a test's own, to be stopped and started again."""
    with own_server(tmp_path_factory.getbasetemp()) as server:
        yield server


@pytest.fixture
def sqlite(tmp_path: Path) -> Location:
    """A file that is not there yet."""
    return Location("sqlite", str(tmp_path / "usage.db"))


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest) -> Location:
    """Each of both in turn."""
    found: Location = request.getfixturevalue(request.param)
    return found
