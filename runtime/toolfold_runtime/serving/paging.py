"""Lists in pages: one page up to a size in bytes, else several.

Many clients read the first page only, so a page is as large as an answer may reasonably be.
"""

from collections.abc import Callable, Sequence
from typing import Final, Generic, NamedTuple, TypeVar

import mcp_types as types
from mcp.shared.exceptions import MCPError

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES

Item = TypeVar("Item")

#: Half of the largest answer: the 1,641 tools of 39 real servers take 4.1 MB.
MOST_PAGE_BYTES: Final = MOST_ANSWER_BYTES // 2


class Page(NamedTuple, Generic[Item]):
    """A page of a list; `end` holds `nextCursor` where another page follows."""

    items: Sequence[Item]
    end: Json


def page_of(
    items: Sequence[Item],
    size_of: Callable[[Item], int],
    cursor: str | None,
    most: int = MOST_PAGE_BYTES,
) -> Page[Item]:
    """The page at a cursor, or the first one; an item larger than a page gets a page of its own.

    A cursor is the number of items on the pages before. MCPError where no page ends there.
    """
    start = size = 0
    for position, item in enumerate(items):
        item_size = size_of(item)
        if size + item_size > most and position > start:
            if _cursor(start) == cursor:
                return Page(items[start:position], {"nextCursor": _cursor(position)})
            start, size = position, 0
        size += item_size
    if _cursor(start) != cursor:
        raise MCPError(types.INVALID_PARAMS, "unknown cursor; list again without one")
    return Page(items[start:], {})


def _cursor(start: int) -> str | None:
    return str(start) if start else None
