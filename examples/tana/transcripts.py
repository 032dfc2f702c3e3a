"""Meetings and what was said in them."""

import json
import sqlite3

from tana_mcp.models.definitions.meeting import Meeting
from tana_mcp.models.definitions.transcript_hit import TranscriptHit
from tana_mcp.models.definitions.transcript_line import TranscriptLine
from tana_mcp.models.tana_transcript_list import TanaTranscriptListParams
from tana_mcp.models.tana_transcript_search import TanaTranscriptSearchParams
from tana_mcp.models.tana_transcript_show import (
    TanaTranscriptShowParams,
    TanaTranscriptShowResult,
)

from .errors import NotFoundError, quoted, unknown
from .lookup import node_number
from .text import match_expression, query_words, words

# As for nodes: of a very common word the lines stored last are ranked.
_RANKED = 4000


def transcript_list(db: sqlite3.Connection, params: TanaTranscriptListParams) -> list[Meeting]:
    """Meetings, latest first; only those where somebody spoke, or since a day."""
    names = json.dumps(_speakers_like(db, params.speaker)) if params.speaker else None
    rows = db.execute(
        "SELECT m.node FROM meetings m WHERE m.date >= ?1 AND (?2 IS NULL OR EXISTS ("
        "  SELECT 1 FROM speakers s WHERE s.meeting = m.node"
        "  AND s.name IN (SELECT value FROM json_each(?2))"
        ")) ORDER BY m.date DESC, m.node LIMIT ?3",
        (str(params.since or ""), names, params.limit),
    ).fetchall()
    return [_meeting(db, number) for (number,) in rows]


def transcript_show(
    db: sqlite3.Connection, params: TanaTranscriptShowParams
) -> TanaTranscriptShowResult:
    """Lines of one meeting from a line number on; only those of a speaker, if one is named."""
    number = node_number(db, params.meeting_id)
    if not db.execute("SELECT 1 FROM meetings WHERE node = ?", (number,)).fetchone():
        raise NotFoundError(
            f"node {quoted(params.meeting_id)} has no transcript; tana_transcript_list returns "
            "the ids of meetings that have one"
        )
    meeting = _meeting(db, number)
    names = meeting.speakers
    if params.speaker:
        names = _matching(params.speaker, names)
        if not names:
            raise unknown(
                "speaker of this meeting", params.speaker, meeting.speakers, "try another"
            )
    rows = db.execute(
        "SELECT line, speaker, time, text FROM lines WHERE meeting = ? AND line >= ?"
        " AND speaker IN (SELECT value FROM json_each(?)) ORDER BY line LIMIT ?",
        (number, params.start, json.dumps(names), params.limit),
    )
    return TanaTranscriptShowResult(
        meeting=meeting.name,
        date=meeting.date,
        speakers=meeting.speakers,
        line_count=meeting.line_count,
        lines=[
            TranscriptLine(line=line, speaker=speaker, time=time, text=text)
            for line, speaker, time, text in rows
        ],
    )


def transcript_search(
    db: sqlite3.Connection, params: TanaTranscriptSearchParams
) -> list[TranscriptHit]:
    """Lines with all words of the query, best first; with any of them when none has all."""
    terms = query_words(params.query)
    scope = ""
    if params.speaker:
        _speakers_like(db, params.speaker)
        scope = " AND speaker : (" + match_expression(words(params.speaker), "AND") + ")"
    rows: list[tuple[str, str, int, str, str]] = []
    for operator in ("AND", "OR"):
        expression = "text : (" + match_expression(terms, operator) + ")" + scope
        rows = rows or _ranked(db, expression, params.limit)
    return [
        TranscriptHit(meeting_id=node_id, meeting=name, line=line, speaker=speaker, text=text)
        for node_id, name, line, speaker, text in rows
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


def _meeting(db: sqlite3.Connection, number: int) -> Meeting:
    node_id, name, date, count = db.execute(
        "SELECT n.id, n.name, m.date, m.line_count FROM meetings m"
        " JOIN nodes n ON n.number = m.node WHERE m.node = ?",
        (number,),
    ).fetchone()
    names = db.execute("SELECT name FROM speakers WHERE meeting = ? ORDER BY name", (number,))
    speakers = [speaker for (speaker,) in names]
    return Meeting(id=node_id, name=name, date=date, speakers=speakers, line_count=count)


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
