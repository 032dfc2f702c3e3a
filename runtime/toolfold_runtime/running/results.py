"""Results of tools: converted to JSON, validated, measured."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from toolfold_runtime import log
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.validators import SchemaValidators

#: No answer is larger than this, whatever its budget: it would fill the client's memory and ours.
MOST_BYTES: Final = 16_000_000


@dataclass(frozen=True)
class Result:
    """What a tool returned: plain JSON, its text, and the text's size in bytes. Never changed."""

    value: Any
    text: str
    size: int


def validated(validators: SchemaValidators, entry: ToolEntry, returned: object) -> Result:
    """The result, if it is JSON and keeps the tool's promise; else a ToolError.

    What is wrong with it is for the tool's author, in the log; the agent is told that it is wrong.
    """
    result = _plain(entry, returned)
    if result.size > MOST_BYTES:
        text = f"the result of {entry.name} has {result.size:,} bytes, more than can be sent."
        raise ToolError("budget_exceeded", f"{text} Ask for less.")
    if entry.definition.output_schema is not None:
        _validate(validators, entry, structured(entry, result.value))
    return result


def structured(entry: ToolEntry, value: Any) -> Any:
    """A value as the output schema has it: wrapped where the schema's root is no object."""
    return {"result": value} if entry.wraps_result else value


def _plain(entry: ToolEntry, returned: object) -> Result:
    from toolfold_runtime.models import sent

    try:
        if isinstance(returned, Iterator):
            raise TypeError("an iterator, which may never end; return a list")
        value = sent(returned)
        text = value if isinstance(value, str) and entry.definition.output_schema is None else None
        text = compact(value) if text is None else text
        return Result(value, text, len(text.encode()))
    except Exception as error:
        # Whatever an author's object does while it is turned into JSON, it is no JSON.
        log.warning("the result is not JSON", tool=entry.name, error=str(error))
        raise ToolError("invalid_result", f"{entry.name} returned what is not JSON.") from None


def _validate(validators: SchemaValidators, entry: ToolEntry, value: Json) -> None:
    validator = validators.of_result(entry)
    if validator.is_valid(value):
        return
    broken = next(iter(validator.iter_errors(value)), None)
    if broken is not None:
        # Where and which rule, but not what was found there: values are nobody's business.
        at, rule = ("/".join(map(str, path)) for path in (broken.instance_path, broken.schema_path))
        log.warning("the result breaks `returns`", tool=entry.name, at=at, rule=rule)
    text = f"{entry.name} returned a result that breaks its own schema; its author must fix it."
    raise ToolError("invalid_result", text)
