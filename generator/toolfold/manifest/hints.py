"""Hints for values of the wrong type: the corrected YAML, made of the author's own value."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Final

from toolfold_runtime.contract.vocabulary import CONTENT_KINDS

from toolfold.manifest.json_schema import meant_type
from toolfold.manifest.lookup import example_at, model_at
from toolfold.manifest.tree import ManifestPath

_TRUE: Final = frozenset({"yes", "on", "y", "true"})
_FALSE: Final = frozenset({"no", "off", "n", "false"})
_NUMBER: Final = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)")
# By unit: how many seconds, megabytes or ones it stands for. No duration is a whole number.
_SECONDS: Final = {
    **dict.fromkeys(("", "s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    "ms": 0.001,
}
_MEGABYTES: Final = {**dict.fromkeys(("", "m", "mb"), 1.0), **dict.fromkeys(("g", "gb"), 1000.0)}
_COUNTS: Final = {"": 1.0, "k": 1000.0}
_SCHEMAS: Final = (("tools", "*", "returns"), ("tools", "*", "parameters", "*"), ("$defs", "*"))
# By the pattern of a path: the key of the mapping that a lone word stands for.
_SHORTHANDS: Final = {
    ("tools", "*", "deprecated"): "use",
    ("tools", "*", "backend"): "python",
    ("tools", "*", "performance"): "speed",
    ("tools", "*", "icons", "*"): "src",
    ("categories", "*"): "description",
    ("servers", "*"): "url",
    ("disclosure",): "exposure",
}
# What each of some names stands for, where it should have been the key of a mapping.
_ENTRIES: Final[dict[tuple[str, ...], Any]] = {
    ("categories",): {},
    ("tools", "*", "errors"): "When it is raised",
    ("tools", "*", "parameters"): {"type": "string"},
    ("prompts", "*", "arguments"): {"required": True},
}
_PLAIN: Final = re.compile(r"[A-Za-z_$][\w$./:+ -]*")
_WHOLE_NUMBER: Final = "a whole number"
_LONGEST: Final = 60
_LONGEST_HINT: Final = 160


def nearest(name: str, names: Sequence[str]) -> str:
    """`did you mean "x"?`, or nothing when no name is close."""
    close = get_close_matches(name, names, n=1)
    return f'did you mean "{close[0]}"?' if close else ""


def way_out(path: ManifestPath, expected: str, value: object) -> str:
    """What to write at `path` instead of a value of the wrong type; empty if no correction is certain."""
    if value in CONTENT_KINDS and _matches(path, ("tools", "*", "returns")):
        return f"write `content: {value}`"
    meant = _converted(path, expected, value)
    how = "write"
    if meant is None:
        meant = example_at(path)
        how = "write digits and no unit, as in" if expected == _WHOLE_NUMBER else "write it like"
    if meant is None and expected == _WHOLE_NUMBER:
        meant = 100
    text = flow(meant)
    if meant is None or len(text) > _LONGEST_HINT:
        return "write some text" if expected == "a string" else ""
    return f"{how} `{text if isinstance(path[-1], int) else f'{path[-1]}: {text}'}`"


def required_hint(names: object, parameters: Sequence[str]) -> str:
    """The hint for `required: [id]` among the parameters, where it is taken for a parameter."""
    listed = names if isinstance(names, list) else [names]
    given = [name for name in listed if isinstance(name, str)]
    known = [name for name in given if name in parameters]
    hint = "put `required: true` on the parameter itself"
    hint += f": {', '.join(known)}" if known else ""
    unknown = [name for name in given if name not in parameters]
    parts = (f'no parameter "{name}", {nearest(name, parameters)}'.rstrip(", ") for name in unknown)
    return "; ".join([hint, *parts])


def flow(value: Any) -> str:
    """A value as YAML on one line."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(key)}: {flow(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        is_plain = _PLAIN.fullmatch(value) and ": " not in value and not value.endswith((":", " "))
        is_word = value.lower() in _TRUE | _FALSE | {"null"}
        return value if is_plain and not is_word else '"' + value.replace('"', "'") + '"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def _converted(path: ManifestPath, expected: str, value: object) -> Any:
    """The value converted to the expected type; None where the conversion would be a guess."""
    match expected:
        case "true or false":
            is_word = isinstance(value, str) and value.lower() in _TRUE | _FALSE
            return str(value).lower() in _TRUE if is_word else _mapping(path, value)
        case "a number":
            return _number(value, _MEGABYTES if path[-1] == "megabytes" else _SECONDS)
        case "a whole number":
            count = _number(value, _COUNTS)
            return count if isinstance(count, int) else None
        case "a list":
            if isinstance(value, str) and _matches(path, ("tools", "*", "scopes")):
                return value.replace(",", " ").split() or None  # as OAuth writes them
            is_entry = isinstance(value, str | int | float) and model_at((*path, 0)) is None
            return [value] if is_entry else None
        case "a mapping":
            return _mapping(path, value)
    return None


def _number(value: object, units: Mapping[str, float]) -> float | int | None:
    """The number in a text, with or without one of the units; None for other text."""
    match = _NUMBER.fullmatch(value.strip().lower()) if isinstance(value, str) else None
    if match is None or match[2] not in units:
        return None
    number = float(match[1]) * units[match[2]]
    return int(number) if number == int(number) else round(number, 6)


def _mapping(path: ManifestPath, value: object) -> Any:
    """A single word, a number or a list of names, converted to the mapping that is expected."""
    if any(_matches(path, pattern) for pattern in _SCHEMAS):
        return _schema(value)
    if _matches(path, ("tools", "*", "cache")):
        seconds = _number(str(value), _SECONDS)
        return None if seconds is None else {"ttl": seconds}
    names = value if isinstance(value, list) else [value]
    are_names = all(isinstance(name, str) and len(name) <= _LONGEST for name in names)
    for pattern, entry in _ENTRIES.items():
        if _matches(path, pattern) and are_names and names:
            return dict.fromkeys(names[:3], entry)
    for pattern, key in _SHORTHANDS.items():
        if _matches(path, pattern) and isinstance(value, str | int) and are_names:
            return {key: value}
    return {} if value is None and _matches(path, ("categories", "*")) else None


def _schema(value: object) -> Any:
    """The schema for the name of a type, or for a list with one such name."""
    if isinstance(value, list):
        return {"type": "array", "items": _schema(value[0])} if len(value) == 1 else None
    word = meant_type(value) if isinstance(value, str) else ""
    if isinstance(value, str) and not word and value[:1].isupper() and value.isidentifier():
        return {"$ref": f"#/$defs/{value}"}
    kind, _, form = (word or "string").partition(", format: ")
    return {"type": kind, "format": form} if form else {"type": kind}


def _matches(path: ManifestPath, pattern: Sequence[str]) -> bool:
    return len(path) == len(pattern) and all(
        expected in ("*", step) for step, expected in zip(path, pattern, strict=True)
    )
