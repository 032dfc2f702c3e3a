"""Shaping a result for an agent: the fields it asked for, within the tool's budget."""

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

from toolfold_runtime.bounded import Kept
from toolfold_runtime.catalog.catalog import Entry, Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.fields import picked
from toolfold_runtime.running.results import Result, structured
from toolfold_runtime.running.tokens import estimated
from toolfold_runtime.running.truncate import cut
from toolfold_runtime.running.validators import OUTPUT, Schemas

_ENTRIES: Final = 256
_BYTES: Final = 32_000_000
_SECONDS: Final = 600.0
#: Objects are larger than the JSON they came from, roughly so many times.
_FACTOR: Final = 4
#: Where structured content says what was left out of it, if the schema leaves room for that.
_NOTE: Final = "left_out"


@dataclass(frozen=True)
class Answer:
    """A result as clients get it: text, notes about it, and the structured content promised."""

    text: str
    structured: Json | None = None
    notes: tuple[str, ...] = ()

    def noted(self, warnings: tuple[str, ...]) -> "Answer":
        """The same, with more to be said about it."""
        return replace(self, notes=(*warnings, *self.notes)) if warnings else self


@dataclass(frozen=True)
class _Rest:
    tool: str
    value: Any
    size: int


class Shaper:
    """Cuts what is too large, and keeps for a while what was cut off."""

    def __init__(
        self,
        schemas: Schemas,
        reader: str | None,
        budget: int | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._schemas = schemas
        self._reader = reader
        self._budget = budget
        self._rests: Kept[_Rest] = Kept(_ENTRIES, _BYTES, clock)

    def typed(self, entry: Entry, result: Result) -> Answer:
        """The answer to a call by the tool's own name, with the structured content it promises."""
        if OUTPUT not in entry.definition:
            return self.text(entry, result)
        whole = structured(entry, result.value)
        budget = self._budget_of(entry)
        if budget is None or estimated(result.text) <= budget:
            return Answer(result.text, whole)
        text, value, notes = self._cut(entry, result.value, budget, result.size)
        made = structured(entry, value)
        validator = self._schemas.validator(entry, OUTPUT)
        if not validator.is_valid(made):
            raise _too_large(entry, budget, "its schema allows no shorter one", self._reader)
        if _NOTE not in made and validator.is_valid(made | {_NOTE: " ".join(notes)}):
            made = made | {_NOTE: " ".join(notes)}
        return Answer(text, made, notes)

    def text(self, entry: Entry, result: Result, fields: tuple[str, ...] = ()) -> Answer:
        """The answer through a runner, which promises text: nothing is said twice."""
        if not fields:
            return self._within(entry, result.value, result.text)
        if not isinstance(result.value, dict | list):
            answer = self._within(entry, result.value, result.text)
            note = f"warning: {entry.name} returned no fields to choose from"
            return Answer(answer.text, None, (note, *answer.notes))
        value, missing = picked(result.value, fields)
        answer = self._within(entry, value, compact(value))
        warnings = [f"warning: the result has no field {', '.join(missing)}"] if missing else []
        return Answer(answer.text, None, (*warnings, *answer.notes))

    def read_on(self, entry: Entry, cursor: str) -> Answer:
        """What was left out of an earlier answer; ToolError where the cursor is unknown or old."""
        rest = self._rests.get(cursor)
        if rest is None or rest.tool != entry.name:
            text = f"no such cursor of {entry.name}, or it has expired: run the tool again."
            raise ToolError("invalid_arguments", text)
        budget = self._budget_of(entry) or 0
        if rest.size > 3 * budget:  # no token has more bytes: there is no need to write it all
            text, _, notes = self._cut(entry, rest.value, budget, rest.size)
            return Answer(text, None, notes)
        is_plain = isinstance(rest.value, str)
        return self._within(entry, rest.value, rest.value if is_plain else compact(rest.value))

    def _within(self, entry: Entry, value: Any, text: str) -> Answer:
        budget = self._budget_of(entry)
        if budget is None or estimated(text) <= budget:
            return Answer(text)
        text, _, notes = self._cut(entry, value, budget, len(text))
        return Answer(text, None, notes)

    def _cut(
        self, entry: Entry, value: Any, budget: int, size: int
    ) -> tuple[str, Any, tuple[str, ...]]:
        """What fits, as text and as a value, and the note about what does not."""
        done = cut(value, budget)
        if done is None:
            raise _too_large(entry, budget, "it cannot be cut", self._reader)
        is_plain = isinstance(value, str) and OUTPUT not in entry.definition
        text = done.head if is_plain else compact(done.head)
        note = f"left out: {'; '.join(done.left_out[:5])}."
        rest = _Rest(entry.name, done.rest, max(size - len(text), 0))
        return text, done.head, (f"{note} {self._way_on(entry, rest)}",)

    def _way_on(self, entry: Entry, rest: _Rest) -> str:
        if self._reader is None:
            return "Ask for less to see all of it."
        cursor = secrets.token_urlsafe(9)
        if not self._rests.put(cursor, rest, _FACTOR * rest.size, _SECONDS):
            return "It is too large to read on; ask for less."
        ask = compact({"tool": entry.name, "cursor": cursor})
        return f"Read on within {_SECONDS / 60:g} minutes: {self._reader}({ask})"

    def _budget_of(self, entry: Entry) -> int | None:
        found: int | None = entry.limits.get("budget", self._budget)
        return found


def _too_large(entry: Entry, budget: int, why: str, reader: str | None) -> ToolError:
    text = f"the result of {entry.name} exceeds its budget of {budget:,} tokens and {why}."
    way_out = f" Ask for less, or for some `fields` with {reader}." if reader else " Ask for less."
    return ToolError("budget_exceeded", text + way_out)
