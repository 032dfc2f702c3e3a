"""Looking around: supertags, totals, and one node with what is below it."""

import json
import sqlite3

from tana_mcp.models.definitions.child import Child
from tana_mcp.models.definitions.supertag import Supertag
from tana_mcp.models.definitions.supertag_field import SupertagField
from tana_mcp.models.tana_node import TanaNodeParams, TanaNodeResult
from tana_mcp.models.tana_stats import TanaStatsParams, TanaStatsResult
from tana_mcp.models.tana_supertag_info import TanaSupertagInfoParams, TanaSupertagInfoResult
from tana_mcp.models.tana_supertags import TanaSupertagsParams

from .lookup import node_number, nodes_by_number, supertag_number

_COUNTED = (
    "SELECT t.name, t.description,"
    " (SELECT count(*) FROM node_supertags s WHERE s.supertag = t.number) AS uses FROM supertags t"
)


def supertags(db: sqlite3.Connection, params: TanaSupertagsParams) -> list[Supertag]:
    """Supertags by name, or by the number of their nodes, most first."""
    order = "t.name" if params.sort == "name" else "uses DESC, t.name"
    rows = db.execute(f"{_COUNTED} ORDER BY {order} LIMIT ?", (params.limit,))
    return [_supertag(*row) for row in rows]


def supertag_info(db: sqlite3.Connection, params: TanaSupertagInfoParams) -> TanaSupertagInfoResult:
    """A supertag and its fields."""
    number = supertag_number(db, params.supertag)
    row = db.execute(f"{_COUNTED} WHERE t.number = ?", (number,)).fetchone()
    return TanaSupertagInfoResult(supertag=_supertag(*row), fields=fields_of(db, number))


def fields_of(db: sqlite3.Connection, supertag: int) -> list[SupertagField]:
    """The fields that a supertag defines, in order."""
    rows = db.execute(
        "SELECT name, type, options FROM fields WHERE supertag = ? ORDER BY position", (supertag,)
    )
    return [
        SupertagField(name=name, type=kind, options=json.loads(options))
        for name, kind, options in rows
    ]


def stats(db: sqlite3.Connection, params: TanaStatsParams) -> TanaStatsResult:
    """Totals; without nodes there is no last update."""
    nodes, supertags, fields, values, meetings, lines, updated = db.execute(
        "SELECT (SELECT count(*) FROM nodes), (SELECT count(*) FROM supertags),"
        " (SELECT count(DISTINCT name) FROM fields), (SELECT count(*) FROM field_values),"
        " (SELECT count(*) FROM meetings), (SELECT count(*) FROM lines),"
        " (SELECT max(updated) FROM nodes)"
    ).fetchone()
    return TanaStatsResult(
        nodes=nodes,
        supertags=supertags,
        fields=fields,
        field_values=values,
        meetings=meetings,
        transcript_lines=lines,
        last_updated=updated,
    )


def node(db: sqlite3.Connection, params: TanaNodeParams) -> TanaNodeResult:
    """A node, its fields, and the outline below it down to a depth."""
    node_id = params.node_id
    number = node_number(db, node_id)
    parent = db.execute("SELECT parent FROM nodes WHERE number = ?", (number,)).fetchone()[0]
    count = db.execute("SELECT count(*) FROM nodes WHERE parent = ?", (node_id,)).fetchone()[0]
    plain = nodes_by_number(db, [number])[0]
    return TanaNodeResult(
        id=plain.id,
        name=plain.name,
        description=plain.description,
        supertags=plain.supertags,
        updated=plain.updated,
        parent_id=parent,
        fields=_fields_on(db, number),
        child_count=count,
        children=_outline(db, node_id, params.depth, params.limit),
    )


def _supertag(name: str, description: str, count: int) -> Supertag:
    return Supertag(name=name, description=description, count=count)


def _fields_on(db: sqlite3.Connection, number: int) -> dict[str, list[str]]:
    fields: dict[str, list[str]] = {}
    for field, value in db.execute(
        "SELECT field, value FROM field_values WHERE node = ? ORDER BY field, position", (number,)
    ):
        fields.setdefault(field, []).append(value)
    return fields


def _outline(db: sqlite3.Connection, node_id: str, depth: int, limit: int) -> list[Child]:
    """Descendants as an outline reads: a node, then what is below it, then its next sibling."""
    outline: list[Child] = []
    waiting = _children(db, node_id, 1, limit) if depth else []
    while waiting and len(outline) < limit:
        child = waiting.pop()
        outline.append(child)
        if child.level < depth:
            waiting += _children(db, child.id, child.level + 1, limit)
    return outline


def _children(db: sqlite3.Connection, node_id: str, level: int, limit: int) -> list[Child]:
    """Children last to first, so that the first is the next to be taken off the end."""
    rows = db.execute(
        "SELECT id, name FROM nodes WHERE parent = ? ORDER BY position, number LIMIT ?",
        (node_id, limit),
    ).fetchall()
    return [Child(id=child_id, name=name, level=level) for child_id, name in reversed(rows)]
