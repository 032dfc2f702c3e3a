"""Shaping a result for an agent: the fields it asked for, within the tool's budget."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from toolfold_runtime.bounded import BoundedCache
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.fields import picked
from toolfold_runtime.running.results import Result, structured
from toolfold_runtime.running.tokens import BYTES_PER_TOKEN, estimated
from toolfold_runtime.running.truncate import truncate
from toolfold_runtime.running.validators import SchemaValidators

_ENTRIES: Final = 256
_BYTES: Final = 32_000_000
_SECONDS: Final = 600.0
#: Objects are larger than the JSON they came from, roughly so many times.
_FACTOR: Final = 4
#: Where structured content says what was omitted from it, if the schema allows that.
_NOTE: Final = "left_out"


@dataclass(frozen=True)
class Answer:
    """A result as clients get it: text, notes about it, and the structured content promised."""

    text: str
    structured: Json | None = None
    notes: tuple[str, ...] = ()


class _Remainder(NamedTuple):
    """What was omitted from the result of a tool."""

    tool: str
    value: Any
    size: int


class Shaper:
    """Truncates what is too large, and stores for a while what was omitted."""

    def __init__(
        self,
        validators: SchemaValidators,
        reader: str | None,
        budget: int | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._validators = validators
        self._reader = reader
        self._budget = budget
        #: By the key of the caller and the cursor, so that those of others are unknown ones.
        self._remainders: BoundedCache[_Remainder] = BoundedCache(_ENTRIES, _BYTES, clock)

    def typed(self, entry: ToolEntry, result: Result, caller: Caller) -> Answer:
        """The answer to a call by the tool's own name, with the structured content it promises."""
        if entry.definition.output_schema is None:
            return self.text(entry, result, caller)
        whole = structured(entry, result.value)
        budget = self._budget_of(entry)
        if budget is None or estimated(result.text) <= budget:
            return Answer(result.text, whole)
        answer, head = self._truncated(entry, result.value, caller, budget, result.size)
        content = structured(entry, head)
        validator = self._validators.of_result(entry)
        most_values = BYTES_PER_TOKEN * budget
        if not validator.is_valid(content, most_values):
            raise _too_large(entry, budget, "its schema allows no shorter one", self._reader)
        noted = content | {_NOTE: " ".join(answer.notes)}
        if _NOTE not in content and validator.is_valid(noted, most_values):
            content = noted
        return replace(answer, structured=content)

    def text(
        self, entry: ToolEntry, result: Result, caller: Caller, fields: tuple[str, ...] = ()
    ) -> Answer:
        """The answer through a runner, which promises text only."""
        if not fields:
            return self._within(entry, result.value, caller, result.text)
        if not isinstance(result.value, dict | list):
            answer = self._within(entry, result.value, caller, result.text)
            note = f"warning: {entry.name} returned no fields to choose from"
            return Answer(answer.text, None, (note, *answer.notes))
        value, missing = picked(result.value, fields)
        answer = self._within(entry, value, caller, compact(value))
        warnings = [f"warning: the result has no field {', '.join(missing)}"] if missing else []
        return Answer(answer.text, None, (*warnings, *answer.notes))

    def read_on(self, entry: ToolEntry, cursor: str, caller: Caller) -> Answer:
        """What was omitted from an earlier answer to this caller; ToolError where there is none."""
        rest = self._remainders.get((caller.key, cursor))
        if rest is None or rest.tool != entry.name:
            text = f"no such cursor of {entry.name}, or it has expired: run the tool again."
            raise ToolError("invalid_arguments", text)
        budget = self._budget_of(entry) or 0
        if rest.size > BYTES_PER_TOKEN * budget:  # there is no need to write it all
            return self._truncated(entry, rest.value, caller, budget, rest.size)[0]
        is_plain = isinstance(rest.value, str)
        text = rest.value if is_plain else compact(rest.value)
        return self._within(entry, rest.value, caller, text)

    def _within(self, entry: ToolEntry, value: object, caller: Caller, text: str) -> Answer:
        budget = self._budget_of(entry)
        if budget is None or estimated(text) <= budget:
            return Answer(text)
        return self._truncated(entry, value, caller, budget, len(text))[0]

    def _truncated(
        self, entry: ToolEntry, value: object, caller: Caller, budget: int, size: int
    ) -> tuple[Answer, object]:
        """The answer with what fits of a value and a note about the rest; and what fits."""
        done = truncate(value, budget)
        if done is None:
            raise _too_large(entry, budget, "it cannot be cut", self._reader)
        is_plain = isinstance(value, str) and entry.definition.output_schema is None
        text = str(done.head) if is_plain else compact(done.head)
        note = f"left out: {'; '.join(done.omitted[:5])}."
        rest = _Remainder(entry.name, done.rest, max(size - len(text), 0))
        return Answer(text, None, (f"{note} {self._continuation(entry, rest, caller)}",)), done.head

    def _continuation(self, entry: ToolEntry, rest: _Remainder, caller: Caller) -> str:
        if self._reader is None:
            return "Ask for less to see all of it."
        cursor = secrets.token_urlsafe(9)
        if not self._remainders.put((caller.key, cursor), rest, _FACTOR * rest.size, _SECONDS):
            return "It is too large to read on; ask for less."
        ask = compact({"tool": entry.name, "cursor": cursor})
        return f"Read on within {_SECONDS / 60:g} minutes: {self._reader}({ask})"

    def _budget_of(self, entry: ToolEntry) -> int | None:
        return self._budget if entry.limits.budget is None else entry.limits.budget


def _too_large(entry: ToolEntry, budget: int, why: str, reader: str | None) -> ToolError:
    text = f"the result of {entry.name} exceeds its budget of {budget:,} tokens and {why}."
    way_out = f" Ask for less, or for some `fields` with {reader}." if reader else " Ask for less."
    return ToolError("budget_exceeded", text + way_out)
