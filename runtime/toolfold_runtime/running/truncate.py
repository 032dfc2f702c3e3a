"""Truncating a result at a sensible boundary: items, entries, paragraphs, lines, words."""

from dataclasses import dataclass
from typing import Final

from toolfold_runtime.jsontext import compact
from toolfold_runtime.running.tokens import estimated

# Where a text may end, the best place first; a later one is taken where it preserves far more.
_BOUNDARIES: Final = ("\n\n", "\n", ". ", " ")
_ENOUGH: Final = 0.5
_DEEPEST: Final = 32


@dataclass(frozen=True)
class Truncated:
    """The part that fits, the rest of the value, and descriptions of what the rest holds."""

    head: object
    rest: object
    omitted: tuple[str, ...]


def truncate(value: object, budget: int, path: str = "", depth: int = 0) -> Truncated | None:
    """The part of a value that fits the budget in tokens; None if nothing sensible fits."""
    if depth > _DEEPEST:
        return None
    if isinstance(value, str):
        return _text(value, budget, path)
    if isinstance(value, list):
        return _list(value, budget, path, depth)
    return _object(value, budget, path, depth) if isinstance(value, dict) else None


def _list(items: list[object], budget: int, path: str, depth: int) -> Truncated | None:
    room, count = budget - 1, 0
    for item in items:
        cost = _cost(item) + (1 if count else 0)  # a comma
        if cost > room:
            break
        room -= cost
        count += 1
    total = len(items)
    if count == total:
        return None
    if count:
        omitted = f"{_at(path)}{total - count} of {total} items"
        return Truncated(items[:count], items[count:], (omitted,))
    inner = truncate(items[0], room, f"{path}.0".lstrip("."), depth + 1) if items else None
    if inner is None:
        return None
    more = (f"{_at(path)}{total - 1} of {total} items",) if total > 1 else ()
    return Truncated([inner.head], [inner.rest, *items[1:]], (*inner.omitted, *more))


def _object(entries: dict[str, object], budget: int, path: str, depth: int) -> Truncated | None:
    """Truncate the largest values first, as few as will do; else omit whole entries."""
    costs = {key: _cost(value) + _cost(key) + 1 for key, value in entries.items()}
    if sum(_cost(key) + 2 for key in entries) >= budget:
        return _entries(entries, costs, budget, path)  # the keys alone leave no room for values
    over = sum(costs.values()) + 1 - budget
    head, rest = dict(entries), {}
    omitted: list[str] = []
    for key in sorted(costs, key=lambda key: -costs[key]):
        if over <= 0:
            break
        room = costs[key] - over - _cost(key) - 1
        inner = truncate(entries[key], max(room, 1), f"{path}.{key}".lstrip("."), depth + 1)
        if inner is None or _cost(inner.head) >= costs[key] - _cost(key) - 1:
            continue
        over -= costs[key] - _cost(key) - 1 - _cost(inner.head)
        head[key], rest[key] = inner.head, inner.rest
        omitted += inner.omitted
    if over > 0:
        return _entries(entries, costs, budget, path)
    return Truncated(head, rest, tuple(omitted))


def _entries(
    entries: dict[str, object], costs: dict[str, int], budget: int, path: str
) -> Truncated | None:
    room, head = budget - 1, {}
    for key, value in entries.items():
        if costs[key] > room:
            break
        room -= costs[key]
        head[key] = value
    if not head:
        return None
    rest = {key: value for key, value in entries.items() if key not in head}
    return Truncated(head, rest, (f"{_at(path)}{len(rest)} of {len(entries)} entries",))


def _text(text: str, budget: int, path: str) -> Truncated | None:
    end = _fitting(text, budget)
    if end == len(text):
        return None  # all of it fits
    for boundary in _BOUNDARIES:
        at = text.rfind(boundary, 0, end)
        if at > end * _ENOUGH:
            end = at + len(boundary)
            break
    if end <= 0:
        return None
    omitted = len(text) - end
    return Truncated(
        text[:end], text[end:], (f"{_at(path)}{omitted:,} of {len(text):,} characters",)
    )


def _fitting(text: str, budget: int) -> int:
    """How many characters fit, by halving: the estimate grows with the text."""
    low, high = 0, min(len(text), 3 * budget)
    while low < high:
        middle = (low + high + 1) // 2
        if _cost(text[:middle]) <= budget:
            low = middle
        else:
            high = middle - 1
    return low


def _cost(value: object) -> int:
    return estimated(compact(value))


def _at(path: str) -> str:
    return f"{path}: " if path else ""
