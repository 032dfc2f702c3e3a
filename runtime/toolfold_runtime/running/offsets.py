"""Continuing a result by an offset, where no process has stored the rest of it.

A cursor ends with how much was shown before it, as in `Vy3n0kq1bT8w@20`. Who is told that it is
not known here may run the tool again and go on after that, with the cursor `@20`.
"""

import re
from typing import Final

from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.results import Result

_SHOWN: Final = re.compile(r"[A-Za-z0-9_-]{0,40}@(?P<offset>[1-9][0-9]{0,8})")
_UNITS: Final[dict[type, str]] = {list: "items", str: "characters"}


def cursor_with(token: str, shown: int) -> str:
    """A cursor that also holds the offset of the rest, if there is one."""
    return f"{token}@{shown}" if shown else token


def asked_offset(entry: ToolEntry, cursor: str) -> int:
    """The offset in a cursor; 0 if the cursor names a stored rest.

    What writes is not run again in order to read.
    """
    return _offset(cursor) if cursor.startswith("@") and entry.effect == "read" else 0


def unknown_cursor(entry: ToolEntry, cursor: str) -> ToolError:
    """The answer to a cursor that is not known here, with the way to go on."""
    text = f"no such cursor of {entry.name}: it has expired, or another process holds it."
    offset = _offset(cursor)
    if entry.effect != "read":
        way_out = "It was carried out; running it again would do so twice."
    elif offset:
        ask = compact({"tool": entry.name, "arguments": "…", "cursor": f"@{offset}"})
        way_out = f"Run the tool again with the same arguments, from offset {offset}: {ask}"
    else:
        way_out = "Run the tool again."
    return ToolError("invalid_arguments", f"{text} {way_out}")


def result_from(entry: ToolEntry, result: Result, offset: int) -> Result:
    """A result without what was shown before; ToolError where it has no such offset."""
    value = result.value
    unit = _UNITS.get(type(value))
    if unit is None or offset >= len(value):
        has = f"has {len(value):,} {unit}" if unit else "is no list and no text"
        text = (
            f"the result of {entry.name} {has}: there is no offset {offset:,}. Run it without one."
        )
        raise ToolError("invalid_arguments", text)
    rest = value[offset:]
    written = rest if isinstance(rest, str) else compact(rest)
    return Result(rest, written, len(written.encode("utf-8", "replace")), result.blocks)


def _offset(cursor: str) -> int:
    match = _SHOWN.fullmatch(cursor)
    return int(match["offset"]) if match else 0
