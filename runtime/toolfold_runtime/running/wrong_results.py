"""What is wrong with a result, in words for the author of the tool."""

import reprlib
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from typing import Any, Final, NamedTuple, TypeVar

from toolfold_runtime.validation import ValidationError, explained, format_words, is_base64_text

_Parsed = TypeVar("_Parsed")
_LONGEST: Final = 80
_MOST_NAMES: Final = 10
#: By keyword: the rule, around the value that the schema gives it.
_LIMITS: Final = {
    "minimum": "must be at least {}",
    "maximum": "must be at most {}",
    "exclusiveMinimum": "must be more than {}",
    "exclusiveMaximum": "must be less than {}",
    "multipleOf": "must be a multiple of {}",
    "minLength": "must have at least {} characters",
    "maxLength": "must have at most {} characters",
    "minItems": "must have at least {} items",
    "maxItems": "must have at most {} items",
    "minProperties": "must have at least {} properties",
    "maxProperties": "must have at most {} properties",
    "pattern": "must match {!r}",
    "const": "must be {!r}",
}
_UNDECLARED: Final = "is not a property that the schema declares"


class WrongResult(NamedTuple):
    """One mistake in a result: its place, the rule it breaks, what is there, and a way out."""

    at: str
    rule: str
    value: str
    hint: str

    def facts(self) -> dict[str, str]:
        """The mistake for the log."""
        facts = {"at": self.at, "rule": self.rule, "value": self.value}
        return facts | {"hint": self.hint} if self.hint else facts


def first_mistake(errors: Sequence[ValidationError], *, is_wrapped: bool) -> WrongResult:
    """The first mistake; `is_wrapped` where the schema has the result under `result`."""
    error = _innermost(errors[0])
    kind = error.kind.as_dict()
    path, value, rule = list(error.instance_path), error.instance, _rule(error, kind)
    if "property" in kind:
        path.append(kind["property"])
        there = ", ".join(list(value)[:_MOST_NAMES]) if isinstance(value, dict) else ""
        shown = f"nothing (there are: {_on_one_line(there)})" if there else "nothing"
    elif rule == _UNDECLARED and isinstance(value, dict):
        path.append(kind["unexpected"][0])
        shown = _shown(value.get(kind["unexpected"][0]))
    else:
        shown = _shown(value)
    steps = path[1:] if is_wrapped else path
    at = _on_one_line(".".join(map(str, steps))) or "the whole result"
    return WrongResult(at, rule, shown, _hint(error, kind))


def _innermost(error: ValidationError) -> ValidationError:
    """The error inside an `anyOf` or `oneOf` that says most: of the branch with the fewest.

    Branches that refuse the type of the value were not meant, unless all of them do.
    """
    branches = [branch for branch in error.kind.as_dict().get("context") or () if branch]
    meant = [branch for branch in branches if not _is_of_other_type(branch[0], error)]
    return _innermost(min(meant, key=len)[0]) if meant else error


def _is_of_other_type(inner: ValidationError, outer: ValidationError) -> bool:
    return inner.kind.name == "type" and inner.instance_path == outer.instance_path


def _rule(error: ValidationError, kind: dict[str, Any]) -> str:
    """The rule that is broken, in words, without the value that breaks it."""
    name = error.kind.name
    if name in _LIMITS:
        return _LIMITS[name].format(next(iter(kind.values())))
    match kind:
        case {"types": [*types]}:
            return f"must be of type {' or '.join(types)}"
        case {"format": str(format_)}:
            return f"must be {format_words(format_)}"
        case {"property": _}:
            return "is required"
        case {"unexpected": [str(), *_]} if isinstance(error.instance, dict):
            return _UNDECLARED
        case {"context": [*branches]}:
            types = [t for branch in branches for inner in branch[:1] for t in _types(inner)]
            return f"must be of type {' or '.join(types)}" if types else f"must match one `{name}`"
    if name == "contentEncoding":
        return f"must be {format_words('binary')}"
    return explained(error)[: 2 * _LONGEST]


def _types(error: ValidationError) -> list[str]:
    types = error.kind.as_dict().get("types")
    return types if isinstance(types, list) else []


def _shown(value: object) -> str:
    """The type of a value and the beginning of it."""
    if value is None:
        return "None"
    short = reprlib.Repr()
    short.maxstring = short.maxother = _LONGEST
    return f"{type(value).__name__} {short.repr(value)[:_LONGEST]}"


def _on_one_line(names: str) -> str:
    """Names of properties, which are data too: no line of theirs may look like one of the log."""
    short = names[: 2 * _LONGEST]
    return short if short.isprintable() else ascii(short)


def _hint(error: ValidationError, kind: dict[str, Any]) -> str:
    text = error.instance
    if not isinstance(text, str):
        return ""
    if "format" in kind and error.kind.name == "format":
        return _hint_of_format(kind["format"], text)
    if error.kind.name == "contentEncoding":
        return _hint_of_format("binary", text)
    if {"number", "integer"} & set(_types(error)) and _parsed(float, text) is not None:
        return "a Decimal is sent as text: convert it with float() or int()"
    return ""


def _hint_of_format(name: str, text: str) -> str:
    moment, clock = _parsed(datetime.fromisoformat, text), _parsed(time.fromisoformat, text)
    if name == "binary":
        is_url = is_base64_text(text.replace("-", "+").replace("_", "/"))
        return "use base64.b64encode, not urlsafe_b64encode" if is_url else "return bytes"
    if name == "date-time" and _parsed(date.fromisoformat, text) is not None:
        return "a date has no time: use datetime.combine(day, time(), UTC)"
    if name == "date-time" and moment is not None and moment.tzinfo is None:
        return "a naive datetime: use datetime.now(UTC), or make it aware with .replace(tzinfo=UTC)"
    if name == "date" and moment is not None:
        return "a datetime is not a date: use its .date()"
    if name == "time" and clock is not None and clock.tzinfo is None:
        return "a naive time: make it aware with .replace(tzinfo=UTC)"
    if name == "time" and moment is not None:
        return "a datetime is not a time: use its .timetz()"
    return ""


def _parsed(read: Callable[[str], _Parsed], text: str) -> _Parsed | None:
    try:
        return read(text)
    except ValueError:
        return None
