"""YAML text to plain data with places, by YAML 1.2 rules, refusing what could surprise.

PyYAML's C parser gives the event stream; its own constructors are never used, because they
follow YAML 1.1 (`no` is false), let the last duplicate key win, expand aliases without bound
and recurse on the C stack.
"""

import re
from collections.abc import Iterator
from typing import Any, Final

import yaml

from toolfold.errors import ManifestError, Place, Problem, Source
from toolfold.manifest.tree import Items, Mapping

MAX_BYTES: Final = 64 * 1024 * 1024
MAX_DEPTH: Final = 64
MAX_ALIASED: Final = 100_000

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_UNREADABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_JSON: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, Any]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")


def read_yaml(data: bytes, name: str, order: int = 0) -> Mapping:
    """The one document in `data` as a mapping with places.

    Raises ManifestError: with every duplicate key, tag and misfit scalar at once where the
    text can be read to its end, with the first obstacle where it cannot.
    """
    source = _decode(data, name, order)
    builder = _Builder(source)
    try:
        root = builder.document(iter(yaml.parse(source.text, Loader=_LOADER)))
    except yaml.YAMLError as error:
        raise ManifestError([*builder.problems, _syntax_problem(source, error)]) from None
    except RecursionError:
        raise ManifestError([_problem(source, 1, 1, "nested too deeply to read")]) from None
    if builder.problems:
        raise ManifestError(builder.problems)
    if not isinstance(root, Mapping):
        fact = "the file is empty" if root is None else "the file is not a mapping of keys"
        raise ManifestError([_problem(source, 1, 1, fact, "start with `toolfold: 1`")])
    return root


class _Builder:
    """Folds the event stream into data; keeps the problems it can read past."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems: list[Problem] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._nodes = 0
        self._aliased = 0

    def document(self, events: Iterator[Any]) -> Any:
        """The first document's value; a second document is a problem."""
        root: Any = None
        documents = 0
        for event in events:
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._report(event, "a second document starts here", "keep one per file")
                    break
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, events, 1)
        return root

    def _node(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        self._nodes += 1
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if event.tag is not None:
            hint = "toolfold reads plain YAML 1.2 without tags; quote the value instead"
            self._report(event, f"tag {event.tag!r}", hint)
        first = self._nodes
        value = self._value(event, events, depth)
        if event.anchor is not None:
            self._anchors[event.anchor] = (value, self._nodes - first + 1)
        return value

    def _value(self, event: Any, events: Iterator[Any], depth: int) -> Any:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        if depth > MAX_DEPTH:
            fact = f"more than {MAX_DEPTH} levels of nesting"
            raise ManifestError([*self.problems, self._problem(event, fact, "flatten the value")])
        if isinstance(event, yaml.MappingStartEvent):
            return self._mapping(event, events, depth)
        return self._items(event, events, depth)

    def _mapping(self, event: Any, events: Iterator[Any], depth: int) -> Mapping:
        mapping = Mapping(self._place(event))
        for key_event in events:
            if isinstance(key_event, yaml.MappingEndEvent):
                break
            key_at = self._place(key_event)
            key = self._key(key_event, events, depth)
            value_event = next(events)
            value = self._node(value_event, events, depth + 1)
            if key is None:
                continue
            if key in mapping:
                first = mapping.keys_at[key]
                self._report(key_event, f'duplicate key "{key}"', f"first on line {first.line}")
                continue
            mapping.put(key, value, key_at, self._place(value_event))
        return mapping

    def _key(self, event: Any, events: Iterator[Any], depth: int) -> str | None:
        """A key's own text: `404:` and `null:` are names like any other."""
        if isinstance(event, yaml.ScalarEvent) and event.tag is None and event.anchor is None:
            return str(event.value)
        self._node(event, events, depth + 1)
        self._report(event, "a key that is not plain text", "use a simple name as the key")
        return None

    def _items(self, event: Any, events: Iterator[Any], depth: int) -> Items:
        items = Items(self._place(event))
        for item in events:
            if isinstance(item, yaml.SequenceEndEvent):
                break
            items.append(self._node(item, events, depth + 1))
            items.items_at.append(self._place(item))
        return items

    def _alias(self, event: Any) -> Any:
        if event.anchor not in self._anchors:
            fact = f"alias *{event.anchor} has no anchor before it"
            raise ManifestError([*self.problems, self._problem(event, fact, "define it first")])
        value, size = self._anchors[event.anchor]
        self._nodes += size
        self._aliased += size
        if self._aliased > MAX_ALIASED:
            fact = f"aliases expand to more than {MAX_ALIASED} values"
            raise ManifestError([*self.problems, self._problem(event, fact, "write them out")])
        return value

    def _scalar(self, event: Any) -> Any:
        text: str = event.value
        is_plain = event.implicit[0]
        if not is_plain:
            if _UNREADABLE.search(text):
                hint = "control characters and lone surrogates cannot be generated into text"
                self._report(event, f"unprintable character in {text!a}", hint)
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBER_STARTS:
            return text
        return self._number(event, text)

    def _number(self, event: Any, text: str) -> Any:
        if _INTEGER.fullmatch(text):
            if len(text) <= 300:
                return int(text, 0 if text[:2] in ("0o", "0x") else 10)
        elif _FLOAT.fullmatch(text):
            number = float(text)
            if number - number == 0:
                return number
        elif not _NOT_JSON.fullmatch(text):
            return text
        self._report(event, f"{text[:40]} is not a JSON number", "quote it, or use a finite one")
        return None

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        return Place(self.source, mark.line + 1, mark.column + 1)

    def _problem(self, event: Any, fact: str, hint: str) -> Problem:
        return Problem(self._place(event), "", fact, hint, code="yaml")

    def _report(self, event: Any, fact: str, hint: str) -> None:
        self.problems.append(self._problem(event, fact, hint))


def _decode(data: bytes, name: str, order: int) -> Source:
    empty = Source(name, "", order)
    if len(data) > MAX_BYTES:
        fact = f"{len(data):,} bytes; at most {MAX_BYTES:,} are read"
        raise ManifestError([_problem(empty, 1, 1, fact, "split the manifest with `include:`")])
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        source = Source(name, data.decode("utf-8", "replace"), order)
        line = before.count(b"\n") + 1
        column = len(before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")) + 1
        fact = f"byte 0x{data[error.start]:02x} is not UTF-8"
        raise ManifestError([_problem(source, line, column, fact, "save it as UTF-8")]) from None
    source = Source(name, text, order)
    if found := _UNREADABLE.search(text):
        line = text.count("\n", 0, found.start()) + 1
        column = found.start() - text.rfind("\n", 0, found.start())
        fact = f"control character U+{ord(found.group()):04X}"
        raise ManifestError([_problem(source, line, column, fact, "remove it")])
    return source


def _syntax_problem(source: Source, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    parts = (getattr(error, "problem", str(error)), getattr(error, "context", ""))
    said = " ".join(part for part in parts if part)
    hint = "check the indentation and the quotes around here"
    return _problem(source, line, column, f"not YAML: {said}", hint)


def _problem(source: Source, line: int, column: int, fact: str, hint: str = "") -> Problem:
    return Problem(Place(source, line, column), "", fact, hint, code="yaml")
