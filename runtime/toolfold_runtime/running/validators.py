"""The validators of tools' schemas: made when a tool is first called, then reused."""

from toolfold_runtime import log
from toolfold_runtime.bounded import LookupCounts
from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.contract.vocabulary import Code
from toolfold_runtime.errors import ToolError
from toolfold_runtime.validation import ValidationError, Validator, validator_for


class SchemaValidators:
    """One validator per schema that was needed so far."""

    def __init__(self) -> None:
        self.counts = LookupCounts()
        self._validators: dict[tuple[str, Code], Validator] = {}

    def of_arguments(self, entry: ToolEntry) -> Validator:
        """The validator of a tool's input schema; ToolError where the schema cannot be used."""
        schema, asserts = entry.definition.input_schema, entry.asserts_input_formats
        return self._validator(entry, "invalid_arguments", schema, asserts)

    def of_result(self, entry: ToolEntry) -> Validator:
        """The validator of a tool's output schema; ToolError where the schema cannot be used."""
        schema, asserts = entry.definition.output_schema or {}, entry.asserts_output_formats
        return self._validator(entry, "invalid_result", schema, asserts)

    def _validator(
        self, entry: ToolEntry, code: Code, schema: Json, asserts_formats: bool
    ) -> Validator:
        known = self._validators.get((entry.name, code))
        if known is not None:
            self.counts.hits += 1
            return known
        self.counts.misses += 1
        try:
            made = validator_for(schema, asserts_formats=asserts_formats)
        except (ValidationError, ValueError) as error:
            # The reason quotes the schema, and is for the tool's author.
            what = "input" if code == "invalid_arguments" else "output"
            reason = str(error).split("\n")[0]
            log.warning(f"the {what} schema cannot be used", tool=entry.name, reason=reason)
            text = (
                f"{entry.name} cannot be used: its {what} schema is broken; its author must fix it."
            )
            raise ToolError(code, text) from None
        self._validators[entry.name, code] = made
        return made
