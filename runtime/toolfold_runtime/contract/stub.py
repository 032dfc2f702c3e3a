"""Stubs: the typed functions that tools are in programs, and the types that they share."""

import re
from collections.abc import Iterable
from typing import Final, NamedTuple

#: The imports that stubs use.
STUB_NAMES: Final = ("Any", "Literal", "NotRequired", "Required", "TypedDict")
#: The first line of Python source that is made of stubs.
STUB_IMPORTS: Final = f"from typing import {', '.join(STUB_NAMES)}"
_WORD: Final = re.compile(r"\w+")


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
    return "\n".join([*(stub.text for stub in in_order(types)), *(stub.text for stub in stubs)])


def in_order(types: Iterable[StubType]) -> list[StubType]:
    """The types, each after the types it names; classes come first, as they may name later ones."""
    ordered, rest = [], dict[str, StubType]()
    for stub_type in types:
        if re.search(rf"^class {stub_type.name}\(", stub_type.text, re.MULTILINE):
            ordered.append(stub_type)
        else:
            rest[stub_type.name] = stub_type
    named = {
        stub_type.name: {*_WORD.findall(stub_type.text)} - {stub_type.name}
        for stub_type in rest.values()
    }
    while rest:
        ready = [name for name in rest if rest.keys().isdisjoint(named[name])]
        ordered += [rest.pop(name) for name in ready or [*rest]]  # all of them name each other
    return ordered
