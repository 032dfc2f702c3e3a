"""The search index of the last run, changed where tools did: most edits touch few of its lines."""

import json
from collections.abc import Mapping, Sequence
from typing import Final

from toolfold.memo.keys import content_key
from toolfold.plan.kept import Kept, Texts, text_key
from toolfold.plan.model import ToolPlan
from toolfold.plan.search.index import Change, Index, Means, edited, index_of, mean_lengths

_TOOLS: Final = "index tools"
_LINES: Final = ("words", "pairs", "grams")
_FILES: Final = (_TOOLS, *_LINES)
_WORTH_IT: Final = 8  # one tool in so many may have changed


def search_lines(tools: Sequence[ToolPlan], texts: Texts, kept: Kept | None) -> Index:
    """The lines of the index, worked out from those of the last run of this manifest if it can."""
    means = mean_lengths(tools)
    if kept is None:
        return index_of([own.words for own in texts.of(tools)], means)
    keys = dict.fromkeys(_FILES, content_key(kept.shared, means))
    index = _from_last(tools, texts, kept, keys, means)
    if index is None:
        index = index_of([own.words for own in texts.of(tools)], means)
    # All at once, or they would not go together: the lines do not say which tools they are of.
    lines = {file: "\n".join(getattr(index, file)) for file in _LINES}
    kept.keep_last(keys, {_TOOLS: json.dumps([tool.key for tool in tools]), **lines})
    return index


def _from_last(
    tools: Sequence[ToolPlan], texts: Texts, kept: Kept, keys: Mapping[str, str], means: Means
) -> Index | None:
    """The last run's index with its changed tools; None where working it out anew is as well."""
    found = kept.last(keys)
    before: list[str] = json.loads(found.get(_TOOLS, "[]"))
    if len(found) < len(keys) or len(before) != len(tools):
        return None
    changed = [n for n, tool in enumerate(tools) if tool.key != before[n]]
    old = kept.store.get(text_key(before[n]) for n in changed)
    if len(changed) * _WORTH_IT > len(tools) or len(old) < len(changed):
        return None
    changes = [
        Change(n, json.loads(old[text_key(before[n])])["words"], own.words)
        for n, own in zip(changed, texts.of([tools[n] for n in changed]), strict=True)
    ]
    lines = (found[file].split("\n") if found[file] else [] for file in _LINES)
    return edited(Index(*lines), changes, means)
