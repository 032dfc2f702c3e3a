"""Pages for agents are Markdown without HTML and entities, and still show every text as text."""

import re
from typing import Final

import pytest
from markdown_it import MarkdownIt
from toolfold.plan.text.escape import markdown, markdown_block, markdown_code, markdown_fence
from toolfold_runtime.contract.pages import as_markdown

from tests.security.material import NASTY, collapsed

_COMMON: Final = MarkdownIt("commonmark", {"html": True}).enable("table")
_TEXTS: Final = [text for text in NASTY if len(text) < 2000]


@pytest.mark.parametrize("text", _TEXTS, ids=range(len(_TEXTS)))
def test_what_an_agent_reads_means_what_a_person_sees(text: str) -> None:
    page = (
        f"# {markdown(text)}\n\n- x {markdown(text)}\n\n{markdown_block(text)}\n\n"
        f"| a | b |\n| --- | --- |\n| {markdown(text)} | {markdown_code(text)} |\n\n"
        f"{markdown_fence(text, 'text')}\n"
    )
    plain = as_markdown(page)
    outside = re.sub(r"^(`{3,})text\n.*?^\1$", "", plain, flags=re.DOTALL | re.MULTILINE)

    assert seen(plain) == seen(page)
    assert "<code>" not in re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside)
    assert not re.search(r"(?<!\\)&#\d+;", re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", outside))


def seen(page: str) -> list[str]:
    """The text of each part of a page as CommonMark shows it, and what kind of part it is."""
    found = []
    for token in _COMMON.parse(page):
        if token.type == "inline":
            texts = [
                "" if child.type in ("softbreak", "hardbreak") else child.content
                for child in token.children or ()
                if not child.type.endswith(("_open", "_close")) and child.type != "html_inline"
            ]
            found.append(collapsed(" ".join(texts)).replace(" ", ""))
        elif token.type == "fence":
            found.append(token.content)
    return found


def test_pictures_and_anchors_are_left_out() -> None:
    page = '# A\n\n<a id="x"></a>Words\n\n<figure class="tf-figure tf-bars">\n<svg></svg></figure>\n\nEnd\n'

    assert as_markdown(page) == "# A\n\nWords\n\nEnd\n"
