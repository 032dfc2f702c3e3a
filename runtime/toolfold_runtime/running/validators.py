"""The validators of tools' schemas: made when a tool is first called, then kept."""

from typing import Final

from toolfold_runtime.bounded import Counts
from toolfold_runtime.catalog.catalog import Entry
from toolfold_runtime.errors import Code, ToolError
from toolfold_runtime.validation import ValidationError, Validator, validator_for

INPUT: Final = "inputSchema"
OUTPUT: Final = "outputSchema"


class Schemas:
    """One validator per schema that was needed so far."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._validators: dict[tuple[str, str], Validator] = {}

    def validator(self, entry: Entry, key: str) -> Validator:
        """The validator of a tool's schema; a ToolError says whose fault it is where none is."""
        known = self._validators.get((entry.name, key))
        if known is not None:
            self.counts.hits += 1
            return known
        self.counts.misses += 1
        made = _made(entry, key)
        self._validators[entry.name, key] = made
        return made


def _made(entry: Entry, key: str) -> Validator:
    try:
        return validator_for(entry.definition[key])
    except (ValidationError, ValueError) as error:
        said = str(error).split("\n")[0]
        text = f"the schema of {entry.name} cannot be used; its author must fix it: {said}"
        code: Code = "invalid_arguments" if key == INPUT else "invalid_result"
        raise ToolError(code, text) from None
