"""The search index of the last run, changed where tools did: most edits touch few of its lines."""

import json
from collections.abc import Sequence
from typing import Any, Final

from toolfold.plan.kept import Kept, Texts, text_key
from toolfold.plan.model import ToolPlan
from toolfold.plan.search_index import Change, Index, Means, edited, index_of, mean_lengths

_FILES: Final = ("words", "pairs", "grams")
_WORTH_IT: Final = 8  # one tool in so many may have changed


def search_lines(tools: Sequence[ToolPlan], texts: Texts, kept: Kept | None, name: str) -> Index:
    """The lines of the index, worked out from those of the last run of this manifest if it can."""
    means = mean_lengths(tools)
    index = _from_last(tools, texts, kept, name, means) if kept else None
    if index is None:
        index = index_of([own.words for own in texts.of(tools)], means)
    if kept:
        state = {"means": means, "tools": [tool.key for tool in tools]}
        rows = {f"index {name} {file}": "\n".join(getattr(index, file)) for file in _FILES}
        kept.store.put({f"index {name}": json.dumps(state), **rows})
    return index


def _from_last(
    tools: Sequence[ToolPlan], texts: Texts, kept: Kept, name: str, means: Means
) -> Index | None:
    """The last run's index with its changed tools; None where working it out anew is as well."""
    rows = [f"index {name}", *(f"index {name} {file}" for file in _FILES)]
    found = kept.store.get(rows)
    if len(found) < len(rows):
        return None
    state: dict[str, Any] = json.loads(found[rows[0]])
    before: list[str] = state["tools"]
    if state["means"] != means or len(before) != len(tools):
        return None
    changed = [n for n, tool in enumerate(tools) if tool.key != before[n]]
    old = kept.store.get(text_key(before[n]) for n in changed)
    if len(changed) * _WORTH_IT > len(tools) or len(old) < len(changed):
        return None
    changes = [
        Change(n, json.loads(old[text_key(before[n])])["words"], own.words)
        for n, own in zip(changed, texts.of([tools[n] for n in changed]), strict=True)
    ]
    lines = (found[row].split("\n") if found[row] else [] for row in rows[1:])
    return edited(Index(*lines), changes, means)
