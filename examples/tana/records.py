"""Writes nodes together with every index that has to agree with them."""

import hashlib
import sqlite3
from itertools import chain

from .export import NodeRecord, TranscriptRecord
from .vectors import VectorWriter


def digest_of(record: NodeRecord) -> bytes:
    """Return a short value that is the same exactly while the record says the same."""
    return hashlib.blake2b(record.model_dump_json().encode(), digest_size=16).digest()


class NodeWriter:
    """Inserts, replaces and removes nodes inside the caller's transaction.

    Supertags must be stored before a node that carries them is. `finish` must be called before
    the commit.
    """

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._vectors = VectorWriter(db)
        self._supertags: dict[str, int] = {
            name.casefold(): number
            for number, name in db.execute("SELECT number, name FROM supertags")
        }

    def insert(self, record: NodeRecord, position: int, digest: bytes | None) -> None:
        """Store a new node; without a digest it is one that no export knows."""
        cursor = self._db.execute(
            "INSERT INTO nodes (id, name, description, parent, position, created, updated, digest,"
            " vector) VALUES (?, ?, ?, ?, ?, ?, ?, ?, x'') RETURNING number",
            (*_columns(record), position, record.created, record.updated, digest),
        )
        self._attach(cursor.fetchone()[0], record)

    def replace(self, number: int, record: NodeRecord, position: int, digest: bytes) -> None:
        """Let a stored node say what the record says."""
        self._detach(number)
        self._db.execute(
            "UPDATE nodes SET id = ?, name = ?, description = ?, parent = ?, position = ?,"
            " created = ?, updated = ?, digest = ? WHERE number = ?",
            (*_columns(record), position, record.created, record.updated, digest, number),
        )
        self._attach(number, record)

    def remove(self, number: int) -> None:
        """Delete a node; nodes below it that stay move to the top of the tree."""
        self._detach(number)
        self._db.execute("DELETE FROM nodes WHERE number = ?", (number,))

    def finish(self) -> None:
        """Complete the indexes."""
        self._vectors.finish()

    def _attach(self, number: int, record: NodeRecord) -> None:
        supertags = [self._supertags[name.casefold()] for name in record.supertags]
        values = [
            (number, field, at, value)
            for field, given in record.fields.items()
            for at, value in enumerate({value.casefold(): value for value in given}.values())
        ]
        self._db.executemany(
            "INSERT INTO node_supertags VALUES (?, ?, ?)",
            [(supertag, record.updated, number) for supertag in supertags],
        )
        self._db.executemany("INSERT INTO field_values VALUES (?, ?, ?, ?)", values)
        body = "\n".join(chain([record.description], (value for _, _, _, value in values)))
        self._db.execute(
            "INSERT INTO nodes_fts (rowid, name, body, supertags) VALUES (?, ?, ?, ?)",
            (number, record.name, body, " ".join(map(supertag_token, supertags))),
        )
        vector = self._vectors.add(number, f"{record.name}\n{record.description}")
        self._db.execute("UPDATE nodes SET vector = ? WHERE number = ?", (vector, number))
        if record.transcript is not None:
            self._attach_transcript(number, record.transcript)

    def _attach_transcript(self, number: int, transcript: TranscriptRecord) -> None:
        db, lines = self._db, transcript.lines
        db.execute("INSERT INTO meetings VALUES (?, ?, ?)", (number, transcript.date, len(lines)))
        db.executemany(
            "INSERT OR IGNORE INTO speakers VALUES (?, ?)", [(number, ln.speaker) for ln in lines]
        )
        for at, line in enumerate(lines, 1):
            cursor = db.execute(
                "INSERT INTO lines (meeting, line, speaker, time, text) VALUES (?, ?, ?, ?, ?)",
                (number, at, line.speaker, line.time, line.text),
            )
            db.execute(
                "INSERT INTO lines_fts (rowid, text, speaker) VALUES (?, ?, ?)",
                (cursor.lastrowid, line.text, line.speaker),
            )

    def _detach(self, number: int) -> None:
        db = self._db
        vector = db.execute("SELECT vector FROM nodes WHERE number = ?", (number,)).fetchone()[0]
        self._vectors.remove(number, vector)
        db.execute("DELETE FROM nodes_fts WHERE rowid = ?", (number,))
        db.execute(
            "DELETE FROM lines_fts WHERE rowid IN (SELECT number FROM lines WHERE meeting = ?)",
            (number,),
        )
        db.execute("DELETE FROM meetings WHERE node = ?", (number,))
        db.execute("DELETE FROM node_supertags WHERE node = ?", (number,))
        db.execute("DELETE FROM field_values WHERE node = ?", (number,))


def supertag_token(number: int) -> str:
    """Return the word that stands for a supertag in the full-text index.

    A number, because names may be several words or parts of each other.
    """
    return f"tag{number}"


def _columns(record: NodeRecord) -> tuple[str, str, str, str | None]:
    return record.id, record.name, record.description, record.parent
