"""The files of a catalog, by their paths below it."""

from typing import Final, NamedTuple

SERVER: Final = "server.json"
NAMES: Final = "names.json"
INVENTORY: Final = "inventory.jsonl"
SUMMARIES: Final = "summaries.jsonl"
SERVERS: Final = "servers.json"
PINS: Final = "pins.jsonl"
INPUTS: Final = "inputs.jsonl"
ANSWERS: Final = "answers.jsonl"
DEFINITIONS: Final = "definitions.jsonl"
PROMPTS: Final = "prompts.json"
RESOURCES: Final = "resources.json"
STUBS: Final = "stubs/tools.jsonl"
STUB_TYPES: Final = "stubs/types.jsonl"

SEARCH_NAMES: Final = "search/names.json"
SEARCH_TOOLS: Final = "search/tools.jsonl"
SEARCH_RARITIES: Final = "search/rarities.json"
SEARCH_WORDS: Final = "search/words.jsonl"
SEARCH_PAIRS: Final = "search/pairs.jsonl"
SEARCH_GRAMS: Final = "search/grams.jsonl"
SEARCH_VECTORS: Final = "search/vectors.jsonl"
SEARCH_RELATED: Final = "search/related.jsonl"


def category_file(stem: str) -> str:
    """The file of a category: its views, then a line per tool."""
    return f"categories/{stem}.jsonl"


class Names(NamedTuple):
    """`names.json`: tool to the file stem of its category, category to its own, alias or id to tool."""

    tools: dict[str, str]
    categories: dict[str, str]
    others: dict[str, str]
    #: Tool to the stem of its page, where that is not its name.
    pages: dict[str, str] = {}  # noqa: RUF012 - the field of a tuple, never changed
    #: Category to its description, if it has one.
    descriptions: dict[str, str] = {}  # noqa: RUF012
