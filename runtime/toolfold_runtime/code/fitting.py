"""Whether a value may be what a tool takes, judged by two types as the checker writes them.

Only what surely does not fit is refused. JSON has fewer types than Python: a tuple is sent as a list
and a date as text; and what the checker holds apart because a list may change, a tool never sees.
"""

from collections.abc import Iterator
from typing import Final

#: What the checker knows nothing about.
UNKNOWN: Final = frozenset(["Any", "Unknown"])
_SCALARS: Final = {
    "str": frozenset(["str", "LiteralString", "date", "datetime", "time"]),
    "float": frozenset(["float", "int", "Decimal"]),
    "int": frozenset(["int"]),
    "bool": frozenset(["bool"]),
    "None": frozenset(["None"]),
}
#: What is sent as a list. Others, like `range` and the keys of a dict, are not sent as one.
_LISTS: Final = frozenset(
    ["list", "tuple", "set", "frozenset", "deque", "GeneratorType", "Iterator", "zip", "enumerate"]
)
_DICTS: Final = frozenset(["dict", "defaultdict", "OrderedDict", "Counter"])


def may_fit(expected: str, found: str, *, is_written: bool = False) -> bool:
    """Whether a value of the type found may be one that is expected.

    Of a union, one member is enough; but a list that `is_written` in place holds all of them.
    """
    wanted = [*members(expected)]
    found_members = [member.rstrip("*") for member in members(found)]
    if is_written and len(found_members) > 1:
        found_members = [member for member in found_members if member != "None"]
        return all(
            any(_fits(one, member, is_written) for one in wanted) for member in found_members
        )
    return any(_fits(one, member, is_written) for member in found_members for one in wanted)


def members(text: str) -> Iterator[str]:
    """The members of a union; the type itself where it is none."""
    return _split(text, " | ")


def _fits(expected: str, found: str, is_written: bool) -> bool:
    if found == expected or found in UNKNOWN or expected in UNKNOWN or " & " in found:
        return True
    (wanted, of), (kind, arguments) = _parts(expected), _parts(found)
    if wanted == "Literal":
        if kind == "Literal":
            return not set(of).isdisjoint(arguments)
        return found in _SCALARS[_kind_of(of[0])]
    if kind == "Literal":
        kind = _kind_of(arguments[0])
    if wanted in _SCALARS:
        return kind in _SCALARS[wanted]
    if wanted == "list":
        items = [item for item in arguments if item != "..."] if kind == "tuple" else arguments[:1]
        return kind in _LISTS and all(may_fit(of[0], item, is_written=is_written) for item in items)
    if wanted == "dict":
        values = ["int"] if kind == "Counter" else arguments[1:2]
        is_dict = kind in _DICTS and all(may_fit(of[1], v, is_written=is_written) for v in values)
        return is_dict or _is_record(found)
    # A record: its keys may be added step by step.
    return kind in _DICTS


def _parts(text: str) -> tuple[str, list[str]]:
    """The name of a type, and what it is of: `list` and `str` of `list[str]`."""
    name, bracket, rest = text.partition("[")
    if not bracket or not rest.endswith("]"):
        return text, []
    return name, [*_split(rest[:-1], ", ")]


def _kind_of(value: str) -> str:
    if value in ("True", "False"):
        return "bool"
    if value[:1] in "\"'":
        return "str"
    return "int" if value.lstrip("-").isdigit() else value


def _is_record(text: str) -> bool:
    return text.isidentifier() and text[0].isupper()


def _split(text: str, separator: str) -> Iterator[str]:
    """The parts of a text, but where it is split within brackets or quotes."""
    depth, quote, start, at = 0, "", 0, 0
    while at < len(text):
        character = text[at]
        if quote:
            at += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif not depth and text.startswith(separator, at):
            yield text[start:at]
            at += len(separator) - 1
            start = at + 1
        at += 1
    yield text[start:]
