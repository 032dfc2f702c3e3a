"""Meetings and what was said in them."""

import json
import sqlite3

from .errors import WorkspaceError, quoted, unknown
from .lookup import node_number
from .results import Row
from .text import match_expression, query_words, words

# As for nodes: of a very common word the lines stored last are ranked.
_RANKED = 4000


def transcript_list(
    db: sqlite3.Connection, speaker: str | None, since: str | None, limit: int
) -> list[Row]:
    """Meetings, latest first; only those where somebody spoke, or since a day."""
    names = None if speaker is None else json.dumps(_speakers_like(db, speaker))
    rows = db.execute(
        "SELECT m.node FROM meetings m WHERE m.date >= ?1 AND (?2 IS NULL OR EXISTS ("
        "  SELECT 1 FROM speakers s WHERE s.meeting = m.node"
        "  AND s.name IN (SELECT value FROM json_each(?2))"
        ")) ORDER BY m.date DESC, m.node LIMIT ?3",
        (since or "", names, limit),
    ).fetchall()
    return [_meeting(db, number) for (number,) in rows]


def transcript_show(
    db: sqlite3.Connection, meeting_id: str, speaker: str | None, start: int, limit: int
) -> Row:
    """Lines of one meeting from a line number on; only those of a speaker, if one is named."""
    number = node_number(db, meeting_id)
    if not db.execute("SELECT 1 FROM meetings WHERE node = ?", (number,)).fetchone():
        raise WorkspaceError(
            f"node {quoted(meeting_id)} has no transcript; tana_transcript_list returns the ids "
            "of meetings that have one"
        )
    meeting = _meeting(db, number)
    names = meeting["speakers"]
    if speaker is not None:
        names = _matching(speaker, names)
        if not names:
            raise unknown("speaker of this meeting", speaker, meeting["speakers"], "try another")
    rows = db.execute(
        "SELECT line, speaker, time, text FROM lines WHERE meeting = ? AND line >= ?"
        " AND speaker IN (SELECT value FROM json_each(?)) ORDER BY line LIMIT ?",
        (number, start, json.dumps(names), limit),
    )
    lines: list[Row] = [
        {"line": line, "speaker": who, "time": time, "text": text} for line, who, time, text in rows
    ]
    return {
        "meeting": meeting["name"],
        "date": meeting["date"],
        "speakers": meeting["speakers"],
        "line_count": meeting["line_count"],
        "lines": lines,
    }


def transcript_search(
    db: sqlite3.Connection, query: str, speaker: str | None, limit: int
) -> list[Row]:
    """Lines with all words of the query, best first; with any of them when none has all."""
    terms = query_words(query)
    scope = ""
    if speaker is not None:
        _speakers_like(db, speaker)
        scope = " AND speaker : (" + match_expression(words(speaker), "AND") + ")"
    rows: list[tuple[str, str, int, str, str]] = []
    for operator in ("AND", "OR"):
        expression = "text : (" + match_expression(terms, operator) + ")" + scope
        rows = rows or _ranked(db, expression, limit)
    return [
        {"meeting_id": node_id, "meeting": name, "line": line, "speaker": who, "text": text}
        for node_id, name, line, who, text in rows
    ]


def _ranked(
    db: sqlite3.Connection, expression: str, limit: int
) -> list[tuple[str, str, int, str, str]]:
    return db.execute(
        "WITH matches AS MATERIALIZED ("
        "  SELECT rowid AS number, bm25(lines_fts, 1.0, 0.0) AS rank FROM lines_fts"
        "  WHERE lines_fts MATCH ? ORDER BY rowid DESC LIMIT ?"
        "), best AS MATERIALIZED (SELECT number, rank FROM matches ORDER BY rank, number LIMIT ?)"
        " SELECT n.id, n.name, l.line, l.speaker, l.text FROM best"
        " JOIN lines l ON l.number = best.number JOIN nodes n ON n.number = l.meeting"
        " ORDER BY best.rank, best.number",
        (expression, _RANKED, limit),
    ).fetchall()


def _meeting(db: sqlite3.Connection, number: int) -> Row:
    node_id, name, date, count = db.execute(
        "SELECT n.id, n.name, m.date, m.line_count FROM meetings m"
        " JOIN nodes n ON n.number = m.node WHERE m.node = ?",
        (number,),
    ).fetchone()
    names = db.execute("SELECT name FROM speakers WHERE meeting = ? ORDER BY name", (number,))
    speakers = [who for (who,) in names]
    return {"id": node_id, "name": name, "date": date, "speakers": speakers, "line_count": count}


def _speakers_like(db: sqlite3.Connection, speaker: str) -> list[str]:
    """Everybody in the workspace whose name contains the words of the given one."""
    everybody = [name for (name,) in db.execute("SELECT DISTINCT name FROM speakers ORDER BY name")]
    names = _matching(speaker, everybody)
    if not names:
        raise unknown("speaker", speaker, everybody, "tana_transcript_list shows who spoke")
    return names


def _matching(speaker: str, names: list[str]) -> list[str]:
    wanted = set(words(speaker))
    return [name for name in names if wanted and wanted <= set(words(name))]
