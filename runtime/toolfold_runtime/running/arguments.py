"""Arguments as the schema means them: validated, coerced where allowed, completed by defaults."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.coerce import coerced
from toolfold_runtime.running.defaults import Defaults, defaults_of
from toolfold_runtime.running.validators import SchemaValidators
from toolfold_runtime.validation import ValidationError, explained

_MOST_SHOWN: Final = 10
_MOST_ERRORS: Final = 100


@dataclass(frozen=True)
class ValidArguments:
    """Arguments that the schema accepts: as sent, completed by defaults, and warnings about them."""

    sent: Json
    values: Json
    warnings: tuple[str, ...] = ()


class Arguments:
    """Validates what agents send against the schemas of tools."""

    def __init__(self, validators: SchemaValidators) -> None:
        self._validators = validators
        self._defaults: dict[str, Defaults | None] = {}

    def validated(self, entry: ToolEntry, given: Json, *, coerce_strings: bool) -> ValidArguments:
        """What reaches the backend; ToolError `invalid_arguments` with all a valid call needs."""
        validator = self._validators.of_arguments(entry)
        warnings: list[str] = []
        if not validator.is_valid(given):
            errors = list(islice(validator.iter_errors(given), _MOST_ERRORS))
            changed, warnings = coerced(given, errors) if coerce_strings else (given, [])
            if not warnings or not validator.is_valid(changed):
                raise ToolError("invalid_arguments", _explanation(entry, errors))
            given = changed
        sent = values = _whole_numbers(given)
        defaults = self._defaults_of(entry)
        if defaults is not None:
            values = defaults.fill(sent)
            # A default that breaks the schema, alone or beside what was sent, is not applied.
            values = values if validator.is_valid(values) else sent
        return ValidArguments(sent, values, tuple(warnings))

    def _defaults_of(self, entry: ToolEntry) -> Defaults | None:
        if entry.name not in self._defaults:
            self._defaults[entry.name] = defaults_of(entry.definition.input_schema)
        return self._defaults[entry.name]


def _explanation(entry: ToolEntry, errors: list[ValidationError]) -> str:
    lines = [f"- {_where(error)}{explained(error)}" for error in errors[:_MOST_SHOWN]]
    if len(errors) > _MOST_SHOWN:
        lines.append(f"- and {len(errors) - _MOST_SHOWN} more")
    text = f"invalid arguments for {entry.name}:\n" + "\n".join(lines)
    text += f"\nsignature: {entry.signature}"
    if entry.example is not None:
        text += f"\nvalid call: {entry.name}({compact(entry.example)})"
    return text


def _where(error: ValidationError) -> str:
    path = ".".join(str(step) for step in error.instance_path)
    return f"{path}: " if path else ""


def _whole_numbers(value: Any) -> Any:
    """1.0 is an integer to JSON Schema; to Python it becomes one here."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {key: _whole_numbers(inner) for key, inner in value.items()}
    return [_whole_numbers(inner) for inner in value] if isinstance(value, list) else value
