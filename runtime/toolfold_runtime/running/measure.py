"""Measuring a value before it is processed.

The libraries that convert and validate do so in one go: nothing else in the process runs
meanwhile, and an iterator in the middle may never end. So values are looked through here first, in
plain Python, which lets others run.
"""

from collections import deque
from collections.abc import Collection, Iterator
from dataclasses import fields, is_dataclass
from datetime import date, datetime, time
from types import NoneType
from typing import Any, Final
from uuid import UUID

from toolfold_runtime.jsontext import MOST_ANSWER_BYTES

#: No answer has more values than this: sending them would hold up everybody else.
MOST_VALUES: Final = 1_000_000
#: Nor more blocks of content, each of which the SDK takes some 20 µs for.
MOST_BLOCKS: Final = 1_000

#: The most values of a small value, which takes microseconds.
FEW_VALUES: Final = 500
#: Characters of a text that take about as long as a value.
_TEXT_UNIT: Final = 40
_PLAIN: Final = frozenset({int, float, bool, NoneType, datetime, date, time, UUID})
_TEXTS: Final = (str, bytes, bytearray)
_LISTS: Final = (list, tuple, set, frozenset, deque)


#: Past whatever a metaclass makes of it: this runs on the event loop.
_MODULE_OF: Final = type.__dict__["__module__"].__get__


class TooLargeError(Exception):
    """A value with more in it than can be sent."""


def is_small(value: object, package: str = "") -> bool:
    """Whether a value is plain data, and so little of it that work on it takes microseconds.

    Instances of the models of a generated `package` count as plain data: converting them runs no
    code of an author's.
    """
    models = f"{package}.models."
    count, stack = 0, [value]
    while stack:
        item: Any = stack.pop()
        kind = type(item)
        if kind in _PLAIN:
            continue
        inner: Collection[Any] = ()
        if kind is str:
            count += len(item) // _TEXT_UNIT
        elif kind is dict:
            inner = item.values()
        elif kind is list:
            inner = item
        elif _MODULE_OF(kind).startswith(models):
            inner = _attributes(item)
        else:
            return False
        count += len(inner)
        if count > FEW_VALUES:
            return False
        stack.extend(inner)
    return True


def refuse_large(value: object) -> None:
    """Raise TooLargeError for a value too large to be sent, and TypeError for an iterator in it.

    What a value refers to twice counts twice, as it does in JSON.
    """
    count, size, stack = 0, 0, [value]
    while stack:
        item = stack.pop()
        if type(item) in _PLAIN:
            continue
        if isinstance(item, _TEXTS):
            size += len(item)
        else:
            inner = _inside(item)
            count += len(inner)
            if count <= MOST_VALUES:
                stack.extend(inner)
        if count > MOST_VALUES or size > MOST_ANSWER_BYTES:
            raise TooLargeError


def number_of_values(value: object) -> int:
    """How many values there are in plain JSON, at every depth."""
    count, stack = 1, [value]
    while stack:
        inner = _inside(stack.pop())
        count += len(inner)
        stack.extend(inner)
    return count


def _inside(item: Any) -> Collection[Any]:
    """The values that an object holds; TypeError for an iterator."""
    if isinstance(item, dict):
        return item.values()
    if isinstance(item, _LISTS):
        return item
    if isinstance(item, Iterator):
        raise TypeError("an iterator, which may never end; return a list")
    if hasattr(type(item), "__pydantic_serializer__"):
        return _attributes(item)
    if is_dataclass(item) and not isinstance(item, type):
        _refuse_content(item)
        return [getattr(item, field.name) for field in fields(item)]
    return ()


def _refuse_content(item: object) -> None:
    from toolfold_runtime.content import BLOCK_TYPES, ToolResult

    if isinstance(item, (*BLOCK_TYPES, ToolResult)):
        hint = "content stands by itself, in a list of content, or in ToolResult(value, [content])"
        raise TypeError(f"{type(item).__name__} is part of a value; {hint}")


def _attributes(model: Any) -> list[Any]:
    extra = getattr(model, "__pydantic_extra__", None) or {}
    return [*getattr(model, "__dict__", {}).values(), *extra.values()]
