"""Finding nodes: by words, by supertag, by similarity, by field."""

import sqlite3

from tana_mcp.models.definitions.field_value import FieldValue
from tana_mcp.models.definitions.hit import Hit
from tana_mcp.models.definitions.node import Node
from tana_mcp.models.tana_field_values import TanaFieldValuesParams
from tana_mcp.models.tana_search import TanaSearchParams
from tana_mcp.models.tana_semantic_search import TanaSemanticSearchParams
from tana_mcp.models.tana_tagged import TanaTaggedParams

from .errors import WorkspaceError, unknown
from .lookup import nodes_by_number, supertag_number
from .records import supertag_token
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


def search(db: sqlite3.Connection, params: TanaSearchParams) -> list[Hit]:
    """Nodes with all words of the query, best first; with any of them when none has all."""
    terms = query_words(params.query)
    scope = ""
    if params.supertag:
        scope = f' AND supertags : "{supertag_token(supertag_number(db, params.supertag))}"'
    rows: list[tuple[int, float]] = []
    for operator in ("AND", "OR"):
        expression = "{name body} : (" + match_expression(terms, operator) + ")" + scope
        rows = rows or _ranked(db, expression, params.limit)
    nodes = nodes_by_number(db, [number for number, _ in rows])
    return [_hit(node, -rank, terms) for node, (_, rank) in zip(nodes, rows, strict=True)]


def tagged(db: sqlite3.Connection, params: TanaTaggedParams) -> list[Node]:
    """Nodes with a supertag, newest change first; a field and a value narrow them down."""
    number = supertag_number(db, params.supertag)
    if params.field:
        _check_field(db, params.field)
        rows = _with_field(db, number, params)
    elif params.value is not None:
        raise WorkspaceError("value needs field: name the field that should have this value")
    else:
        rows = db.execute(
            "SELECT node FROM node_supertags WHERE supertag = ?"
            " ORDER BY updated DESC, node LIMIT ? OFFSET ?",
            (number, params.limit, params.offset),
        )
    return nodes_by_number(db, [number for (number,) in rows])


def semantic_search(db: sqlite3.Connection, params: TanaSemanticSearchParams) -> list[Hit]:
    """Nodes whose name and description resemble the query, best first."""
    terms = query_words(params.query)
    rows = similar(db, params.query, params.limit, params.min_score)
    nodes = nodes_by_number(db, [number for number, _ in rows])
    return [_hit(node, score, terms) for node, (_, score) in zip(nodes, rows, strict=True)]


def field_values(db: sqlite3.Connection, params: TanaFieldValuesParams) -> list[FieldValue]:
    """The values of a field and their numbers of nodes, most used first."""
    _check_field(db, params.field)
    number = supertag_number(db, params.supertag) if params.supertag else None
    rows = db.execute(
        "SELECT value, count(*) AS uses FROM field_values v WHERE field = ?1 AND (?2 IS NULL OR"
        " EXISTS (SELECT 1 FROM node_supertags s WHERE s.node = v.node AND s.supertag = ?2))"
        " GROUP BY value ORDER BY uses DESC, value LIMIT ?3",
        (params.field, number, params.limit),
    )
    return [FieldValue(value=value, count=count) for value, count in rows]


def _hit(node: Node, score: float, terms: list[str]) -> Hit:
    return Hit(
        id=node.id,
        name=node.name,
        supertags=node.supertags,
        score=round(score, 3),
        text=excerpt(node.description, terms),
    )


def _ranked(db: sqlite3.Connection, expression: str, limit: int) -> list[tuple[int, float]]:
    return db.execute(
        "WITH matches AS MATERIALIZED ("
        "  SELECT rowid AS number, bm25(nodes_fts, 4.0, 1.0, 0.0) AS rank FROM nodes_fts"
        "  WHERE nodes_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        ") SELECT number, rank FROM matches ORDER BY rank, number LIMIT ?",
        (expression, _RANKED, limit),
    ).fetchall()


def _with_field(db: sqlite3.Connection, supertag: int, params: TanaTaggedParams) -> sqlite3.Cursor:
    """Numbers of nodes with a supertag and a field, newest change first."""
    count = db.execute(
        "SELECT count(*) FROM (SELECT 1 FROM field_values WHERE field = ? AND value = ? LIMIT ?)",
        (params.field, params.value, _FEW_VALUES),
    ).fetchone()[0]
    is_rare = params.value is not None and count < _FEW_VALUES
    return db.execute(
        _FROM_THE_VALUE if is_rare else _FROM_THE_SUPERTAG,
        (supertag, params.field, params.value, params.limit, params.offset),
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
