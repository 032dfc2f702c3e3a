"""YAML text to plain data with places, by YAML 1.2 rules, refusing what could surprise.

PyYAML's C parser gives the event stream; its own constructors are never used, because they
follow YAML 1.1 (`no` is false), let the last duplicate key win, expand aliases without bound
and recurse on the C stack.
"""

import re
from typing import Any, Final, NamedTuple

import yaml

from toolfold.errors import ManifestError, Place, Problem, Source
from toolfold.manifest.include import MAX_BYTES
from toolfold.manifest.tree import PlacedList, PlacedMapping

MAX_DEPTH: Final = 64
MAX_ALIASED: Final = 100_000

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Besides control characters: U+0085, U+2028, U+2029 and a lone carriage return end lines for
# PyYAML but not for YAML 1.2, so that every later place would be wrong.
_UNREADABLE: Final = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x85\u2028\u2029\ud800-\udfff\ufffe\uffff]|\r(?!\n)"
)
# What any of them is in UTF-8: quick to look for, and seldom there.
_SUSPECT: Final = (b"\r", b"\xc2\x85", b"\xe2\x80\xa8", b"\xe2\x80\xa9", b"\xef\xbf")
_PLAIN: Final = bytes(n for n in range(256) if (n >= 32 and n != 127) or n in b"\t\n\r")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INTEGER: Final = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NOT_JSON: Final = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_WORDS: Final[dict[str, bool | None]] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_NUMBER_STARTS: Final = frozenset("0123456789+-.")


def read_yaml(data: bytes, name: str, order: int = 0) -> PlacedMapping:
    """The one document in `data` as a mapping with places.

    Raises ManifestError: with every duplicate key, tag and misfit scalar at once where the
    text can be read to its end, with the first obstacle where it cannot.
    """
    source = _decoded(data, name, order)
    builder = _Builder(source)
    try:
        root = builder.document()
    except yaml.YAMLError as error:
        raise ManifestError([*builder.problems, _syntax_problem(source, error)]) from None
    except RecursionError:
        raise ManifestError([_problem(source, 1, 1, "nested too deeply to read")]) from None
    if builder.problems:
        raise ManifestError(builder.problems)
    if not isinstance(root, PlacedMapping):
        fact = "the file is empty" if root is None else "the file is not a mapping of keys"
        raise ManifestError([_problem(source, 1, 1, fact, "start with `toolfold: 1`")])
    return root


class _Anchored(NamedTuple):
    """A value that aliases may repeat: how many nodes it holds, and how many levels."""

    value: object
    size: int
    height: int


