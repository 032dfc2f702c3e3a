"""The validators of tools' schemas: made when a tool is first called, then reused."""

from collections.abc import Callable
from typing import Final

from toolfold_runtime import server_log
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import FEW_CHECKS, ToolEntry
from toolfold_runtime.contract.vocabulary import Code
from toolfold_runtime.errors import ToolError
from toolfold_runtime.running.measure import FEW_VALUES
from toolfold_runtime.validation import ValidationError, Validator, validator_for

#: The most checks in this process, checks per value times values: about half a second.
MOST_CHECKS: Final = 20_000_000


def is_slow(checks: int) -> bool:
    """Whether validation may be slow even for small values, by the number of checks per value."""
    return checks * FEW_VALUES > MOST_CHECKS


def listed_schema(entry: ToolEntry) -> Json:
    """The listed schema of a tool's arguments, which is the whole schema for most tools."""
    return entry.definition.input_schema


class ToolValidator:
    """The validator of one schema of a tool.

    What may take long, because parts refer to the same part again and again, is validated in a
    process of its own.
    """

    def __init__(self, schema: Json, checks: int, seconds: float, *, asserts_formats: bool) -> None:
        self._schema = schema
        self._checks = max(checks, FEW_CHECKS)
        self._seconds = seconds
        self._asserts_formats = asserts_formats
        self._validator: Validator = validator_for(schema, asserts_formats=asserts_formats)

    def is_valid(self, value: object, most_values: int = FEW_VALUES) -> bool:
        """Whether the schema accepts a value that holds at most so many values.

        TimeoutError where that takes longer than a call may.
        """
        if self._checks * most_values <= MOST_CHECKS:
            return self._validator.is_valid(value)
        from toolfold_runtime.running.validation_process import is_valid_in_process

        return is_valid_in_process(
            self._schema, value, self._seconds, asserts_formats=self._asserts_formats
        )


class SchemaValidators:
    """One validator per schema that was needed so far; `seconds` is what a call may take."""

    def __init__(
        self, seconds: float, input_schema: Callable[[ToolEntry], Json] | None = None
    ) -> None:
        self.counts = LookupCounts()
        self.input_schema = input_schema or listed_schema
        self._seconds = seconds
        self._validators: dict[tuple[str, Code], ToolValidator] = {}

    def of_arguments(self, entry: ToolEntry) -> ToolValidator:
        """The validator of a tool's input schema; ToolError where the schema cannot be used."""
        schema, asserts = self.input_schema(entry), entry.asserts_input_formats
        return self._validator(entry, "invalid_arguments", schema, entry.input_checks, asserts)

    def of_result(self, entry: ToolEntry) -> ToolValidator:
        """The validator of a tool's output schema; ToolError where the schema cannot be used."""
        schema, asserts = entry.definition.output_schema or {}, entry.asserts_output_formats
        return self._validator(entry, "invalid_result", schema, entry.output_checks, asserts)

    def _validator(
        self, entry: ToolEntry, code: Code, schema: Json, checks: int, asserts_formats: bool
    ) -> ToolValidator:
        known = self._validators.get((entry.name, code))
        if known is not None:
            self.counts.hits += 1
            return known
        self.counts.misses += 1
        seconds = self._seconds if entry.limits.timeout is None else entry.limits.timeout
        try:
            validator = ToolValidator(schema, checks, seconds, asserts_formats=asserts_formats)
        except (ValidationError, ValueError) as error:
            # The reason quotes the schema, and is for the tool's author.
            side = "input" if code == "invalid_arguments" else "output"
            reason = str(error).split("\n")[0]
            server_log.warning(f"the {side} schema cannot be used", tool=entry.name, reason=reason)
            text = (
                f"{entry.name} cannot be used: its {side} schema is broken; its author must fix it."
            )
            raise ToolError(code, text) from None
        self._validators[entry.name, code] = validator
        return validator
