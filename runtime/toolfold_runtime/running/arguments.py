"""Arguments as the schema means them: validated, coerced where allowed, completed by defaults."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import ArgumentsForm
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.defaults import Defaults, defaults_of
from toolfold_runtime.running.diagnosis.document import SchemaDocument
from toolfold_runtime.running.diagnosis.faults import Fault
from toolfold_runtime.running.explain import MAX_EXPLAINED, explanations
from toolfold_runtime.running.measure import FEW_VALUES, number_of_values
from toolfold_runtime.running.repair import repaired
from toolfold_runtime.running.validators import SchemaValidators, ToolValidator, is_slow

_MAX_SHOWN: Final = 10
_MAX_DOCUMENTS: Final = 64
# A longer example would say less than the signature does.
_MAX_CALL_LENGTH: Final = 1_500


@dataclass(frozen=True)
class ValidArguments:
    """Arguments that the schema accepts: as sent, completed by defaults, and warnings about them."""

    sent: Json
    values: Json
    warnings: tuple[str, ...] = ()
    #: Whether work on them takes microseconds.
    are_small: bool = True


class Arguments:
    """Validates what agents send against the schemas of tools."""

    def __init__(self, validators: SchemaValidators, form: ArgumentsForm = "object") -> None:
        self._validators = validators
        self._form = form
        self._defaults: dict[str, Defaults | None] = {}
        self._lock = threading.Lock()
        #: The schemas of tools that were recently called with invalid arguments.
        self._documents: dict[str, SchemaDocument] = {}

    def if_valid(self, entry: ToolEntry, given: Json) -> ValidArguments | None:
        """The valid arguments, checked at once as they are small; None if the schema refuses them."""
        validator = self._validators.of_arguments(entry)
        return self._completed(entry, given, validator) if validator.is_valid(given) else None

    def validated(
        self, entry: ToolEntry, given: Json, *, coerce_strings: bool, runner: str = ""
    ) -> ValidArguments:
        """The valid arguments; ToolError `invalid_arguments` with all that a valid call needs.

        `runner` is what the tool is run with, if it is not called by its own name. May take long.
        """
        validator = self._validators.of_arguments(entry)
        count = number_of_values(given)
        try:
            if validator.is_valid(given, count):
                return self._completed(entry, given, validator, count)
            if is_slow(entry.input_checks):
                raise ToolError("invalid_arguments", self._explanation(entry, [], runner))
            repair = repaired(self._document_of(entry), given, coerce_strings=coerce_strings)
            if not validator.is_valid(repair.arguments, count):
                text = self._explanation(entry, repair.faults, runner)
                raise ToolError("invalid_arguments", text)
            return self._completed(entry, repair.arguments, validator, count, repair.warnings)
        except TimeoutError:
            text = f"the arguments of {entry.name} could not be validated in time; send fewer."
            raise ToolError("timeout", text) from None

    def _completed(
        self,
        entry: ToolEntry,
        given: Json,
        validator: ToolValidator,
        count: int = FEW_VALUES,
        warnings: Sequence[str] = (),
    ) -> ValidArguments:
        """Valid arguments, of so many values, with defaults filled in."""
        sent = values = whole_numbers(given)
        defaults = self._defaults_of(entry)
        if defaults is not None:
            values = defaults.fill(sent)
            # A default that breaks the schema, alone or beside what was sent, is not applied.
            values = values if validator.is_valid(values, count) else sent
        shown = tuple(_first_lines([*warnings], len(warnings), "warning: and "))
        return ValidArguments(sent, values, shown, count <= FEW_VALUES)

    def _defaults_of(self, entry: ToolEntry) -> Defaults | None:
        if entry.name not in self._defaults:
            self._defaults[entry.name] = defaults_of(entry.definition.input_schema)
        return self._defaults[entry.name]

    def _explanation(self, entry: ToolEntry, faults: list[Fault], runner: str) -> str:
        explained = [f"- {explanation.line}" for explanation in explanations(faults)]
        explained = explained or ["- the schema refuses them, and is too large to say where"]
        number = len(explained) if len(faults) <= MAX_EXPLAINED else len(faults)
        lines = "\n".join(_first_lines(explained, number, "- and "))
        text = f"invalid arguments for {entry.name}:\n{lines}"
        text += f"\nsignature: {entry.signature}"
        call = valid_call(entry, runner, self._form)
        return f"{text}\nvalid call: {call}" if call else text

    def _document_of(self, entry: ToolEntry) -> SchemaDocument:
        with self._lock:
            document = self._documents.pop(entry.name, None)
            if document is None:
                schema = self._validators.input_schema(entry)
                document = SchemaDocument(schema, asserts_formats=entry.asserts_input_formats)
            self._documents[entry.name] = document
            if len(self._documents) > _MAX_DOCUMENTS:
                del self._documents[next(iter(self._documents))]
        return document


def valid_call(entry: ToolEntry, runner: str = "", form: ArgumentsForm = "object") -> str:
    """An example of a valid call, by the tool's name or by a runner; empty if none is short."""
    if entry.example is None:
        return ""
    call = f"{entry.name}({compact(entry.example)})"
    if runner:
        arguments = compact(entry.example) if form == "json" else entry.example
        call = f"{runner}({compact({'tool': entry.name, 'arguments': arguments})})"
    return call if len(call) <= _MAX_CALL_LENGTH else ""


def _first_lines(lines: list[str], number: int, more: str) -> list[str]:
    """The first lines, and a line that says how many more there are."""
    left_out = number - _MAX_SHOWN
    return [*lines[:_MAX_SHOWN], f"{more}{left_out} more"] if left_out > 0 else lines


def whole_numbers(value: Any) -> Any:
    """The value with floats such as 1.0 as ints: JSON Schema takes them for integers."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: whole_numbers(inner) for key, inner in value.items()}
    return [whole_numbers(inner) for inner in value] if isinstance(value, list) else value