class _Builder:
    """Builds data from the event stream; collects the problems after which reading can continue.

    Every run reads every value of a manifest here, so events are told apart by their exact type,
    and a place is made once for each.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self._next = _LOADER(source.text).get_event
        self.problems: list[Problem] = []
        self._anchors: dict[str, _Anchored] = {}
        self._aliased = 0

    def document(self) -> object:
        """The first document's value; a second document is a problem."""
        root: object = None
        documents = 0
        while not isinstance(event := self._next(), yaml.StreamEndEvent):
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._report(event, "a second document starts here", "keep one per file")
                    break
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, self._place(event), 1)
        return root

    def _node(self, event: Any, at: Place, depth: int) -> object:
        kind = type(event)
        if kind is yaml.AliasEvent:
            return self._alias(event, depth)
        if event.tag is not None:
            hint = "toolfold reads plain YAML 1.2 without tags; quote the value instead"
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            self._report(event, f"tag {tag}", hint)
        value: object
        if kind is yaml.ScalarEvent:
            value = self._scalar(event)
        else:
            self._refuse_depth(event, depth)
            is_mapping = kind is yaml.MappingStartEvent
            value = self._mapping(at, depth + 1) if is_mapping else self._list(at, depth + 1)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(value, *_extent(value))
        return value

    def _mapping(self, at: Place, depth: int) -> PlacedMapping:
        mapping = PlacedMapping(at)
        keys_at, values_at = mapping.keys_at, mapping.values_at
        next_event, node, place = self._next, self._node, self._place
        while type(event := next_event()) is not yaml.MappingEndEvent:
            key_at = place(event)
            key = self._key(event, key_at, depth)
            value_event = next_event()
            value_at = place(value_event)
            value = node(value_event, value_at, depth)
            if key is None:
                continue
            if key in keys_at:
                hint = f"first on line {keys_at[key].line}"
                self._report(event, f'duplicate key "{key}"', hint)
                continue
            mapping[key], keys_at[key], values_at[key] = value, key_at, value_at
        return mapping

    def _key(self, event: Any, at: Place, depth: int) -> str | None:
        """A key's own text: `404:` and `null:` are names like any other."""
        if type(event) is yaml.ScalarEvent and event.tag is None and event.anchor is None:
            return event.value
        self._node(event, at, depth)
        self._report(event, "a key that is not plain text", "use a simple name as the key")
        return None

    def _list(self, at: Place, depth: int) -> PlacedList:
        items = PlacedList(at)
        while type(event := self._next()) is not yaml.SequenceEndEvent:
            item_at = self._place(event)
            items.append(self._node(event, item_at, depth))
            items.items_at.append(item_at)
        return items

    def _refuse_depth(self, event: yaml.Event, depth: int) -> None:
        if depth > MAX_DEPTH:
            fact = f"more than {MAX_DEPTH} levels of nesting"
            raise ManifestError([*self.problems, self._problem(event, fact, "flatten the value")])

    def _alias(self, event: yaml.AliasEvent, depth: int) -> object:
        anchored = self._anchors.get(event.anchor or "")
        if anchored is None:
            fact = f"alias *{event.anchor} has no anchor before it"
            hint = f"mark a value with &{event.anchor} before, or put the text in quotes"
            raise ManifestError([*self.problems, self._problem(event, fact, hint)])
        self._refuse_depth(event, depth + anchored.height)
        self._aliased += anchored.size
        if self._aliased > MAX_ALIASED:
            fact = f"aliases expand to more than {MAX_ALIASED} values"
            raise ManifestError([*self.problems, self._problem(event, fact, "use fewer aliases")])
        return anchored.value

    def _scalar(self, event: yaml.ScalarEvent) -> object:
        text = event.value
        is_plain = event.implicit[0]
        if not is_plain:
            if _SURROGATE.search(text):
                hint = "half of a character cannot be written to a file"
                self._report(event, f"lone surrogate in {ascii(text)[:60]}", hint)
            return text
        if text in _WORDS:
            return _WORDS[text]
        if text[0] not in _NUMBER_STARTS:
            return text
        return self._number(event, text)

    def _number(self, event: yaml.ScalarEvent, text: str) -> object:
        if _INTEGER.fullmatch(text):
            if len(text) <= 300:
                return int(text, 0 if text[:2] in ("0o", "0x") else 10)
            self._report(event, f"a number of {len(text)} digits", "quote it, or use a smaller one")
            return None
        if _FLOAT.fullmatch(text):
            number = float(text)
            if number - number == 0:
                return number
        elif not _NOT_JSON.fullmatch(text):
            return text
        self._report(event, f"{text[:40]} is not a JSON number", "quote it, or use a finite one")
        return None

    def _place(self, event: Any) -> Place:
        mark = event.start_mark
        # What Place(...) does, without the call of a Python function that this would be.
        return tuple.__new__(Place, (self.source, mark.line + 1, mark.column + 1))

    def _problem(self, event: yaml.Event, fact: str, hint: str) -> Problem:
        return Problem(self._place(event), "", fact, hint, code="yaml")

    def _report(self, event: yaml.Event, fact: str, hint: str) -> None:
        self.problems.append(self._problem(event, fact, hint))


def _extent(value: object) -> tuple[int, int]:
    """How many values a value holds, itself included, and how many levels are below it."""
    if not value or not isinstance(value, dict | list):
        return 1, 0
    children = value.values() if isinstance(value, dict) else value
    extents = [_extent(child) for child in children]
    return 1 + sum(size for size, _ in extents), 1 + max(height for _, height in extents)


def _decoded(data: bytes, name: str, order: int) -> Source:
    """The decoded text of a file; ManifestError if it cannot be decoded."""
    empty = Source(name, "", order)
    if len(data) > MAX_BYTES:
        fact = f"more than {MAX_BYTES:,} bytes"
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
    is_suspect = any(one in data for one in _SUSPECT) or data.translate(None, _PLAIN)
    if unreadable := _UNREADABLE.search(text) if is_suspect else None:
        start = unreadable.start()
        line, column = text.count("\n", 0, start) + 1, start - text.rfind("\n", 0, start)
        code = f"{ord(unreadable.group()):04X}"
        hint = f'remove it, or write it as "\\u{code}" in double quotes'
        raise ManifestError([_problem(source, line, column, f"control character U+{code}", hint)])
    return source


def _syntax_problem(source: Source, error: yaml.YAMLError) -> Problem:
    mark = getattr(error, "problem_mark", None)
    opened = getattr(error, "context_mark", None)
    if opened is not None and (mark is None or not source.line(mark.line + 1).strip()):
        mark = opened  # what was opened and never closed says more than the end of the file
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    parts = (getattr(error, "problem", str(error)), getattr(error, "context", ""))
    message = " ".join(part for part in parts if part)
    is_tab = source.line(line)[column - 1 : column] == "\t"
    hint = "indent with spaces, not tabs" if is_tab else "check the quotes and the indentation here"
    if "unexpected ':'" in message:
        hint = "put a space after the colon, or quotes around text that holds one"
    if "Unicode character escape" in message:
        hint = "write the character itself, or \\U and its eight digits"
    return _problem(source, line, column, f"not YAML: {message}", hint)


def _problem(source: Source, line: int, column: int, fact: str, hint: str = "") -> Problem:
    return Problem(Place(source, line, column), "", fact, hint, code="yaml")
