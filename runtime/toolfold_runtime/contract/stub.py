"""Stubs: the typed functions that tools are in programs, and the types that they share."""

from collections.abc import Iterable
from typing import Final, NamedTuple

#: What every stub may name beside types of its own.
STUB_NAMES: Final = ("Any", "Literal", "NotRequired", "Required", "TypedDict")
#: The first line of Python source that is made of stubs.
STUB_IMPORTS: Final = f"from typing import {', '.join(STUB_NAMES)}"


class ToolStub(NamedTuple):
    """A line of `stubs/tools.jsonl`: the function that a tool is. `function` comes first."""

    #: The name of the function, and of the tool.
    function: str
    tool: str
    #: Python source: the function, after the types that are its own.
    text: str
    #: The shared types that it refers to, with all that these refer to.
    types: tuple[str, ...] = ()
    #: Keyword arguments to the parameters that they stand for, where their names differ.
    parameters: dict[str, str] = {}  # noqa: RUF012 - the field of a tuple, never changed


class StubType(NamedTuple):
    """A line of `stubs/types.jsonl`: a type that stubs share, as Python source."""

    name: str
    text: str


def stub_source(stubs: Iterable[ToolStub], types: Iterable[StubType]) -> str:
    """Python source of some stubs after their types, without the imports."""
    return "\n".join([*(own.text for own in types), *(own.text for own in stubs)])
