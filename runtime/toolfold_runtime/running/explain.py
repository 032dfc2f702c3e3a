"""What is wrong with a value, in words for an agent: the place, the fact, and what is allowed."""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Any, Final, NamedTuple

from toolfold_runtime.running.diagnosis.faults import Choice, Fault, ValuePath
from toolfold_runtime.validation import format_words

#: The most explanations, because each looks for similar names, which takes time.
MAX_EXPLAINED: Final = 50
_MAX_LENGTH: Final = 100
_MAX_COMPARED: Final = 500
_MAX_OPTIONS: Final = 50
_MAX_NAMES: Final = 20
_WRITER: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
_PLAIN_STEP: Final = re.compile(r"[\w$@:-]{1,100}\Z")


class Explanation(NamedTuple):
    """One thing that is wrong: the path of the value, empty for the whole, and a sentence."""

    path: str
    text: str

    @property
    def line(self) -> str:
        """The path and the sentence on one line."""
        return f"{self.path}: {self.text}" if self.path else self.text


def explanations(faults: Sequence[Fault]) -> list[Explanation]:
    """The first faults in words, each once; the names that an object knows are listed once too."""
    explained: dict[Explanation, None] = {}
    lists: set[tuple[ValuePath, str]] = set()
    for fault in faults[:MAX_EXPLAINED]:
        text = _text(fault)
        if fault.keyword == "unknown":
            text = "unknown" if (fault.path[:-1], text) in lists else text
            lists.add((fault.path[:-1], text))
        explained[Explanation(dotted(fault.path), text)] = None
    return list(explained)


def dotted(path: ValuePath) -> str:
    """A path as `lines.0.city`; a step that is no plain name is quoted."""
    return ".".join(_step(str(step)) for step in path)


def suggestion(name: object, names: Iterable[object]) -> str:
    """`did you mean "city"?` for the nearest name; empty where none is near."""
    texts = [text for text in islice(names, _MAX_COMPARED) if isinstance(text, str)]
    if not isinstance(name, str) or len(name) > _MAX_LENGTH:
        return ""
    close = [text for text in texts if text.casefold() == name.casefold()]
    close = close or get_close_matches(name, texts, n=1, cutoff=0.6)
    return f"did you mean {excerpt(close[0])}?" if close else ""


def with_suggestion(text: str, name: object, names: Iterable[object]) -> str:
    """The text, and behind a comma the suggestion where there is one."""
    near = suggestion(name, names)
    return f"{text}, {near}" if near else text


def excerpt(value: object) -> str:
    """The beginning of a value's JSON, on one line."""
    if isinstance(value, str):
        value = value[: _MAX_LENGTH + 1]
    text = ""
    for part in _WRITER.iterencode(value):
        text += part
        if len(text) > _MAX_LENGTH:
            return text[:_MAX_LENGTH] + "…"
    return text


def _step(text: str) -> str:
    return text if _PLAIN_STEP.match(text) else excerpt(text)


def _text(fault: Fault) -> str:
    return _WORDS.get(fault.keyword, _refused)(fault)


def _refused(fault: Fault) -> str:
    return f"{excerpt(fault.given)} is not allowed here"


def _type(fault: Fault) -> str:
    names = fault.expected if isinstance(fault.expected, list) else [fault.expected]
    return f"expected {_either(map(str, names))}, got {_typed(fault.given)}"


def _choice(fault: Fault) -> str:
    choice = fault.expected if isinstance(fault.expected, Choice) else Choice((), ())
    if not choice.types:
        return _one_of(fault.given, choice.values) if choice.values else _refused(fault)
    options = [*choice.types, *map(excerpt, choice.values[:_MAX_OPTIONS])]
    text = f"expected {_either(options)}, got {_typed(fault.given)}"
    return with_suggestion(text, fault.given, choice.values)


def _enum(fault: Fault) -> str:
    return _one_of(fault.given, _items(fault.expected))


def _one_of(given: object, options: Sequence[object]) -> str:
    return with_suggestion(f"{excerpt(given)} is not one of {_listed(options)}", given, options)


def _const(fault: Fault) -> str:
    return f"expected {excerpt(fault.expected)}, got {excerpt(fault.given)}"


def _required(fault: Fault) -> str:
    if isinstance(fault.expected, str):
        return f"missing; needed where {_step(fault.expected)} is given"
    return f"missing; one of {_listed(fault.expected)}" if _items(fault.expected) else "missing"


