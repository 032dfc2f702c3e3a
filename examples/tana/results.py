"""The shapes that operations return; each equals the `returns` of its tool in tools.yaml."""

from typing import NotRequired, TypedDict


class Node(TypedDict):
    """What is told about a node wherever a node is listed."""

    id: str
    name: str
    description: str
    supertags: list[str]
    updated: str


class Hit(TypedDict):
    """A node that a search found; a higher score is a better match."""

    id: str
    name: str
    supertags: list[str]
    score: float
    text: str


class OutlineItem(TypedDict):
    """A node below another one; `level` 1 is a direct child."""

    id: str
    name: str
    level: int


class NodeDetails(Node):
    """Everything about one node. `parent_id` is missing at the top of the tree."""

    parent_id: NotRequired[str]
    fields: dict[str, list[str]]
    child_count: int
    children: list[OutlineItem]


class FieldValue(TypedDict):
    """A value and the number of nodes that carry it."""

    value: str
    count: int


class Supertag(TypedDict):
    """A supertag and the number of nodes that carry it."""

    name: str
    description: str
    count: int


class Field(TypedDict):
    """A field that a supertag defines; `options` is empty unless the type is options."""

    name: str
    type: str
    options: list[str]


class SupertagInfo(TypedDict):
    """A supertag with its fields, in their defined order."""

    supertag: Supertag
    fields: list[Field]


class Stats(TypedDict):
    """How much the workspace holds."""

    nodes: int
    supertags: int
    fields: int
    field_values: int
    meetings: int
    transcript_lines: int
    last_updated: str


class Meeting(TypedDict):
    """A meeting that has a transcript."""

    id: str
    name: str
    date: str
    speakers: list[str]
    line_count: int


class Line(TypedDict):
    """One thing that somebody said; lines of a meeting are numbered from 1."""

    line: int
    speaker: str
    time: str
    text: str


class Transcript(TypedDict):
    """A stretch of a meeting's transcript; `line_count` is of the whole."""

    meeting: str
    date: str
    speakers: list[str]
    line_count: int
    lines: list[Line]


class LineHit(TypedDict):
    """A line that a transcript search found, and where it was said."""

    meeting_id: str
    meeting: str
    line: int
    speaker: str
    text: str


class SyncCounts(TypedDict):
    """What a sync did to nodes, or would have done."""

    added: int
    changed: int
    removed: int
    unchanged: int
    applied: bool


class Cleared(TypedDict):
    """How many cached answers were dropped."""

    dropped: int
