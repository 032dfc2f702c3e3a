"""Schemas of several tools within the budget of one answer: the largest are shown shortened."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from toolfold_runtime.catalog.definitions import ShownDefinitions
from toolfold_runtime.contract.tool import NOTE_TOKENS, ToolEntry, share_of
from toolfold_runtime.jsontext import compact

_BYTES_PER_TOKEN: Final = 2  # of schemas, at least


class Asked(NamedTuple):
    """A tool that was asked about: its entry and next step, or the ready text about a meta-tool."""

    name: str
    entry: ToolEntry | None
    following: str = ""
    text: str = ""


def schema_answer(tools: Sequence[Asked], budget: int, schema_tool: str) -> list[str]:
    """A view per line within the budget; the largest are shortened, and a last line says so.

    Where even shortened views do not fit, as many are shown as do. One tool is always shown; its
    own view says whether it is shortened.
    """
    limit = budget - (NOTE_TOKENS if len(tools) > 1 else 0)
    entries = [tool.entry for tool in tools if tool.entry is not None and tool.entry.views.short]
    largest = [entry.name for entry in sorted(entries, key=lambda entry: -entry.schema_tokens)]
    number = _smallest_fitting(len(largest), lambda n: _tokens(tools, largest[:n], budget) <= limit)
    short = largest[:number]
    # Of those that do not even fit shortened, the last ones are left out.
    omitted = _smallest_fitting(
        len(tools) - 1,
        lambda n: _tokens(tools[: len(tools) - n], short, budget) <= limit,
    )
    views = [text for text, _ in _views(tools[: len(tools) - omitted], short, budget)]
    notes = []
    if short:
        notes.append(f"shortened to fit {budget:,} tokens: {len(short)} of {len(tools)} tools")
    if omitted:
        notes.append(f"not shown: the last {omitted} tools; ask for fewer at a time")
    elif short:
        notes.append(f'{schema_tool or "ask"}(tool, detail="full") shows one whole')
    if not notes or len(tools) == 1:
        return views
    note, is_json = "; ".join(notes), views[0].startswith("{")
    return [*views, compact({"note": note}) if is_json else f"note: {note}"]


def _smallest_fitting(most: int, fits: Callable[[int], bool]) -> int:
    """The smallest number that fits; `most` where none does."""
    low, high = 0, most
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if fits(middle) else (middle + 1, high)
    return low


def _tokens(tools: Sequence[Asked], short: Sequence[str], budget: int) -> int:
    return sum(tokens for _, tokens in _views(tools, short, budget))


def _views(tools: Sequence[Asked], short: Sequence[str], budget: int) -> Iterator[tuple[str, int]]:
    """Each view and at most how many tokens it costs."""
    shown, names = ShownDefinitions(), set(short)
    share = share_of(budget)
    for tool in tools:
        if tool.entry is None:
            yield tool.text, _estimated(tool.text)
        elif tool.entry.name in names:
            text = tool.entry.views.text("short", (), tool.following)
            yield text, tool.entry.short_tokens + 1
        else:
            missing = shown.missing_for(tool.entry)
            text = tool.entry.views.text("schema", missing, tool.following)
            known = {definition.digest for definition in missing}
            saved = sum(d.tokens for d in tool.entry.views.definitions if d.digest not in known)
            tokens = tool.entry.schema_tokens - saved or min(share, _estimated(text))
            yield text, tokens + 1


def _estimated(text: str) -> int:
    return len(text.encode()) // _BYTES_PER_TOKEN + 1
