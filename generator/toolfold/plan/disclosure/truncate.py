"""Truncating texts for lists."""

from typing import Final

#: Characters of a summary or of a category's description in a list; `tool_schema` has the whole.
MOST_LISTED: Final = 300


def truncated(text: str, most: int = MOST_LISTED) -> str:
    """The text within a line's length; a truncated one ends after a word, with a mark."""
    if len(text) <= most:
        return text
    head = text[:most]
    return f"{head[: head.rfind(' ')] if ' ' in head else head}…"
