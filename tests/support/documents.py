"""Pages for people whose examples are run by tests."""

import re


def fenced_blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a language in Markdown, in their order; "" for those that name none."""
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
