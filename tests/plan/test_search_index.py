"""An index that follows edits is the index of the tools as they are."""

import json
from typing import Any, Final

from hypothesis import given
from hypothesis import strategies as st
from toolfold.plan.search.index import Change, edited, index_of
from toolfold_runtime.contract.search import TermLine

_WORDS: Final = ["order", "pay", "payment", "user", "list", "a1", "日本", "本", "ñandu", "x"]
_FIELDS: Final = ["name", "description", "parameters", "joined"]
_MEANS: Final = dict.fromkeys(_FIELDS, 2.0)

cuts = st.fixed_dictionaries(
    {field: st.lists(st.sampled_from(_WORDS), max_size=5) for field in _FIELDS}
)


@given(
    before=st.lists(cuts, min_size=1, max_size=6),
    edits=st.lists(st.tuples(st.integers(0, 5), cuts), max_size=4),
)
def test_an_edited_index_is_the_index_of_the_edited_tools(
    before: list[dict[str, Any]], edits: list[tuple[int, dict[str, Any]]]
) -> None:
    after = list(before)
    changes = []
    for at, cut in edits:
        tool = at % len(after)
        changes.append(Change(tool, after[tool], cut))
        after[tool] = cut

    assert edited(index_of(before, _MEANS), changes, _MEANS) == index_of(after, _MEANS)


def test_a_line_says_which_tools_have_a_word_how_strongly_and_which_in_their_names() -> None:
    tools = [
        {"name": ["pay"], "description": ["order"]},
        {"name": ["list"], "description": ["pay"]},
    ]

    index = index_of(tools, {"name": 1.0, "description": 1.0})

    lines = [TermLine.read(json.loads(line)) for line in index.words]
    columns = {line.term: [list(c) for c in line[1:] if c is not None] for line in lines}
    # A name counts three times as much as a description: 1.8 * 3 / 3.8 against 1.8 / 1.8.
    assert columns == {
        "list": [[1], [1455], [1]],
        "order": [[0], [1024], []],
        "pay": [[0, 1], [1455, 1024], [0]],
    }
    assert index.pairs == []
    assert '["^pa","pay"]' in index.grams
