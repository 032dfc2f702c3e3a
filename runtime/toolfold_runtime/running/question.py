"""Questions to a user: a form of texts, numbers, truths and choices, as the protocol allows."""

import json
import re
from functools import cache
from typing import Any, Final

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.vocabulary import CONFIRM
from toolfold_runtime.jsontext import compact
from toolfold_runtime.pointers import pointer
from toolfold_runtime.running.arguments import whole_numbers
from toolfold_runtime.validation import ValidationError, Validator, explained, validator_for

_NAME: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_LONGEST_MESSAGE: Final = 10_000
_LONGEST_REASON: Final = 500

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "number"}
_COUNT: Final = {"type": "integer", "minimum": 0}
_TEXTS: Final = {"type": "array", "items": _TEXT}
_TITLED: Final = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {"const": _TEXT, "title": _TEXT},
        "required": ["const", "title"],
        "additionalProperties": False,
    },
}
_CHOICES: Final = {
    "type": "object",
    "properties": {"type": {"const": "string"}, "enum": _TEXTS, "anyOf": _TITLED},
    "minProperties": 1,
    "additionalProperties": False,
}


def _field(*types: str, **keywords: Any) -> Json:
    """The schema of a field of these types, with the keywords that it may have."""
    known = {"type": True, "title": _TEXT, "description": _TEXT, **keywords}
    return {
        "if": {"properties": {"type": {"enum": list(types)}}},
        "then": {"properties": known, "additionalProperties": False},
    }


_FIELDS: Final = [
    _field(
        "string",
        default=_TEXT,
        minLength=_COUNT,
        maxLength=_COUNT,
        format={"enum": ["email", "uri", "date", "date-time"]},
        enum=_TEXTS,
        enumNames=_TEXTS,
        oneOf=_TITLED,
    ),
    _field("number", "integer", default=_NUMBER, minimum=_NUMBER, maximum=_NUMBER),
    _field("boolean", default={"type": "boolean"}),
    _field("array", default=_TEXTS, minItems=_COUNT, maxItems=_COUNT, items=_CHOICES),
]
_FORM: Final[Json] = {
    "type": "object",
    "properties": {
        "$schema": _TEXT,
        "type": {"const": "object"},
        "properties": {
            "type": "object",
            "additionalProperties": {
                "type": "object",
                "properties": {
                    "type": {"enum": ["string", "number", "integer", "boolean", "array"]}
                },
                "required": ["type"],
                "allOf": _FIELDS,
            },
        },
        "required": _TEXTS,
    },
    "required": ["type", "properties"],
    "additionalProperties": False,
}


class Question:
    """A message and a form under a name; ValueError if no client can show the form."""

    def __init__(self, message: str, schema: Json, name: str) -> None:
        if not isinstance(message, str) or not message:
            raise ValueError("ask: the message must be a text")
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name == CONFIRM:
            text = f"letters, digits, . _ and -, at most 64, and not {CONFIRM}"
            raise ValueError(f"ask: the name of a question must have {text}")
        self.name = name
        # Half of a surrogate pair is no text that can be sent.
        self.message = message[:_LONGEST_MESSAGE].encode("utf-8", "replace").decode()
        self.schema, self._validator = _form(schema)

    def content(self, given: object) -> Json:
        """The values of the form's fields; ValueError if they do not fit the schema."""
        filled = whole_numbers(given) if isinstance(given, dict) else {}
        known = {
            name: filled[name] for name in self.schema["properties"] if filled.get(name) is not None
        }
        problem = next(iter(self._validator.iter_errors(known)), None)
        if problem is not None:
            raise ValueError(_explained(problem))
        try:
            compact(known).encode()
        except ValueError:
            raise ValueError("NaN, Infinity and halves of surrogate pairs are no JSON") from None
        return known


def _form(schema: Json) -> tuple[Json, Validator]:
    """A copy of the schema, which the author may change later, and what validates answers."""
    try:
        form: Json = json.loads(compact(schema))
        problem = next(iter(_forms().iter_errors(form)), None)
        if problem is None:
            return form, validator_for(form, asserts_formats=True)
        reason = _explained(problem)
    except ValidationError as error:
        reason = _explained(error)
    except (TypeError, ValueError, RecursionError) as error:
        reason = str(error)[:_LONGEST_REASON]
    raise ValueError(f"ask: the schema is no object of primitive fields: {reason}")


@cache
def _forms() -> Validator:
    return validator_for(_FORM)


def _explained(error: ValidationError) -> str:
    place = pointer(tuple(error.instance_path))
    return f"{place}{': ' if place else ''}{explained(error)}"[:_LONGEST_REASON]
