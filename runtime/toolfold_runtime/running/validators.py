"""The validators of tools' schemas: made when a tool is first called, then reused."""

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
        return self._validator(entry, "invalid_arguments", entry.definition.input_schema)

    def of_result(self, entry: ToolEntry) -> Validator:
        """The validator of a tool's output schema; ToolError where the schema cannot be used."""
        return self._validator(entry, "invalid_result", entry.definition.output_schema or {})

    def _validator(self, entry: ToolEntry, code: Code, schema: Json) -> Validator:
        known = self._validators.get((entry.name, code))
        if known is not None:
            self.counts.hits += 1
            return known
        self.counts.misses += 1
        try:
            made = validator_for(schema)
        except (ValidationError, ValueError) as error:
            reason = str(error).split("\n")[0]
            text = f"the schema of {entry.name} cannot be used; its author must fix it: {reason}"
            raise ToolError(code, text) from None
        self._validators[entry.name, code] = made
        return made
