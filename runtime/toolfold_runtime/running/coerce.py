"""Strings taken for the values that they spell, where a manifest allows it: `"5"` for 5, `"true"` for true.

Only where nothing else can be meant: the schema's `type` at that place has no room for text, and
the text is JSON of a type that it has room for. Choices (`anyOf`, `oneOf`) are left alone.
"""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.validation import ValidationError

_LONGEST: Final = 100_000
_IS: Final[dict[str, Callable[[object], bool]]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def coerced(arguments: Json, errors: Sequence[ValidationError]) -> tuple[Json, list[str]]:
    """A copy of the arguments with such strings replaced, and a warning for each."""
    replacements: list[tuple[list[str | int], object]] = []
    warnings = []
    for error in errors:
        path = list(error.instance_path)
        value = _parsed(error)
        if value is not None and path:
            replacements.append((path, value))
            given, taken = (json.dumps(v, ensure_ascii=False) for v in (error.instance, value))
            where = ".".join(map(str, path))
            warnings.append(f"warning: {where}: {given[:100]} was taken as {taken[:100]}")
    if not replacements:
        return arguments, []
    changed = copy.deepcopy(arguments)
    for path, value in replacements:
        _assign(changed, path, value)
    return changed, warnings


def _parsed(error: ValidationError) -> object:
    """The JSON value of a string where the schema accepts that but no string; else None."""
    types = error.kind.as_dict().get("types")
    text = error.instance
    if not isinstance(types, list) or not isinstance(text, str) or len(text) > _LONGEST:
        return None
    try:
        value = json.loads(text, parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        return None
    is_wanted = any(kind in _IS and _IS[kind](value) for kind in types)
    return value if is_wanted else None


def _assign(target: Any, path: Sequence[str | int], value: object) -> None:
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
