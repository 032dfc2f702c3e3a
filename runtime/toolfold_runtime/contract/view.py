"""A page of an inventory view: one line of `inventory.jsonl` or of a category's file."""

from dataclasses import dataclass

from toolfold_runtime.contract.vocabulary import Format


@dataclass(frozen=True, slots=True)
class ViewPage:
    """One ready text; `view` comes first, because lines are found by their first value."""

    view: str
    pages: int
    tokens: int
    text: str


def view_key(detail: str, form: Format, page: int) -> str:
    """What a page is found by."""
    return f"{detail} {form} {page}"
