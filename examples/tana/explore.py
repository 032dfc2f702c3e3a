"""Looking around: supertags, totals, and one node with what is below it."""

import json
import sqlite3

from .lookup import node_number, nodes_by_number, supertag_number
from .results import Row

_COUNTED = (
    "SELECT t.name, t.description,"
    " (SELECT count(*) FROM node_supertags s WHERE s.supertag = t.number) AS uses FROM supertags t"
)


def supertags(db: sqlite3.Connection, sort: str, limit: int) -> list[Row]:
    """Supertags by name, or by the number of their nodes, most first."""
    order = "t.name" if sort == "name" else "uses DESC, t.name"
    rows = db.execute(f"{_COUNTED} ORDER BY {order} LIMIT ?", (limit,))
    return [_supertag(row) for row in rows]


def supertag_info(db: sqlite3.Connection, supertag: str) -> Row:
    """Return a supertag and its fields."""
    number = supertag_number(db, supertag)
    row = db.execute(f"{_COUNTED} WHERE t.number = ?", (number,)).fetchone()
    return {"supertag": _supertag(row), "fields": fields_of(db, number)}


def fields_of(db: sqlite3.Connection, supertag: int) -> list[Row]:
    """Return the fields that a supertag defines, in order."""
    rows = db.execute(
        "SELECT name, type, options FROM fields WHERE supertag = ? ORDER BY position", (supertag,)
    )
    return [
        {"name": name, "type": kind, "options": json.loads(options)} for name, kind, options in rows
    ]


def stats(db: sqlite3.Connection) -> Row:
    """Totals; the time of the last update is empty while there are no nodes."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM supertags),"
        " (SELECT count(DISTINCT name) FROM fields), (SELECT count(*) FROM field_values),"
        " (SELECT count(*) FROM meetings), (SELECT count(*) FROM lines),"
        " (SELECT coalesce(max(updated), '') FROM nodes)"
    ).fetchone()
    return {
        "nodes": row[0],
        "supertags": row[1],
        "fields": row[2],
        "field_values": row[3],
        "meetings": row[4],
        "transcript_lines": row[5],
        "last_updated": row[6],
    }


def node(db: sqlite3.Connection, node_id: str, depth: int, limit: int) -> Row:
    """Return a node, its fields, and the outline below it down to a depth."""
    number = node_number(db, node_id)
    parent = db.execute("SELECT parent FROM nodes WHERE number = ?", (number,)).fetchone()[0]
    count = db.execute("SELECT count(*) FROM nodes WHERE parent = ?", (node_id,)).fetchone()[0]
    found = nodes_by_number(db, [number])[0]
    details: Row = {
        "id": found["id"],
        "name": found["name"],
        "description": found["description"],
        "supertags": found["supertags"],
        "updated": found["updated"],
        "fields": _fields_on(db, number),
        "child_count": count,
        "children": _outline(db, node_id, depth, limit),
    }
    if parent is not None:
        details["parent_id"] = parent
    return details


def _supertag(row: tuple[str, str, int]) -> Row:
    return {"name": row[0], "description": row[1], "count": row[2]}


def _fields_on(db: sqlite3.Connection, number: int) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for field, value in db.execute(
        "SELECT field, value FROM field_values WHERE node = ? ORDER BY field, position", (number,)
    ):
        fields.setdefault(field, []).append(value)
    return fields


def _outline(db: sqlite3.Connection, node_id: str, depth: int, limit: int) -> list[Row]:
    """Descendants as an outline reads: a node, then what is below it, then its next sibling."""
    outline: list[Row] = []
    waiting = _children(db, node_id, 1, limit) if depth else []
    while waiting and len(outline) < limit:
        item = waiting.pop()
        outline.append(item)
        if item["level"] < depth:
            waiting += _children(db, item["id"], item["level"] + 1, limit)
    return outline


def _children(db: sqlite3.Connection, node_id: str, level: int, limit: int) -> list[Row]:
    """Children last to first, so that the first is the next to be taken off the end."""
    rows = db.execute(
        "SELECT id, name FROM nodes WHERE parent = ? ORDER BY position, number LIMIT ?",
        (node_id, limit),
    ).fetchall()
    return [{"id": found, "name": name, "level": level} for found, name in reversed(rows)]
