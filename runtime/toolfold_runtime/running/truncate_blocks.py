"""Truncating blocks of content to a budget; the rest is for the next answer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from toolfold_runtime.running.blocks import Block, described
from toolfold_runtime.running.tokens import estimated
from toolfold_runtime.running.truncate import truncate


class TruncatedBlocks(NamedTuple):
    """The blocks that fit, those that are left for later, and what is to be said about both."""

    head: tuple[Block, ...]
    rest: tuple[Block, ...]
    #: Descriptions of what is left for the next answer.
    omitted: tuple[str, ...]
    #: Descriptions of blocks that fit no answer.
    oversized: tuple[str, ...]


def truncate_blocks(blocks: Sequence[Block], room: int, budget: int) -> TruncatedBlocks:
    """The first blocks that fit into the remaining tokens of a budget.

    Texts are truncated. What alone exceeds the whole budget is skipped, so that what follows it
    can be read.
    """
    head: list[Block] = []
    rest: tuple[Block, ...] = ()
    omitted: tuple[str, ...] = ()
    oversized: list[str] = []
    for at, block in enumerate(blocks):
        later = tuple(blocks[at + 1 :])
        if block.tokens <= room:
            head.append(block)
            room -= block.tokens
        elif (done := _truncated(block, room)) is not None:
            head.append(done.head)
            rest, omitted = (done.rest, *later), (*done.omitted, *counted(later, blocks))
            break
        elif block.tokens <= budget or _truncated(block, budget) is not None:
            rest = (block, *later)
            omitted = tuple(counted(rest, blocks))
            break
        else:
            oversized.append(f"{_named(block)}, about {block.tokens:,} tokens")
    return TruncatedBlocks(tuple(head), rest, omitted, tuple(oversized))


def counted(some: Sequence[Block], of: Sequence[Block]) -> Iterator[str]:
    """`2 of 5 images`, for each kind among some of the blocks."""
    totals = Counter(block.kind for block in of)
    for kind, count in Counter(block.kind for block in some).items():
        plural = "" if totals[kind] == 1 or kind == "audio" else "s"
        yield f"{count} of {totals[kind]} {kind}{plural}"


class _SplitBlock(NamedTuple):
    head: Block
    rest: Block
    omitted: tuple[str, ...]


def _truncated(block: Block, room: int) -> _SplitBlock | None:
    """The two parts of a truncated text block; None for other blocks, or if nothing of it fits."""
    text = _text(block)
    if text is None:
        return None
    done = truncate(text, room - (block.tokens - estimated(text)))
    if done is None:
        return None
    head, rest = (_with_text(block, str(part)) for part in (done.head, done.rest))
    return _SplitBlock(head, rest, done.omitted)


def _text(block: Block) -> str | None:
    holder = block.sent.get("resource", block.sent)
    return holder.get("text") if block.kind in ("text", "file") else None


def _with_text(block: Block, text: str) -> Block:
    old = _text(block) or ""
    sent = block.sent
    if "resource" in sent:
        sent = sent | {"resource": sent["resource"] | {"text": text}}
    else:
        sent = sent | {"text": text}
    size = block.size - len(old.encode()) + len(text.encode())
    return Block(block.kind, sent, size, block.tokens - estimated(old) + estimated(text))


def _named(block: Block) -> str:
    return "a text" if block.kind == "text" else described(block.sent)
