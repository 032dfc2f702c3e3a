"""Brings the workspace to the state of an export."""

import json
import sqlite3
from collections import Counter
from pathlib import Path

from tana_mcp.models.tana_sync import TanaSyncParams, TanaSyncResult

from .export import Export, SupertagRecord, read_export
from .records import NodeWriter, digest_of
from .store import Store


def sync(store: Store, params: TanaSyncParams) -> TanaSyncResult:
    """Bring the workspace to the state of an export file, or only count what would change.

    Nodes that were created here and that no export has mentioned yet stay. A second run with the
    same export finds everything unchanged.
    """
    export = read_export(Path(params.path))
    with store.writing(commits=not params.dry_run) as db:
        counts = _apply(db, export)
    return TanaSyncResult(
        added=counts["added"],
        changed=counts["changed"],
        removed=counts["removed"],
        unchanged=counts["unchanged"],
        applied=not params.dry_run,
    )


def _apply(db: sqlite3.Connection, export: Export) -> Counter[str]:
    """Add, change and remove nodes until the exported part of the workspace equals the export."""
    supertags = _store_supertags(db, export.supertags)
    stored: dict[str, tuple[int, bytes | None]] = {
        node_id: (number, digest)
        for node_id, number, digest in db.execute("SELECT id, number, digest FROM nodes")
    }
    writer = NodeWriter(db)
    counts: Counter[str] = Counter()
    counts["removed"] = _remove_missing(writer, stored, {node.id for node in export.nodes})
    siblings: Counter[str | None] = Counter()
    for record in export.nodes:
        digest = digest_of(record)
        position = siblings[record.parent]
        siblings[record.parent] += 1
        if record.id not in stored:
            writer.insert(record, position, digest)
            counts["added"] += 1
            continue
        number, before = stored[record.id]
        if before == digest:
            # An order that changed around a node is not a change of that node.
            db.execute(
                "UPDATE nodes SET position = ?1 WHERE number = ?2 AND position <> ?1",
                (position, number),
            )
            counts["unchanged"] += 1
        else:
            writer.replace(number, record, position, digest)
            counts["changed"] += 1
    writer.finish()
    _drop_unused_supertags(db, supertags)
    return counts


def _remove_missing(
    writer: NodeWriter, stored: dict[str, tuple[int, bytes | None]], exported: set[str]
) -> int:
    gone = [
        number
        for node_id, (number, digest) in stored.items()
        if digest is not None and node_id not in exported
    ]
    for number in gone:
        writer.remove(number)
    return len(gone)


def _store_supertags(db: sqlite3.Connection, supertags: list[SupertagRecord]) -> set[int]:
    """Write the definitions; the numbers of those that the export has."""
    numbers: set[int] = set()
    for supertag in supertags:
        number: int = db.execute(
            "INSERT INTO supertags (name, description) VALUES (?, ?) ON CONFLICT (name) DO UPDATE"
            " SET name = excluded.name, description = excluded.description RETURNING number",
            (supertag.name, supertag.description),
        ).fetchone()[0]
        db.execute("DELETE FROM fields WHERE supertag = ?", (number,))
        db.executemany(
            "INSERT INTO fields VALUES (?, ?, ?, ?, ?)",
            [
                (number, at, field.name, field.type, json.dumps(field.options))
                for at, field in enumerate(supertag.fields)
            ],
        )
        numbers.add(number)
    return numbers


def _drop_unused_supertags(db: sqlite3.Connection, exported: set[int]) -> None:
    stored = [number for (number,) in db.execute("SELECT number FROM supertags")]
    # Nodes that were created here may still carry a supertag that the export dropped.
    db.executemany(
        "DELETE FROM supertags WHERE number = ?"
        " AND NOT EXISTS (SELECT 1 FROM node_supertags WHERE supertag = number)",
        [(number,) for number in stored if number not in exported],
    )
