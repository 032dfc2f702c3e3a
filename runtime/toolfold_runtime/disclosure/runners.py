"""The runners: calling a tool that is not listed, by its effect."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.server import runner_for
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import ArgumentsForm, Effect
from toolfold_runtime.disclosure.received import parsed
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.arguments import valid_call
from toolfold_runtime.running.diagnosis.faults import Fault
from toolfold_runtime.running.explain import explanations

#: Synonyms that agents use for `arguments`.
_SYNONYMS: Final = ("arguments", "args", "params", "parameters", "input")
_TOOL: Final = ("tool", "name")
_KNOWN: Final = frozenset({*_TOOL, "fields", "cursor", *_SYNONYMS})
# Characters of the names of fields; of a list, its items.
_LONGEST_FIELDS: Final = 10_000
_EXPECTED: Final[dict[ArgumentsForm, str]] = {
    "object": "object",
    "json": "string with a JSON object",
}


@dataclass(frozen=True)
class RunRequest:
    """The arguments of a runner; `unknown` names those that it does not have."""

    tool: str
    arguments: Json
    fields: str
    cursor: str
    unknown: tuple[str, ...]


def run_request(runner: str, given: Json, form: ArgumentsForm = "object") -> RunRequest:
    """The arguments of a runner, under their names or synonyms; ToolError if no tool is named."""
    tool = next((given[key] for key in _TOOL if given.get(key) is not None), None)
    if not isinstance(tool, str) or not tool:
        empty = "{}" if form == "object" else '"{}"'
        text = f'{runner} needs a tool: {runner}({{"tool": "NAME", "arguments": {empty}}}).'
        raise ToolError("invalid_arguments", text)
    key = next((key for key in _SYNONYMS if given.get(key) is not None), None)
    return RunRequest(
        tool,
        _object(runner, key, given[key], _EXPECTED[form]) if key else {},
        _fields(runner, given.get("fields")),
        _text(runner, "cursor", given.get("cursor")),
        tuple(key for key in given if key not in _KNOWN),
    )


def refuse_misplaced(
    runner: str, entry: ToolEntry, unknown: Sequence[str], form: ArgumentsForm = "object"
) -> None:
    """ToolError where arguments of the tool stand beside `arguments`: it would run without them."""
    properties = entry.definition.input_schema.get("properties", {})
    names = [name for name in unknown if name in properties]
    if names:
        text = f"{', '.join(names)}: put what is for {entry.name} under `arguments`."
        call = valid_call(entry, runner, form)
        raise ToolError("invalid_arguments", f"{text}\nvalid call: {call}" if call else text)


def refuse_effect(runner: str, entry: ToolEntry, runners: Mapping[str, Sequence[Effect]]) -> None:
    """ToolError `effect_refused` where this runner may not run the tool, naming the one that may."""
    if entry.effect in runners[runner]:
        return
    other = runner_for(runners, entry.effect)
    way_out = f" Use {other}." if other else ""
    text = f"{entry.name} has the effect {entry.effect}; {runner} does not run such tools.{way_out}"
    raise ToolError("effect_refused", text)


def _object(runner: str, name: str, given: object, expected: str) -> Json:
    """Arguments as an object or as text that spells one, whichever form was asked for."""
    value = parsed(name, given or "{}") if isinstance(given, str) else given
    if not isinstance(value, dict):
        raise _wrong(runner, name, expected, given)
    return value


def _fields(runner: str, value: object) -> str:
    """The names of fields, which are repeated to the agent; ToolError where they are too long."""
    names = _text(runner, "fields", value[:_LONGEST_FIELDS] if isinstance(value, list) else value)
    if len(names) > _LONGEST_FIELDS:
        text = f"more than {_LONGEST_FIELDS:,} characters; name fewer fields"
        raise ToolError("invalid_arguments", f"{runner}: fields: {text}.")
    return names


def _text(runner: str, name: str, value: object) -> str:
    """The text of a value, which may be a list of names instead."""
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        value = ",".join(value)
    if value is not None and not isinstance(value, str):
        raise _wrong(runner, name, "string", value)
    return value or ""


def _wrong(runner: str, name: str, expected: str, given: object) -> ToolError:
    explanation = explanations([Fault((name,), "type", given, expected)])[0]
    return ToolError("invalid_arguments", f"{runner}: {explanation.line}.")
