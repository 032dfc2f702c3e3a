"""Converting strings such as `"5"` or `"true"` to the values they spell, where a manifest allows it.

Only where nothing else can be meant: the schema's `type` at that place has no room for text, and
the text is JSON of a type that it has room for. Text where alternatives are allowed (`anyOf`,
`oneOf`) and none of them is text is left alone.
"""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.running.diagnosis.faults import Fault, ValuePath
from toolfold_runtime.running.explain import dotted, excerpt

_MAX_LENGTH: Final = 100_000
_IS: Final[dict[str, Callable[[object], bool]]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def coerced(arguments: Json, faults: Sequence[Fault]) -> tuple[Json, list[str]]:
    """A copy of the arguments with such strings replaced, and a warning for each."""
    values = {fault.path: _parsed(fault) for fault in faults if fault.path}
    values = {path: value for path, value in values.items() if value is not None}
    if not values:
        return arguments, []
    given = {fault.path: excerpt(fault.given) for fault in faults}
    changed = copy.deepcopy(arguments)
    for path, value in values.items():
        _assign(changed, path, value)
    return changed, [
        f"warning: {dotted(path)}: {given[path]} was taken as {excerpt(value)}"
        for path, value in values.items()
    ]


def _parsed(fault: Fault) -> object:
    """The JSON value of a string where the schema accepts that but no string; else None."""
    text = fault.given
    if fault.keyword != "type" or not isinstance(text, str) or len(text) > _MAX_LENGTH:
        return None
    types = fault.expected if isinstance(fault.expected, list) else [fault.expected]
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    is_wanted = any(kind in _IS and _IS[kind](value) for kind in types)
    return value if is_wanted else None


def _assign(target: Any, path: ValuePath, value: object) -> None:
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
