"""One SQLite database, and how operations on it are carried out."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from .errors import WorkspaceError
from .schema import connect

Params = TypeVar("Params")
Result = TypeVar("Result")


class Store:
    """A workspace in one SQLite database; any thread may call any method."""

    def __init__(self, database: str = ":memory:") -> None:
        # One connection behind one lock: a database in memory belongs to its connection, and
        # reads take milliseconds, so a connection for each thread would gain little.
        self._lock = threading.Lock()
        self._db = connect(database)

    def close(self) -> None:
        """Release the database; the store is of no use afterwards."""
        with self._lock:
            self._db.close()

    def read(
        self, operation: Callable[[sqlite3.Connection, Params], Result], params: Params
    ) -> Result:
        """The result of an operation that changes nothing."""
        with self._lock, _sqlite_errors():
            return operation(self._db, params)

    def write(
        self, operation: Callable[[sqlite3.Connection, Params], Result], params: Params
    ) -> Result:
        """The result of an operation whose changes are all stored, or none when it fails."""
        with self.writing() as db:
            return operation(db, params)

    @contextmanager
    def writing(self, commits: bool = True) -> Iterator[sqlite3.Connection]:
        """A transaction that is rolled back when anything fails, or when it is not to commit."""
        with self._lock, _sqlite_errors():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT" if commits else "ROLLBACK")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


@contextmanager
def _sqlite_errors() -> Iterator[None]:
    """Turn a database that cannot be used into an error that a caller can act on."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise WorkspaceError(
            f"the workspace database could not be used ({error}); try again in a moment"
        ) from error
