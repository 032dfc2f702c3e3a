"""The database: its tables, and how a connection to them is opened."""

import sqlite3

from .errors import WorkspaceError

# Marks a file as ours, so that a wrong TANA_DATABASE is refused instead of filled with tables.
_APPLICATION_ID = 0x74616E61
_VERSION = 1

_TABLES = """
CREATE TABLE supertags (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE COLLATE NOCASE,
    description TEXT NOT NULL
);
CREATE TABLE fields (
    supertag INTEGER NOT NULL REFERENCES supertags (number) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    name TEXT NOT NULL COLLATE NOCASE,
    type TEXT NOT NULL,
    options TEXT NOT NULL,
    PRIMARY KEY (supertag, position)
) WITHOUT ROWID;

-- digest: of the record in the export that the node came from; null for a node created here.
CREATE TABLE nodes (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    parent TEXT REFERENCES nodes (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    position INTEGER NOT NULL,
    created TEXT NOT NULL,
    updated TEXT NOT NULL,
    digest BLOB,
    vector BLOB NOT NULL
);
CREATE INDEX node_children ON nodes (parent, position, number);
CREATE INDEX node_names ON nodes (name COLLATE NOCASE);
CREATE INDEX node_updates ON nodes (updated);

-- updated repeats the node's, so that the newest of a supertag are read without a sort.
CREATE TABLE node_supertags (
    supertag INTEGER NOT NULL REFERENCES supertags (number),
    updated TEXT NOT NULL,
    node INTEGER NOT NULL REFERENCES nodes (number) ON DELETE CASCADE,
    PRIMARY KEY (supertag, updated DESC, node)
) WITHOUT ROWID;
CREATE INDEX supertags_of_node ON node_supertags (node, supertag);

CREATE TABLE field_values (
    node INTEGER NOT NULL REFERENCES nodes (number) ON DELETE CASCADE,
    field TEXT NOT NULL COLLATE NOCASE,
    position INTEGER NOT NULL,
    value TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (node, field, position)
) WITHOUT ROWID;
CREATE INDEX values_of_field ON field_values (field, value, node);

CREATE TABLE meetings (
    node INTEGER PRIMARY KEY REFERENCES nodes (number) ON DELETE CASCADE,
    date TEXT NOT NULL,
    line_count INTEGER NOT NULL
);
CREATE INDEX meeting_dates ON meetings (date DESC, node);
CREATE TABLE speakers (
    meeting INTEGER NOT NULL REFERENCES meetings (node) ON DELETE CASCADE,
    name TEXT NOT NULL COLLATE NOCASE,
    PRIMARY KEY (meeting, name)
) WITHOUT ROWID;
CREATE INDEX speaker_names ON speakers (name);
CREATE TABLE lines (
    number INTEGER PRIMARY KEY,
    meeting INTEGER NOT NULL REFERENCES meetings (node) ON DELETE CASCADE,
    line INTEGER NOT NULL,
    speaker TEXT NOT NULL COLLATE NOCASE,
    time TEXT NOT NULL,
    text TEXT NOT NULL,
    UNIQUE (meeting, line)
);

CREATE VIRTUAL TABLE nodes_fts USING fts5 (
    name, body, supertags, tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE lines_fts USING fts5 (
    text, speaker, tokenize = 'porter unicode61 remove_diacritics 2'
);

-- The heaviest postings of a feature come first: a query reads only the head of each list.
CREATE TABLE postings (
    feature INTEGER NOT NULL,
    impact INTEGER NOT NULL,
    node INTEGER NOT NULL,
    PRIMARY KEY (feature, impact DESC, node)
) WITHOUT ROWID;
CREATE TABLE features (feature INTEGER PRIMARY KEY, nodes INTEGER NOT NULL);
"""


def connect(database: str) -> sqlite3.Connection:
    """Open a connection with every table in place, for threads that take turns.

    Transactions are the caller's: nothing begins one behind its back. Raises WorkspaceError
    when the file belongs to another program or cannot be opened.
    """
    db: sqlite3.Connection | None = None
    try:
        db = sqlite3.connect(database, isolation_level=None, check_same_thread=False)
        db.executescript("PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536;")
        _prepare(db)
    except sqlite3.Error as error:
        if db is not None:
            db.close()
        raise WorkspaceError(
            f"the workspace database cannot be opened ({error}); "
            "let TANA_DATABASE name a workspace file or a file that does not exist yet"
        ) from error
    return db


def _prepare(db: sqlite3.Connection) -> None:
    identity = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if (identity, version) == (_APPLICATION_ID, _VERSION):
        return
    if db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise sqlite3.DatabaseError("it was made by another program or another version")
    db.executescript(
        "PRAGMA journal_mode = WAL; BEGIN IMMEDIATE;"
        f"{_TABLES}"
        f"PRAGMA application_id = {_APPLICATION_ID}; PRAGMA user_version = {_VERSION}; COMMIT;"
    )
