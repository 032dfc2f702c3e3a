"""Refusing values that the parser accepts and JSON does not have, such as NaN.

Python's parser accepts NaN, halves of surrogate pairs and a thousand levels, none of which can be
validated, stored or sent on.
"""

import json
import math
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.diagnosis.faults import ValuePath
from toolfold_runtime.running.explain import dotted, excerpt

# Below what the writer refuses by itself, which is 255.
_MOST_LEVELS: Final = 250
_MOST_LOOKED_AT: Final = 20_000
_TOO_DEEP: Final = f"has more than {_MOST_LEVELS} levels; send a flatter value"
_BROKEN: Final = "has half of a surrogate pair; send the whole character"


def refuse_non_json(arguments: Json) -> None:
    """Raise ToolError `invalid_arguments` if a value is not JSON, naming the first one."""
    from pydantic_core import PydanticSerializationError, to_json

    try:
        text = to_json(arguments, inf_nan_mode="constants")
        if b"NaN" not in text and b"Infinity" not in text:
            return
        compact(arguments)  # the words alone, in a text, are fine
        return
    except (PydanticSerializationError, ValueError):
        pass
    path, reason = _problem(arguments)
    if reason:
        raise ToolError("invalid_arguments", f"{dotted(path) or 'arguments'}: {reason}.")


def parsed(name: str, text: str) -> object:
    """The value of JSON text; None for other text; ToolError for a value that JSON does not have."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return None
    except RecursionError:
        raise ToolError("invalid_arguments", f"{name}: {_TOO_DEEP}.") from None
    except ValueError:
        reason = "has a number of too many digits; send a shorter one"
        raise ToolError("invalid_arguments", f"{name}: {reason}.") from None
    refuse_non_json({name: value})
    return value


def _problem(arguments: Json) -> tuple[ValuePath, str]:
    """The place of the first value that is not JSON, and what is wrong with it; both empty if all are.

    No place where there are very many values: looking for it would hold up the server.
    """
    remaining: list[tuple[ValuePath, object]] = [((), arguments)]
    looked_at = 0
    while remaining:
        path, value = remaining.pop()
        looked_at += len(value) if isinstance(value, dict | list) else 0
        if looked_at > _MOST_LOOKED_AT:
            return (), "hold a value that is no JSON: NaN, Infinity or half of a surrogate pair"
        if len(path) > _MOST_LEVELS:
            return path[:1], _TOO_DEEP
        if isinstance(value, dict):
            broken = next((key for key in value if _is_broken(key)), None)
            if broken is not None:
                return path, f"the name {excerpt(broken)} {_BROKEN}"
            remaining += (((*path, key), inner) for key, inner in reversed(value.items()))
        elif isinstance(value, list):
            remaining += (((*path, at), inner) for at, inner in reversed([*enumerate(value)]))
        elif isinstance(value, str) and _is_broken(value):
            return path, f"{excerpt(value)} {_BROKEN}"
        elif isinstance(value, float) and not math.isfinite(value):
            return (
                path,
                f"{excerpt(value)} is no JSON; send a number, or null where that is allowed",
            )
    return (), ""


def _is_broken(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False
