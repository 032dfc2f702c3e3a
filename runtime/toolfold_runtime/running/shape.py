"""Shaping a result for an agent: the fields it asked for, within the tool's budget."""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from toolfold_runtime.bounded import BoundedCache
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.caller import Caller
from toolfold_runtime.running.fields import picked
from toolfold_runtime.running.offsets import cursor_with, result_from, unknown_cursor
from toolfold_runtime.running.results import Result, memory_of, structured
from toolfold_runtime.running.tokens import BYTES_PER_TOKEN, estimated
from toolfold_runtime.running.truncate import truncate
from toolfold_runtime.running.validators import SchemaValidators

if TYPE_CHECKING:
    from toolfold_runtime.running.blocks import Block

_ENTRIES: Final = 256
_BYTES: Final = 32_000_000
_SECONDS: Final = 600.0
_MAX_NAMED: Final = 5
#: The property of structured content with a note about omissions, if the schema allows it.
_NOTE: Final = "left_out"


@dataclass(frozen=True)
class Answer:
    """A result as clients get it: its text and blocks, notes, and the structured content promised."""

    #: None where a result is nothing but blocks.
    text: str | None
    structured: Json | None = None
    notes: tuple[str, ...] = ()
    blocks: "tuple[Block, ...]" = ()
    #: Of another server's answer: its `_meta`, and whether it says that the tool failed.
    meta: Json | None = None
    is_error: bool = False
    #: Whether it is another server's, which is sent as it came.
    is_foreign: bool = False


