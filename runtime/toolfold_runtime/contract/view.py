"""A page of an inventory view: one line of `inventory.jsonl` or of a category's file."""

from typing import NamedTuple


class ViewPage(NamedTuple):
    """One ready text; `view` comes first, because lines are found by their first value."""

    view: str
    pages: int
    tokens: int
    text: str


def view_key(detail: str, form: str, page: int) -> str:
    """The `view` of a page: what it is found by."""
    return f"{detail} {form} {page}"
