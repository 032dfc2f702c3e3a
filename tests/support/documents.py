"""Pages for people whose examples are run by tests."""

import re
from typing import Final

# Both fences of every block, whatever its language: the end of one is not the beginning of another.
_FENCED: Final = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def fenced_blocks(page: str, language: str) -> list[str]:
    """The blocks of code of a language in Markdown, in their order; "" for those that name none."""
    return [code for named, code in _FENCED.findall(page) if named == language]
