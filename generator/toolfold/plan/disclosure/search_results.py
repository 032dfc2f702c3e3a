"""A tool among search results: its line from the richest to the leanest, and what each costs."""

from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.deprecation import mark, marked, replacement_of
from toolfold.plan.disclosure.signature import compact_signature
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.disclosure.truncate import truncated
from toolfold.plan.text.escape import one_line, without_hidden

_SUMMARY: Final = 110  # characters


def result_lines(name: str, tool: Tool, given: Json, returned: Json | None) -> list[str]:
    """The lines of a result: with a signature, with the name only, and without the summary too."""
    replacement = replacement_of(tool)
    summary = marked(truncated(one_line(without_hidden(tool.summary)), _SUMMARY), replacement)
    signature = one_line(without_hidden(compact_signature(name, given, returned, tool.content)))
    return [f"{signature}: {summary}", f"{name}: {summary}", f"{name} {mark(replacement)}".rstrip()]


def result_tokens(lines: list[str]) -> list[int]:
    """The tokens of each line, with its line break."""
    return [count(f"{line}\n") for line in lines]


def reserved_tokens(schema: str) -> int:
    """The tokens of what may follow the results: a note about omitted ones, and the next step."""
    note = "50 more did not fit; ask with a smaller limit\n"
    return count(f"{note}next: {schema}(tool)")
