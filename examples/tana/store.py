"""The workspace as its callers see it: one method for each tool of tools.yaml.

Parameters are named like the tool's parameters and have the same defaults; results are plain
dictionaries and lists in the shape of the tool's `returns`.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from . import explore, transcripts
from . import query as _query
from .create import create as create_node
from .errors import WorkspaceError
from .export import read_export
from .results import Row
from .schema import connect
from .sync import apply_export

__all__ = ["Store", "WorkspaceError", "open_store"]

_SAMPLE = Path(__file__).with_name("sample.json")

Result = TypeVar("Result")


def open_store() -> "Store":
    """Open the database that TANA_DATABASE names, or the sample in memory when it names none."""
    database = os.environ.get("TANA_DATABASE")
    store = Store(database or ":memory:")
    if not database:
        store.sync(path=str(_SAMPLE))
    return store


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

    def search(self, *, query: str, supertag: str | None = None, limit: int = 20) -> list[Row]:
        """Nodes that contain the words of the query."""
        return self._read(lambda db: _query.search(db, query, supertag, limit))

    def tagged(
        self,
        *,
        supertag: str,
        field: str | None = None,
        value: str | None = None,
        limit: int = 20,
        offset: int = 0,
    ) -> list[Row]:
        """Nodes that carry a supertag, newest change first."""
        return self._read(lambda db: _query.tagged(db, supertag, field, value, limit, offset))

    def semantic_search(self, *, query: str, limit: int = 10, min_score: float = 0.1) -> list[Row]:
        """Nodes that resemble the query; see `vectors` for what that means."""
        return self._read(lambda db: _query.semantic_search(db, query, limit, min_score))

    def field_values(
        self, *, field: str, supertag: str | None = None, limit: int = 50
    ) -> list[Row]:
        """Count the values of a field."""
        return self._read(lambda db: _query.field_values(db, field, supertag, limit))

    def supertags(self, *, sort: str = "count", limit: int = 50) -> list[Row]:
        """List the supertags and how many nodes carry each."""
        return self._read(lambda db: explore.supertags(db, sort, limit))

    def stats(self) -> Row:
        """Return the totals of the workspace."""
        return self._read(explore.stats)

    def supertag_info(self, *, supertag: str) -> Row:
        """Return a supertag and the fields it defines."""
        return self._read(lambda db: explore.supertag_info(db, supertag))

    def node(self, *, node_id: str, depth: int = 1, limit: int = 50) -> Row:
        """One node with its fields and the outline below it."""
        return self._read(lambda db: explore.node(db, node_id, depth, limit))

    def transcript_list(
        self, *, speaker: str | None = None, since: str | None = None, limit: int = 20
    ) -> list[Row]:
        """Meetings that have a transcript, latest first."""
        return self._read(lambda db: transcripts.transcript_list(db, speaker, since, limit))

    def transcript_show(
        self, *, meeting_id: str, speaker: str | None = None, start: int = 1, limit: int = 50
    ) -> Row:
        """Return a stretch of a meeting's transcript."""
        return self._read(
            lambda db: transcripts.transcript_show(db, meeting_id, speaker, start, limit)
        )

    def transcript_search(
        self, *, query: str, speaker: str | None = None, limit: int = 20
    ) -> list[Row]:
        """Transcript lines that contain the words of the query."""
        return self._read(lambda db: transcripts.transcript_search(db, query, speaker, limit))

    def create(
        self,
        *,
        name: str,
        description: str = "",
        supertags: list[str] | None = None,
        fields: dict[str, list[str]] | None = None,
        children: list[str] | None = None,
        parent_id: str | None = None,
    ) -> Row:
        """Store a new node with everything that was asked for, or nothing."""
        with self._writing() as db:
            return create_node(
                db, name, description, supertags or [], fields or {}, children or [], parent_id
            )

    def sync(self, *, path: str, dry_run: bool = False) -> Row:
        """Bring the workspace to the state of an export file, or only say what would change."""
        export = read_export(Path(path))
        with self._writing(keep=not dry_run) as db:
            counts = apply_export(db, export)
        return {**counts, "applied": not dry_run}

    def _read(self, operation: Callable[[sqlite3.Connection], Result]) -> Result:
        with self._lock, _problems_told():
            return operation(self._db)

    @contextmanager
    def _writing(self, keep: bool = True) -> Iterator[sqlite3.Connection]:
        """Hold a transaction that is undone when anything fails, or is not to be kept."""
        with self._lock, _problems_told():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield self._db
                self._db.execute("COMMIT" if keep else "ROLLBACK")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                raise


@contextmanager
def _problems_told() -> Iterator[None]:
    """Turn what SQLite refuses into an answer that a caller can act on."""
    try:
        yield
    except UnicodeEncodeError as error:
        raise WorkspaceError("the text is not valid Unicode; send it without surrogates") from error
    except sqlite3.OperationalError as error:
        raise WorkspaceError(
            f"the workspace database could not be used ({error}); try again in a moment"
        ) from error
