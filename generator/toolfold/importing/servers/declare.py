"""Adding entries to the author's manifest as text, so that every comment and every layout is kept.

A change is made at a place and then read back: where the result does not say what the manifest said
plus what was added, nothing is changed, and the author is told what to add.
"""

from collections.abc import Mapping
from typing import Any, Final

import yaml

from toolfold.errors import ManifestError
from toolfold.importing.write import inline, key_text
from toolfold.manifest.read import read_yaml
from toolfold.manifest.tree import plain

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_EMPTY: Final = ("", "~", "null", "Null", "NULL")
# The keys of an entry whose own entries get a line each.
_BLOCKS: Final = ("env", "headers")


class DeclarationError(Exception):
    """A manifest that cannot be added to; `snippet` is what its author can add."""

    def __init__(self, snippet: str) -> None:
        self.snippet = snippet
        super().__init__("the manifest cannot be added to by itself")


def with_entries(text: str, key: str, entries: Mapping[str, Mapping[str, Any]]) -> str:
    """The manifest with more entries in the mapping under a key of its root."""
    block = "".join(_entry(name, entry) for name, entry in entries.items())
    return _with_added(text, key, dict(entries), block) if entries else text


def with_pattern(text: str, key: str, pattern: str) -> str:
    """The manifest with one more item in the list under a key of its root."""
    return _with_added(text, key, [pattern], f"- {key_text(pattern)}\n")


def _with_added(text: str, key: str, added: dict[str, Any] | list[str], block: str) -> str:
    """The manifest with `added` under a key; `block` is the same as lines without indentation."""
    root, node = _nodes(text, key)
    in_one_line = inline(added)
    if root is None:
        changed = f"{text}{key}:\n{_indented(block, 2)}"
    elif node is None and root.flow_style and root.value:
        changed = _after_last_item(text, root, f'"{key}": {in_one_line}')
    elif node is None:
        start = " " * root.start_mark.column
        line = (
            f"{key}: {in_one_line}\n"
            if isinstance(added, list)
            else f"{key}:\n{_indented(block, 2)}"
        )
        changed = text + ("" if text.endswith("\n") else "\n") + _indented(line, len(start))
    elif _is_empty(node) and root.flow_style:
        changed = _replaced(text, node, in_one_line)
    elif _is_empty(node):
        changed = _with_first_entries(text, node, _indented(block, root.start_mark.column + 2))
    elif isinstance(node, yaml.ScalarNode):
        changed = text  # which says something else
    elif node.flow_style:
        changed = _after_last_item(text, node, in_one_line[1:-1])
    else:
        changed = _after_last_line(text, node, block)
    return _verified(text, _with_newlines_of(text, changed), key, added, block)


def _entry(name: str, entry: Mapping[str, Any]) -> str:
    """An entry with a line for each of its keys."""
    lines = [f"{key_text(name)}:"]
    for key, value in entry.items():
        if key in _BLOCKS:
            lines.append(f"  {key}:")
            lines += [f"    {key_text(inner)}: {inline(text)}" for inner, text in value.items()]
        else:
            lines.append(f"  {key}: {inline(value)}")
    return "\n".join(lines) + "\n"


def _nodes(text: str, key: str) -> tuple[Any, Any]:
    """The root and the node under one of its keys; None for what is not there."""
    root = yaml.compose(text, Loader=_LOADER)
    inner = root.value if isinstance(root, yaml.MappingNode) else ()
    return root, next((value for name, value in inner if name.value == key), None)


def _is_empty(node: Any) -> bool:
    """Whether a key has no value, or an empty one that can be replaced."""
    return not node.value if isinstance(node, yaml.CollectionNode) else node.value in _EMPTY


def _with_first_entries(text: str, node: Any, block: str) -> str:
    """The text with a block in place of an empty value; a comment beside the key stays."""
    start, end = _offset(text, node.start_mark), _offset(text, node.end_mark)
    line_end = text.find("\n", end)
    line_end = len(text) if line_end < 0 else line_end
    rest = text[end:line_end].rstrip("\r")
    return f"{text[:start].rstrip(' ')}{rest}\n{block.removesuffix(chr(10))}{text[line_end:]}"


def _replaced(text: str, node: Any, value: str) -> str:
    return text[: _offset(text, node.start_mark)] + value + text[_offset(text, node.end_mark) :]


def _after_last_item(text: str, node: Any, added: str) -> str:
    """The text with more items after the last one of a collection in brackets."""
    last = node.value[-1]
    end = _offset(text, (last[1] if isinstance(last, tuple) else last).end_mark)
    return f"{text[:end]}, {added}{text[end:]}"


def _after_last_line(text: str, node: Any, block: str) -> str:
    """The text with more lines after the last one of a block, comments of the same depth included."""
    lines = text.split("\n")
    depth = node.start_mark.column
    if isinstance(node, yaml.SequenceNode):  # the mark of an item is its dash
        depth = len(lines[node.start_mark.line]) - len(lines[node.start_mark.line].lstrip())
    last = min(node.end_mark.line, len(lines)) - 1
    while last > node.start_mark.line and _is_beyond(lines[last], depth):
        last -= 1
    return "\n".join([*lines[: last + 1], _indented(block, depth) + "\n".join(lines[last + 1 :])])


def _is_beyond(line: str, depth: int) -> bool:
    """Whether a line after a block is empty, or a comment on what follows."""
    bare = line.strip()
    return not bare or (bare.startswith("#") and len(line) - len(line.lstrip()) < depth)


def _indented(block: str, depth: int) -> str:
    return "".join(" " * depth + line for line in block.splitlines(keepends=True))


def _offset(text: str, mark: Any) -> int:
    """The offset of a mark in the text."""
    lines = text.split("\n")
    return sum(len(line) + 1 for line in lines[: mark.line]) + int(mark.column)


def _with_newlines_of(text: str, changed: str) -> str:
    if "\r\n" not in text:
        return changed
    return changed.replace("\r\n", "\n").replace("\n", "\r\n")


def _verified(text: str, changed: str, key: str, added: Any, block: str) -> str:
    """The changed text, if reading it gives the old data plus `added`; else DeclarationError."""
    try:
        before = plain(read_yaml(text.encode(), "")) if text.strip() else {}
        after = plain(read_yaml(changed.encode(), ""))
    except ManifestError:
        before, after = {}, None
    expected = dict(before) if isinstance(before, dict) else {}
    entries = expected.get(key) or type(added)()
    if not isinstance(entries, type(added)):
        after = None
    elif isinstance(added, dict):
        expected[key] = {**entries, **added}
    else:
        expected[key] = [*entries, *added]
    if after != expected:
        raise DeclarationError(f"{key}:\n{_indented(block, 2)}")
    return changed
