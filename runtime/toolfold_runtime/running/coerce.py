"""Strings taken for what they say, where a manifest allows it: `"5"` for 5, `"true"` for true.

Only where nothing else can be meant: the schema's `type` at that place has no room for text, and
the text is JSON of a type that it has room for. Choices (`anyOf`, `oneOf`) are left alone.
"""

import copy
import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from toolfold_runtime.validation import ValidationError

Json = dict[str, Any]

_LONGEST: Final = 100_000
_IS: Final[dict[str, Callable[[Any], bool]]] = {
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "array": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}


def coerced(arguments: Json, errors: Sequence[ValidationError]) -> tuple[Json, list[str]]:
    """The arguments with such strings replaced, and a warning for each; the original is kept."""
    found: list[tuple[list[Any], Any]] = []
    warnings = []
    for error in errors:
        path = list(error.instance_path)
        value = _meant(error)
        if value is not None and path:
            found.append((path, value))
            given, taken = (json.dumps(v, ensure_ascii=False) for v in (error.instance, value))
            where = ".".join(map(str, path))
            warnings.append(f"warning: {where}: {given[:100]} was taken as {taken[:100]}")
    if not found:
        return arguments, []
    changed = copy.deepcopy(arguments)
    for path, value in found:
        _put(changed, path, value)
    return changed, warnings


def _meant(error: ValidationError) -> Any:
    """What a string stands for where the schema wants no string; None where that is not plain."""
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


def _put(target: Any, path: Sequence[Any], value: Any) -> None:
    for step in path[:-1]:
        target = target[step]
    target[path[-1]] = value
