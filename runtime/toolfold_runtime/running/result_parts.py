"""Splitting what a method returned into its value and its content."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import NamedTuple

from toolfold_runtime.content import BLOCK_TYPES, ToolResult
from toolfold_runtime.contract.tool import ToolEntry
from toolfold_runtime.errors import ContentError
from toolfold_runtime.jsontext import MOST_ANSWER_BYTES
from toolfold_runtime.running.blocks import Block, block_of
from toolfold_runtime.running.measure import MOST_BLOCKS, TooLargeError


class Parts(NamedTuple):
    """The value that a method returned, and the blocks that are sent beside it."""

    value: object
    #: False where there is nothing but blocks.
    has_value: bool
    blocks: tuple[Block, ...]


def parts_of(entry: ToolEntry, returned: object) -> Parts:
    """The value, as it came, and the content, as it is sent.

    ContentError for content that cannot be sent, TooLargeError for too much of it.
    """
    if isinstance(returned, ToolResult):
        return Parts(returned.value, True, _blocks(entry, _content_beside(returned)))
    alone = _content_alone(entry, returned)
    if alone is None:
        return Parts(returned, True, _blocks(entry, ()))
    return Parts(None, False, _blocks(entry, alone))


def _content_beside(result: ToolResult[object]) -> Sequence[object]:
    if isinstance(result.content, list | tuple):
        return _bounded_items(result.content)
    fact = f"the content of a ToolResult is a list, not {type(result.content).__name__}"
    raise ContentError(fact)


def _content_alone(entry: ToolEntry, returned: object) -> Sequence[object] | None:
    """The content of a result that is nothing else; None if the result is a value.

    It is a value where an output schema promises one, and so is a list of nothing but texts where
    no content is declared.
    """
    if entry.definition.output_schema is not None:
        return None
    if isinstance(returned, BLOCK_TYPES):
        return (returned,)
    if not isinstance(returned, list | tuple):
        return None
    items = _bounded_items(returned)
    is_text = entry.content is not None and all(isinstance(item, str) for item in items)
    return items if is_text or any(isinstance(item, BLOCK_TYPES) for item in items) else None


def _bounded_items(items: Iterable[object]) -> tuple[object, ...]:
    """The items, one more than there may be at most: a list of an author's class may have no end."""
    return tuple(islice(items, MOST_BLOCKS + 1))


def _blocks(entry: ToolEntry, contents: Sequence[object]) -> tuple[Block, ...]:
    if len(contents) > MOST_BLOCKS:
        raise TooLargeError
    blocks: list[Block] = []
    room = MOST_ANSWER_BYTES
    for number, content in enumerate(contents, start=1):
        try:
            block = block_of(content, room)
        except ContentError as error:
            at = f"block {number}" + (f", {error.at}" if error.at else "")
            raise ContentError(error.problem, at) from None
        room -= block.size
        if room < 0:
            raise TooLargeError
        blocks.append(block)
    _refuse_missing(entry, blocks)
    return tuple(blocks)


def _refuse_missing(entry: ToolEntry, blocks: Sequence[Block]) -> None:
    """ContentError where the declared kind of content is not among the blocks."""
    declared = entry.content
    if declared is None or declared == "mixed" or any(block.kind == declared for block in blocks):
        return
    kind = f"{declared.capitalize()}(…)"
    has_schema = entry.definition.output_schema is not None
    way_out = f"return ToolResult(value, [{kind}])" if has_schema else f"return {kind}"
    raise ContentError(f"no {declared}, which `content: {declared}` declares; {way_out}")
