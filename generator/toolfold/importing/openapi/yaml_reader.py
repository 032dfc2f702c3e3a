"""YAML documents of others as plain data, by YAML 1.2 rules: lenient in form, bounded in size.

What a manifest may not say is read here as other programs read it: tags are passed over, of two
equal keys the last one counts, `<<` merges. Values are only ever text, numbers, truth values,
null, lists and mappings.
"""

import re
from typing import Any, Final, NamedTuple

import yaml

from toolfold.errors import UsageError
from toolfold.importing.openapi.warnings import Warnings

#: Levels of nesting, and values that aliases may stand for.
MAX_DEPTH: Final = 200
MAX_ALIASED: Final = 500_000

# PyYAML refuses a tab in the blank lines before a text, where it means nothing.
_BLANK_LINE: Final = re.compile(r"^ *\t[ \t]*$", re.MULTILINE)
# Line breaks of YAML 1.1, to PyYAML, that YAML 1.2 has as characters like others.
_BREAKS: Final = "\x85\u2028\u2029"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_INTEGER: Final = re.compile(r"[-+]?[0-9]{1,300}|0o[0-7]{1,100}|0x[0-9a-fA-F]{1,100}")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_FINITE: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")


def read_yaml_text(text: str, name: str, warnings: Warnings) -> Any:
    """The first document in a text; UsageError, with its place, for what cannot be read."""
    if "\t" in text:
        text = _BLANK_LINE.sub("", text)
    for character in _BREAKS:
        text = text.replace(character, " ")
    try:
        return _Builder(text, name, warnings).document()
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        reason = getattr(error, "problem", None) or "cannot be read"
        raise UsageError(f"{place}: not YAML: {reason}") from None


class _Anchored(NamedTuple):
    """A value that aliases may repeat: how many values it holds, and how many levels."""

    value: Any
    size: int
    height: int


class _Builder:
    """Builds data from the events of PyYAML's C parser; its constructors are never used."""

    def __init__(self, text: str, name: str, warnings: Warnings) -> None:
        self._next = _LOADER(text).get_event
        self._name = name
        self._warnings = warnings
        self._anchors: dict[str, _Anchored] = {}
        self._aliased = 0

    def document(self) -> Any:
        while not isinstance(event := self._next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.NodeEvent):
                return self._node(event, 1)
        return None

    def _node(self, event: Any, depth: int) -> Any:
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._alias(event, depth)
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
        elif depth > MAX_DEPTH:
            raise self._refused(event, f"nested more than {MAX_DEPTH} levels deep")
        elif kind is yaml.MappingStartEvent:
            value = self._mapping(depth + 1)
        else:
            value = self._list(depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, *_extent(value))
        return value

    def _mapping(self, depth: int) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        merged: list[Any] = []
        next_event = self._next
        while type(event := next_event()) is not yaml.MappingEndEvent:
            if type(event) is not yaml.ScalarEvent:
                self._node(event, depth)
                self._node(next_event(), depth)
                self._warnings.add("keys that are no text are passed over", self._place(event))
                continue
            key = event.value
            value = self._node(next_event(), depth)
            if key == "<<" and event.implicit[0]:
                merged += value if isinstance(value, list) else [value]
            else:
                if key in mapping:
                    self._warnings.add("a key twice: the last one counts", self._place(event))
                mapping[key] = value
        for other in merged:
            if isinstance(other, dict):
                mapping = {**other, **mapping}
        return mapping

    def _list(self, depth: int) -> list[Any]:
        items = []
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            items.append(self._node(event, depth))
        return items

    def _alias(self, event: Any, depth: int) -> Any:
        anchored = self._anchors.get(event.anchor or "")
        if anchored is None:
            raise self._refused(event, f"alias *{event.anchor} has no anchor before it")
        self._aliased += anchored.size
        if self._aliased > MAX_ALIASED:
            raise self._refused(event, f"aliases stand for more than {MAX_ALIASED:,} values")
        if depth + anchored.height > MAX_DEPTH:
            raise self._refused(event, f"nested more than {MAX_DEPTH} levels deep")
        return anchored.value

    def _scalar(self, event: Any) -> Any:
        text = event.value
        if not event.implicit[0] and (event.tag is None or event.tag.endswith(":str")):
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBER_STARTS:
            return text
        if _INTEGER.fullmatch(text):
            return int(text, 0 if text[:2] in ("0o", "0x") else 10)
        if _FLOAT.fullmatch(text) and abs(number := float(text)) != float("inf"):
            return number
        if _NOT_FINITE.fullmatch(text):
            self._warnings.add("numbers that JSON does not have are left out", self._place(event))
            return None
        return text

    def _place(self, event: Any) -> str:
        mark = event.start_mark
        return f"line {mark.line + 1}"

    def _refused(self, event: Any, fact: str) -> UsageError:
        mark = event.start_mark
        way_out = "save the document as JSON without it"
        return UsageError(f"{self._name}:{mark.line + 1}:{mark.column + 1}: {fact}; {way_out}")


def _extent(value: Any) -> tuple[int, int]:
    """How many values a value holds, itself included, and how many levels are below it."""
    if not value or not isinstance(value, dict | list):
        return 1, 0
    children = value.values() if isinstance(value, dict) else value
    extents = [_extent(child) for child in children]
    return 1 + sum(size for size, _ in extents), 1 + max(height for _, height in extents)
