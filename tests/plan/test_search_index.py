"""The lines of the search index."""

import json

from toolfold.plan.search.index import index_of
from toolfold_runtime.contract.search import TermLine


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
