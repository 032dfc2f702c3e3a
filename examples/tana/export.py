"""The export file: its shape, and the rules that a whole file has to keep."""

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from .errors import WorkspaceError, quoted

_LARGEST = 512 * 1024 * 1024
_SHOWN = 3


def moment(text: str) -> str:
    """Write a moment in the one form that is stored, so that moments sort as text."""
    parsed = datetime.fromisoformat(text)
    aware = parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    try:
        utc = aware.astimezone(UTC)
    except OverflowError:
        raise ValueError("the moment lies outside the calendar") from None
    return utc.replace(microsecond=0, tzinfo=None).isoformat() + "Z"


def _day(text: str) -> str:
    return date.fromisoformat(text).isoformat()


Name = Annotated[str, Field(min_length=1, max_length=2000)]
Moment = Annotated[str, AfterValidator(moment)]
Day = Annotated[str, AfterValidator(_day)]
FieldType = Literal["text", "number", "date", "options", "url"]


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FieldRecord(_Record):
    """A field that a supertag defines."""

    name: Name
    type: FieldType = "text"
    options: list[Name] = []


class SupertagRecord(_Record):
    """A supertag and its fields; supertags do not inherit from each other."""

    name: Name
    description: str = ""
    fields: list[FieldRecord] = []


class LineRecord(_Record):
    """One line of a transcript."""

    speaker: Name
    time: str = ""
    text: str


class TranscriptRecord(_Record):
    """What was said in a meeting, and on which day."""

    date: Day
    lines: list[LineRecord]


class NodeRecord(_Record):
    """A node with everything that hangs on it; children name their parent."""

    id: Annotated[str, Field(min_length=1, max_length=200)]
    name: Name
    description: str = ""
    parent: str | None = None
    created: Moment
    updated: Moment
    supertags: list[str] = []
    fields: dict[Name, list[str]] = {}
    transcript: TranscriptRecord | None = None


class Export(_Record):
    """A whole workspace; nodes stand in the order in which siblings are shown."""

    format: Literal["tana-export"]
    version: Literal[1]
    supertags: list[SupertagRecord]
    nodes: list[NodeRecord]


def read_export(path: Path) -> Export:
    """Read a file's export and check it as a whole; WorkspaceError names the first problems."""
    try:
        if not path.is_file():
            raise WorkspaceError(f"no file at {quoted(str(path))}; give the path of a JSON export")
        if path.stat().st_size > _LARGEST:
            raise WorkspaceError("the export is over 512 MiB; export a part of the workspace")
        content = path.read_bytes()
    except (OSError, ValueError) as error:
        raise WorkspaceError(
            f"{quoted(str(path))} cannot be read; give the path of a readable JSON export"
        ) from error
    return parse_export(content)


def parse_export(content: bytes) -> Export:
    """Read an export from its JSON text and check it as a whole."""
    try:
        export = Export.model_validate_json(content)
    except ValidationError as error:
        details = error.errors(include_url=False, include_context=False, include_input=False)
        raise _refused([_described(problem) for problem in details]) from None
    problems = [*_supertag_problems(export), *_node_problems(export), *_loops(export)]
    if problems:
        raise _refused(problems)
    return export


def _described(problem: ErrorDetails) -> str:
    place = ".".join(str(part) for part in problem["loc"]) or "file"
    return f"{place}: {problem['msg']}"


def _refused(problems: list[str]) -> WorkspaceError:
    more = len(problems) - _SHOWN
    shown = "; ".join(problems[:_SHOWN]) + (f"; and {more} more" if more > 0 else "")
    return WorkspaceError(f"nothing was changed, the export is not valid: {shown}")


def _supertag_problems(export: Export) -> Iterator[str]:
    names = Counter(supertag.name.casefold() for supertag in export.supertags)
    for at, supertag in enumerate(export.supertags):
        if names[supertag.name.casefold()] > 1:
            yield f"supertags.{at}.name: {quoted(supertag.name)} is there more than once"
        fields = Counter(field.name.casefold() for field in supertag.fields)
        for name in (name for name, count in fields.items() if count > 1):
            yield f"supertags.{at}.fields: {quoted(name)} is there more than once"


def _node_problems(export: Export) -> Iterator[str]:
    ids = Counter(node.id for node in export.nodes)
    supertags = {supertag.name.casefold() for supertag in export.supertags}
    for at, node in enumerate(export.nodes):
        if ids[node.id] > 1:
            yield f"nodes.{at}.id: {quoted(node.id)} is there more than once"
        if node.parent is not None and node.parent not in ids:
            yield f"nodes.{at}.parent: no node has the id {quoted(node.parent)}"
        for name in node.supertags:
            if name.casefold() not in supertags:
                yield f"nodes.{at}.supertags: {quoted(name)} is not defined under supertags"
        if len({name.casefold() for name in node.supertags}) < len(node.supertags):
            yield f"nodes.{at}.supertags: a supertag is there more than once"
        if len({name.casefold() for name in node.fields}) < len(node.fields):
            yield f"nodes.{at}.fields: a field is there more than once"


def _loops(export: Export) -> Iterator[str]:
    """One problem for each node from which the way up never reaches the top."""
    parents = {node.id: node.parent for node in export.nodes}
    reaches_top: set[str] = set()
    for at, node in enumerate(export.nodes):
        way: dict[str, None] = {}
        step: str | None = node.id
        while step is not None and step not in reaches_top and step not in way:
            way[step] = None
            step = parents.get(step)
        if step in way:
            yield f"nodes.{at}.parent: {quoted(node.id)} is below itself or below such a node"
            return
        reaches_top.update(way)
