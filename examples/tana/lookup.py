"""Finds what a request names, or says what it could have named."""

import json
import sqlite3
from collections import defaultdict
from collections.abc import Sequence

from tana_mcp.models.definitions.node import Node

from .errors import NotFoundError, quoted, unknown
from .text import match_expression, words


def node_number(db: sqlite3.Connection, node_id: str) -> int:
    """Return the number of a node; an unknown id is answered with nodes that have such a name."""
    row = db.execute("SELECT number FROM nodes WHERE id = ?", (node_id,)).fetchone()
    if row is None:
        raise _unknown_node(db, node_id)
    number: int = row[0]
    return number


def supertag_number(db: sqlite3.Connection, name: str) -> int:
    """Return the number of a supertag, whose name may be written with a leading #."""
    row = db.execute("SELECT number FROM supertags WHERE name = ?", (name.lstrip("#"),)).fetchone()
    if row is None:
        known = [row[0] for row in db.execute("SELECT name FROM supertags")]
        raise unknown("supertag", name.lstrip("#"), known, "tana_supertags lists all")
    number: int = row[0]
    return number


def nodes_by_number(db: sqlite3.Connection, numbers: Sequence[int]) -> list[Node]:
    """The nodes of these numbers, in the order asked for."""
    wanted = (json.dumps(numbers),)
    supertags: defaultdict[int, list[str]] = defaultdict(list)
    for number, name in db.execute(
        "SELECT s.node, t.name FROM node_supertags s JOIN supertags t ON t.number = s.supertag"
        " WHERE s.node IN (SELECT value FROM json_each(?)) ORDER BY s.node, t.number",
        wanted,
    ):
        supertags[number].append(name)
    nodes = {
        number: Node(
            id=node_id,
            name=name,
            description=description,
            supertags=supertags[number],
            updated=updated,
        )
        for number, node_id, name, description, updated in db.execute(
            "SELECT number, id, name, description, updated FROM nodes"
            " WHERE number IN (SELECT value FROM json_each(?))",
            wanted,
        )
    }
    return [nodes[number] for number in numbers]


def _unknown_node(db: sqlite3.Connection, node_id: str) -> NotFoundError:
    # A name in the place of an id is the usual mistake.
    rows = db.execute(
        "SELECT id, name FROM nodes WHERE name = ? COLLATE NOCASE LIMIT 3", (node_id,)
    ).fetchall()
    terms = words(node_id)[:8]
    if not rows and terms:
        rows = db.execute(
            "SELECT id, name FROM nodes WHERE number IN"
            " (SELECT rowid FROM nodes_fts WHERE nodes_fts MATCH ? LIMIT 3)",
            ("name : (" + match_expression(terms, "AND") + ")",),
        ).fetchall()
    fact = f"no node has the id {quoted(node_id)}"
    if rows:
        near = ", ".join(f"{known_id} ({quoted(name)})" for known_id, name in rows)
        return NotFoundError(f"{fact}; nodes with such a name: {near}")
    return NotFoundError(f"{fact}; tana_search and tana_tagged return ids")
