"""Finding nodes: by words, by supertag, by similarity, by field."""

import sqlite3

from .errors import WorkspaceError, unknown
from .lookup import nodes_by_number, supertag_number
from .records import supertag_token
from .results import Row
from .text import excerpt, match_expression, query_words
from .vectors import similar

# Ranking every match of a word that half of the nodes contain would take longer than all the
# rest, and its order would mean little: beyond this many, those stored last are ranked.
_RANKED = 4000

# Up to this many nodes with a value, starting from the value is the faster way.
_FEW_VALUES = 2000
_FROM_THE_VALUE = """
    SELECT s.node FROM field_values v
    CROSS JOIN node_supertags s ON s.node = v.node AND s.supertag = ?1
    WHERE v.field = ?2 AND v.value = ?3
    GROUP BY s.node ORDER BY s.updated DESC, s.node LIMIT ?4 OFFSET ?5
"""
_FROM_THE_SUPERTAG = """
    SELECT s.node FROM node_supertags s WHERE s.supertag = ?1 AND EXISTS (
        SELECT 1 FROM field_values v
        WHERE v.node = s.node AND v.field = ?2 AND (?3 IS NULL OR v.value = ?3)
    ) ORDER BY s.updated DESC, s.node LIMIT ?4 OFFSET ?5
"""


def search(db: sqlite3.Connection, query: str, supertag: str | None, limit: int) -> list[Row]:
    """Nodes with all words of the query, best first; with any of them when none has all."""
    terms = query_words(query)
    scope = ""
    if supertag is not None:
        scope = f' AND supertags : "{supertag_token(supertag_number(db, supertag))}"'
    rows: list[tuple[int, float]] = []
    for operator in ("AND", "OR"):
        expression = "{name body} : (" + match_expression(terms, operator) + ")" + scope
        rows = rows or _ranked(db, expression, limit)
    nodes = nodes_by_number(db, [number for number, _ in rows])
    return [_hit(node, -rank, terms) for node, (_, rank) in zip(nodes, rows, strict=True)]


def tagged(
    db: sqlite3.Connection,
    supertag: str,
    field: str | None,
    value: str | None,
    limit: int,
    offset: int,
) -> list[Row]:
    """Nodes with a supertag, newest change first; a field and a value narrow them down."""
    number = supertag_number(db, supertag)
    if field is None and value is not None:
        raise WorkspaceError("value needs field: name the field that should have this value")
    if field is None:
        rows = db.execute(
            "SELECT node FROM node_supertags WHERE supertag = ?"
            " ORDER BY updated DESC, node LIMIT ? OFFSET ?",
            (number, limit, offset),
        )
    else:
        _check_field(db, field)
        rows = _with_field(db, number, field, value, limit, offset)
    return nodes_by_number(db, [number for (number,) in rows])


def semantic_search(db: sqlite3.Connection, query: str, limit: int, min_score: float) -> list[Row]:
    """Nodes whose name and description resemble the query, best first."""
    terms = query_words(query)
    rows = similar(db, query, limit, min_score)
    nodes = nodes_by_number(db, [number for number, _ in rows])
    return [_hit(node, score, terms) for node, (_, score) in zip(nodes, rows, strict=True)]


def field_values(db: sqlite3.Connection, field: str, supertag: str | None, limit: int) -> list[Row]:
    """Count the values of a field, most used first."""
    _check_field(db, field)
    number = None if supertag is None else supertag_number(db, supertag)
    rows = db.execute(
        "SELECT value, count(*) AS uses FROM field_values v WHERE field = ?1 AND (?2 IS NULL OR"
        " EXISTS (SELECT 1 FROM node_supertags s WHERE s.node = v.node AND s.supertag = ?2))"
        " GROUP BY value ORDER BY uses DESC, value LIMIT ?3",
        (field, number, limit),
    )
    return [{"value": value, "count": count} for value, count in rows]


def _hit(node: Row, score: float, terms: list[str]) -> Row:
    return {
        "id": node["id"],
        "name": node["name"],
        "supertags": node["supertags"],
        "score": round(score, 3),
        "text": excerpt(node["description"], terms),
    }


def _ranked(db: sqlite3.Connection, expression: str, limit: int) -> list[tuple[int, float]]:
    return db.execute(
        "WITH matches AS MATERIALIZED ("
        "  SELECT rowid AS number, bm25(nodes_fts, 4.0, 1.0, 0.0) AS rank FROM nodes_fts"
        "  WHERE nodes_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        ") SELECT number, rank FROM matches ORDER BY rank, number LIMIT ?",
        (expression, _RANKED, limit),
    ).fetchall()


def _with_field(
    db: sqlite3.Connection, supertag: int, field: str, value: str | None, limit: int, offset: int
) -> sqlite3.Cursor:
    """Find numbers of nodes with a supertag and a field, newest change first."""
    count = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM field_values WHERE field = ? AND value = ? LIMIT ?)",
        (field, value, _FEW_VALUES),
    ).fetchone()[0]
    is_rare = value is not None and count < _FEW_VALUES
    return db.execute(
        _FROM_THE_VALUE if is_rare else _FROM_THE_SUPERTAG, (supertag, field, value, limit, offset)
    )


def _check_field(db: sqlite3.Connection, field: str) -> None:
    """Raise WorkspaceError when no supertag defines the field and no node has it."""
    known = db.execute(
        "SELECT EXISTS (SELECT 1 FROM fields WHERE name = ?)"
        " OR EXISTS (SELECT 1 FROM field_values WHERE field = ?)",
        (field, field),
    ).fetchone()[0]
    if not known:
        names = [name for (name,) in db.execute("SELECT DISTINCT name FROM fields")]
        raise unknown("field", field, names, "tana_supertag_info shows the fields of a supertag")