class _Remainder(NamedTuple):
    """The stored rest of a truncated result."""

    tool: str
    value: Any
    #: Of the value's JSON, in bytes.
    size: int
    #: False where no part of a value is left, but blocks.
    has_value: bool
    blocks: "tuple[Block, ...]"
    #: How many items of a list, or characters of a text, were shown before; None for other values.
    shown: int | None = None


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
        #: By the key of the caller and the cursor, so that a cursor is unknown to other callers.
        self._remainders: BoundedCache[_Remainder] = BoundedCache(_ENTRIES, _BYTES, clock)

    def typed(self, entry: ToolEntry, result: Result, caller: Caller) -> Answer:
        """The answer to a call by the tool's own name, with the structured content it promises."""
        if entry.definition.output_schema is None or result.text is None:
            return self.text(entry, result, caller)
        budget = self.budget_of(entry)
        if budget is None or estimated(result.text) <= budget:
            whole = Answer(result.text, structured(entry, result.value))
            return self._with_blocks(entry, whole, caller, result.blocks)
        answer, head = self._truncated(entry, result, caller, budget)
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
        self,
        entry: ToolEntry,
        result: Result,
        caller: Caller,
        fields: tuple[str, ...] = (),
        offset: int = 0,
    ) -> Answer:
        """The answer through a runner, which promises text and blocks only.

        Fields are chosen from the value, from an offset on; blocks are what they are.
        """
        if offset:
            result = result_from(entry, result, offset)
        if not fields:
            return self._within(entry, result, caller, offset)
        if not isinstance(result.value, dict | list):
            answer = self._within(entry, result, caller)
            note = f"warning: {entry.name} returned no fields to choose from"
            return replace(answer, notes=(note, *answer.notes))
        value, missing = picked(result.value, fields)
        text = compact(value)
        answer = self._within(entry, Result(value, text, len(text), result.blocks), caller, offset)
        warnings = [f"warning: the result has no field {', '.join(missing)}"] if missing else []
        return replace(answer, notes=(*warnings, *answer.notes))

    def read_on(self, entry: ToolEntry, cursor: str, caller: Caller) -> Answer:
        """What was omitted from an earlier answer to this caller; ToolError where there is none."""
        rest = self._remainders.get((caller.key, cursor))
        if rest is None or rest.tool != entry.name:
            raise unknown_cursor(entry, cursor)
        budget = self.budget_of(entry) or 0
        if not rest.has_value:
            return self._with_blocks(entry, Answer(None), caller, rest.blocks)
        if rest.size > BYTES_PER_TOKEN * budget:  # there is no need to write it all
            remaining = Result(rest.value, "", rest.size, rest.blocks)
            return self._truncated(entry, remaining, caller, budget, rest.shown)[0]
        written = rest.value if isinstance(rest.value, str) else compact(rest.value)
        result = Result(rest.value, written, len(written), rest.blocks)
        return self._within(entry, result, caller, rest.shown)

    def _within(
        self, entry: ToolEntry, result: Result, caller: Caller, shown: int | None = 0
    ) -> Answer:
        budget = self.budget_of(entry)
        if result.text is None or budget is None or estimated(result.text) <= budget:
            return self._with_blocks(entry, Answer(result.text), caller, result.blocks)
        return self._truncated(entry, result, caller, budget, shown)[0]

    def _truncated(
        self,
        entry: ToolEntry,
        result: Result,
        caller: Caller,
        budget: int,
        shown: int | None = 0,
    ) -> tuple[Answer, object]:
        """The answer with the part of a value that fits and a note about the rest; and that part.

        `shown` is how much of a list or text was shown before; None where that cannot be said.

        Blocks are for later: they come after the whole value.
        """
        done = truncate(result.value, budget)
        if done is None:
            raise _too_large(entry, budget, "it cannot be cut", self._reader)
        is_plain = isinstance(result.value, str) and entry.definition.output_schema is None
        text = str(done.head) if is_plain else compact(done.head)
        bytes_left = max(result.size - len(text), 0)
        shown = _shown_with(shown, result.value, done.head, done.rest)
        rest = _Remainder(entry.name, done.rest, bytes_left, True, result.blocks, shown)
        omitted = (*done.omitted[:_MAX_NAMED], *_block_counts(result.blocks))
        note = self._left_out(entry, omitted, rest, caller)
        return Answer(text, None, (note,)), done.head

    def _with_blocks(
        self, entry: ToolEntry, answer: Answer, caller: Caller, blocks: "tuple[Block, ...]"
    ) -> Answer:
        """The answer with the blocks that fit beside its text, and notes about the others."""
        if not blocks:
            return answer
        budget = self.budget_of(entry)
        if budget is None:
            return replace(answer, blocks=blocks)
        from toolfold_runtime.running.truncate_blocks import truncate_blocks

        truncated = truncate_blocks(blocks, budget - estimated(answer.text or ""), budget)
        named = "; ".join(truncated.oversized[:_MAX_NAMED])
        if not truncated.head and answer.text is None:
            raise _too_large(entry, budget, f"cannot be cut: {named}", None)
        notes = list(answer.notes)
        if named:
            notes.append(f"not sent, because the budget is {budget:,} tokens: {named}.")
        if truncated.rest:
            rest = _Remainder(entry.name, None, 0, False, truncated.rest)
            notes.append(self._left_out(entry, truncated.omitted, rest, caller))
        return replace(answer, notes=tuple(notes), blocks=truncated.head)

    def _left_out(
        self, entry: ToolEntry, omitted: Sequence[str], rest: _Remainder, caller: Caller
    ) -> str:
        """The note about what was omitted, with the way to read on."""
        note = f"left out: {'; '.join(omitted)}."
        return f"{note} {self._continuation(entry, rest, caller)}"

    def _continuation(self, entry: ToolEntry, rest: _Remainder, caller: Caller) -> str:
        if self._reader is None:
            return "Ask for less to see all of it."
        cursor = cursor_with(secrets.token_urlsafe(9), rest.shown or 0)
        memory = memory_of(rest.size, rest.blocks)
        if not self._remainders.put((caller.key, cursor), rest, memory, _SECONDS):
            return "It is too large to read on; ask for less."
        ask = compact({"tool": entry.name, "cursor": cursor})
        return f"Read on within {_SECONDS / 60:g} minutes: {self._reader}({ask})"

    def budget_of(self, entry: ToolEntry) -> int | None:
        """Tokens that a result of the tool may cost; None for no limit."""
        return self._budget if entry.limits.budget is None else entry.limits.budget


def _shown_with(before: int | None, value: object, head: object, rest: object) -> int | None:
    """How much of a list or text is shown so far; None if a part was cut inside."""
    for kind in (list, str):
        if before is not None and all(isinstance(part, kind) for part in (value, head, rest)):
            sizes = [len(cast("list[object] | str", part)) for part in (value, head, rest)]
            return before + sizes[1] if sizes[0] == sizes[1] + sizes[2] else None
    return None


def _block_counts(blocks: "tuple[Block, ...]") -> list[str]:
    """The number of blocks of each kind, in words."""
    if not blocks:
        return []
    from toolfold_runtime.running.truncate_blocks import counted

    return list(counted(blocks, blocks))


def _too_large(entry: ToolEntry, budget: int, why: str, reader: str | None) -> ToolError:
    text = f"the result of {entry.name} exceeds its budget of {budget:,} tokens and {why}."
    way_out = f" Ask for less, or for some `fields` with {reader}." if reader else " Ask for less."
    return ToolError("budget_exceeded", text + way_out)
