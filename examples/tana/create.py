"""Creates a node with its supertags, its fields and its children."""

import math
import secrets
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime

from pydantic import ValidationError
from tana_mcp.models.definitions.node import Node
from tana_mcp.models.definitions.supertag_field import SupertagField
from tana_mcp.models.tana_create import TanaCreateParams

from .errors import WorkspaceError, quoted, unknown
from .explore import fields_of
from .export import NodeRecord, moment
from .lookup import node_number, nodes_by_number, supertag_number
from .records import NodeWriter


def create(db: sqlite3.Connection, params: TanaCreateParams) -> Node:
    """Store a node at the end of its siblings and return it.

    Everything is checked first: unknown supertags, fields that none of them defines, values
    that do not fit their field, and empty names are WorkspaceErrors.
    """
    if params.parent_id is not None:
        node_number(db, params.parent_id)
    if not all(text.strip() for text in (params.name, *params.children)):
        raise WorkspaceError("a name is empty; give the node and each child a name to be found by")
    numbers = list(dict.fromkeys(supertag_number(db, supertag) for supertag in params.supertags))
    defined = [field for number in numbers for field in fields_of(db, number)]
    node = _record(
        params.name,
        params.parent_id,
        description=params.description,
        supertags=[_supertag_name(db, number) for number in numbers],
        fields=_checked_fields(params.fields, defined),
    )
    writer = NodeWriter(db)
    writer.insert(node, _next_position(db, params.parent_id), digest=None)
    for at, child in enumerate(params.children):
        writer.insert(_record(child, node.id), at, digest=None)
    writer.finish()
    return nodes_by_number(db, [node_number(db, node.id)])[0]


def _record(
    name: str,
    parent: str | None,
    description: str = "",
    supertags: Sequence[str] = (),
    fields: dict[str, list[str]] | None = None,
) -> NodeRecord:
    now = moment(datetime.now(UTC).isoformat())
    try:
        return NodeRecord(
            id=secrets.token_hex(6),
            name=name.strip(),
            description=description,
            parent=parent,
            created=now,
            updated=now,
            supertags=list(supertags),
            fields=fields or {},
        )
    except ValidationError as error:
        raise WorkspaceError(
            f"{quoted(name)} cannot be stored ({error.errors()[0]['msg']}); shorten or correct it"
        ) from None


def _supertag_name(db: sqlite3.Connection, number: int) -> str:
    name: str = db.execute("SELECT name FROM supertags WHERE number = ?", (number,)).fetchone()[0]
    return name


def _next_position(db: sqlite3.Connection, parent_id: str | None) -> int:
    last: int = db.execute(
        "SELECT coalesce(max(position), -1) FROM nodes WHERE parent IS ?", (parent_id,)
    ).fetchone()[0]
    return last + 1


def _checked_fields(
    given: dict[str, list[str]], defined: list[SupertagField]
) -> dict[str, list[str]]:
    """The values under the fields' own names; a field may be written in any case."""
    by_key = {field.name.casefold(): field for field in reversed(defined)}
    checked: dict[str, list[str]] = {}
    for name, values in given.items():
        field = by_key.get(name.casefold())
        if field is None:
            names = [field.name for field in defined]
            raise unknown(
                "field of the given supertags", name, names, "tana_supertag_info shows fields"
            )
        if field.name in checked:
            raise WorkspaceError(f"field {quoted(name)} is given twice; join its values in a list")
        checked[field.name] = [_checked_value(field, value) for value in values]
    return checked


def _checked_value(field: SupertagField, value: str) -> str:
    if field.type == "options":
        for option in field.options:
            if option.casefold() == value.casefold():
                return option
        raise unknown(f"option of {field.name}", value, field.options, "use one of these")
    fits, expected = _KINDS[field.type]
    if not fits(value):
        raise WorkspaceError(f"{field.name} does not take {quoted(value)}; give {expected}")
    return value


def _is_number(value: str) -> bool:
    try:
        return math.isfinite(float(value))
    except ValueError:
        return False


def _is_date(value: str) -> bool:
    try:
        return bool(date.fromisoformat(value))
    except ValueError:
        return False


_KINDS: dict[str, tuple[Callable[[str], bool], str]] = {
    "text": (lambda value: bool(value.strip()), "some text"),
    "number": (_is_number, "a number such as 12 or 0.5"),
    "date": (_is_date, "a date such as 2026-03-31"),
    "url": (lambda value: value.startswith(("http://", "https://")), "an http or https address"),
}
