"""Arguments as the schema means them: validated, coerced where allowed, completed by defaults."""

from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from toolfold_runtime.catalog.catalog import Entry, Json
from toolfold_runtime.errors import ToolError
from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.coerce import coerced
from toolfold_runtime.running.defaults import Defaults, defaults_of
from toolfold_runtime.running.validators import INPUT, Schemas
from toolfold_runtime.validation import ValidationError, explained

_MOST_SHOWN: Final = 10
_MOST_FOUND: Final = 100


@dataclass(frozen=True)
class Checked:
    """Arguments that the schema accepts: as sent, completed by defaults, and what to say of them."""

    sent: Json
    values: Json
    warnings: tuple[str, ...] = ()


class Arguments:
    """Holds what agents send to the schemas of tools."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._defaults: dict[str, Defaults | None] = {}

    def checked(self, entry: Entry, given: Json, *, coerce_strings: bool) -> Checked:
        """What reaches the backend; ToolError `invalid_arguments` with all a valid call needs."""
        validator = self._schemas.validator(entry, INPUT)
        warnings: list[str] = []
        if not validator.is_valid(given):
            errors = list(islice(validator.iter_errors(given), _MOST_FOUND))
            changed, warnings = coerced(given, errors) if coerce_strings else (given, [])
            if not warnings or not validator.is_valid(changed):
                raise ToolError("invalid_arguments", _explanation(entry, errors))
            given = changed
        sent = values = _whole_numbers(given)
        defaults = self._of(entry)
        if defaults is not None:
            values = defaults.fill(sent)
            # A default that breaks the schema, alone or beside what was sent, is not applied.
            values = values if validator.is_valid(values) else sent
        return Checked(sent, values, tuple(warnings))

    def _of(self, entry: Entry) -> Defaults | None:
        if entry.name not in self._defaults:
            self._defaults[entry.name] = defaults_of(entry.definition[INPUT])
        return self._defaults[entry.name]


def _explanation(entry: Entry, errors: list[ValidationError]) -> str:
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
