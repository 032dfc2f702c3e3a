"""The runners: calling a tool that is not listed, by its effect."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolfold_runtime.catalog import Entry, Json
from toolfold_runtime.errors import ToolError

#: What agents write instead of `arguments`.
_SYNONYMS = ("arguments", "args", "params", "parameters", "input")


def asked_for(runner: str, given: Json) -> tuple[str, Json]:
    """The tool and the arguments that a runner was called with, in any of the forms they come in."""
    tool = given.get("tool", given.get("name"))
    if not isinstance(tool, str) or not tool:
        text = f'{runner} needs a tool: {runner}({{"tool": "NAME", "arguments": {{}}}}).'
        raise ToolError("invalid_arguments", text)
    for key in _SYNONYMS:
        if given.get(key) is not None:
            return tool, _object(runner, given[key])
    return tool, {}


def extra_parameters(given: Json) -> list[str]:
    """What a runner was given besides a tool and its arguments."""
    return [key for key in given if key not in ("tool", "name", *_SYNONYMS)]


def refuse_effect(runner: str, entry: Entry, runners: Mapping[str, Sequence[str]]) -> None:
    """ToolError `effect_refused` where this runner may not run the tool, naming the one that may."""
    if entry.effect in runners[runner]:
        return
    others = [name for name, effects in runners.items() if entry.effect in effects]
    way_out = f" Use {others[0]}." if others else ""
    text = f"{entry.name} has the effect {entry.effect}; {runner} does not run such tools.{way_out}"
    raise ToolError("effect_refused", text)


def _object(runner: str, value: Any) -> Json:
    if isinstance(value, str):
        try:
            value = json.loads(value or "{}")
        except ValueError:
            value = None
    if not isinstance(value, dict):
        raise ToolError("invalid_arguments", f"{runner}: `arguments` is not an object.")
    return value