def _missing(fault: Fault) -> str:
    sets = (" and ".join(map(_step, names)) for names in _items(fault.expected)[:_MAX_NAMES])
    return f"needs {_either(dict.fromkeys(sets))}"


def _unknown(fault: Fault) -> str:
    known = _items(fault.expected)
    near = suggestion(fault.path[-1], known)
    if near:
        return f"unknown, {near}"
    if not known:
        return "unknown"
    names = ", ".join(map(_step, known[:_MAX_NAMES]))
    return f"unknown; known: {names}{', …' if len(known) > _MAX_NAMES else ''}"


def _minimum(fault: Fault) -> str:
    # Equal to it in older dialects, where a minimum may be exclusive.
    is_equal = fault.given == fault.expected
    relation = "not greater than" if is_equal else "less than the minimum of"
    return f"{excerpt(fault.given)} is {relation} {excerpt(fault.expected)}"


def _maximum(fault: Fault) -> str:
    is_equal = fault.given == fault.expected
    relation = "not less than" if is_equal else "greater than the maximum of"
    return f"{excerpt(fault.given)} is {relation} {excerpt(fault.expected)}"


def _size(bound: str, one: str, many: str) -> Callable[[Fault], str]:
    def words(fault: Fault) -> str:
        given = fault.given
        size = len(given) if isinstance(given, str | list | dict) else 0
        return f"has {size:,} {one if size == 1 else many}, expected {bound} {fault.expected}"

    return words


def _contains(bound: str) -> Callable[[Fault], str]:
    def words(fault: Fault) -> str:
        number, schema = fault.expected if isinstance(fault.expected, tuple) else (1, {})
        return f"expected {bound} {number} of the items to fit {excerpt(schema)}"

    return words


_WORDS: Final[Mapping[str, Callable[[Fault], str]]] = {
    "type": _type,
    "choice": _choice,
    "enum": _enum,
    "const": _const,
    "required": _required,
    "missing": _missing,
    "unknown": _unknown,
    "minimum": _minimum,
    "maximum": _maximum,
    "exclusiveMinimum": lambda f: f"{excerpt(f.given)} is not greater than {excerpt(f.expected)}",
    "exclusiveMaximum": lambda f: f"{excerpt(f.given)} is not less than {excerpt(f.expected)}",
    "multipleOf": lambda f: f"{excerpt(f.given)} is not a multiple of {excerpt(f.expected)}",
    "minLength": _size("at least", "character", "characters"),
    "maxLength": _size("at most", "character", "characters"),
    "pattern": lambda f: f"{excerpt(f.given)} does not match the pattern {excerpt(f.expected)}",
    "format": lambda f: f"{excerpt(f.given)} is not {format_words(str(f.expected))}",
    "contentEncoding": lambda f: f"{excerpt(f.given)} is not {format_words('binary')}",
    "contentMediaType": lambda f: f"{excerpt(f.given)} is not {excerpt(f.expected)}",
    "minItems": _size("at least", "item", "items"),
    "maxItems": _size("at most", "item", "items"),
    "uniqueItems": lambda f: "has equal items, expected all to differ",
    "minProperties": _size("at least", "property", "properties"),
    "maxProperties": _size("at most", "property", "properties"),
    "minContains": _contains("at least"),
    "maxContains": _contains("at most"),
    "not": lambda f: f"{excerpt(f.given)} is not allowed: it must not fit {excerpt(f.expected)}",
    "oneOf": lambda f: f"fits {len(_items(f.expected))} of the alternatives, expected exactly one",
    "propertyNames": lambda f: f"this name does not fit {excerpt(f.expected)}",
    "schema": lambda f: f"{excerpt(f.given)} does not fit the schema",
}


def _typed(value: object) -> str:
    """A value with its JSON type: `string "five"`."""
    if value is None or isinstance(value, bool):
        return excerpt(value)
    name = next(name for kind, name in _TYPES if isinstance(value, kind))
    return f"{name} {excerpt(value)}"


_TYPES: Final[tuple[tuple[type, str], ...]] = (
    (str, "string"),
    (int, "integer"),
    (dict, "object"),
    (list, "array"),
    (object, "number"),
)


def _either(options: Iterable[str]) -> str:
    *most, last = options
    return f"{', '.join(most)} or {last}" if most else last


def _listed(options: object) -> str:
    values = _items(options)
    more = ", …" if len(values) > _MAX_OPTIONS else ""
    return ", ".join(map(excerpt, values[:_MAX_OPTIONS])) + more


def _items(value: object) -> Sequence[Any]:
    return value if isinstance(value, list | tuple) else ()
