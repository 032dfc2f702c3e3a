"""What stubs say, read from their source."""

import re
from collections.abc import Collection
from typing import Final

from toolfold_runtime.contract.stub import ToolStub

#: A type in stubs, with its source.
_TYPE: Final = re.compile(
    r"^(?:class )?(?P<name>\w+)(?P<text>\(TypedDict[^\n]*\n(?:    [^\n]*\n)*| = [^\n]*)",
    re.MULTILINE,
)
_NAME: Final = re.compile(r"\w+")


def signature(stub: ToolStub) -> str:
    """The head of a function, as its stub has it."""
    head = re.search(rf"^def ({stub.function}\(.*):$", stub.text, re.MULTILINE)
    return head.group(1).replace("(*, ", "(", 1) if head else stub.function


def is_optional(stub: ToolStub, parameter: str) -> bool:
    """Whether a parameter has a default, which it says after its type."""
    match = re.search(rf"\b{re.escape(parameter)}: (.*)", signature(stub))
    return match is not None and " = " in re.split(r", \w+: ", match.group(1))[0]


def parameters(stub: ToolStub) -> list[str]:
    """The names of a function's parameters."""
    return re.findall(r"(\w+): ", signature(stub).partition("(")[2])


def keys_of(name: str, stubs: str) -> list[str]:
    """The keys of a type of the stubs; none where it is another type."""
    if not re.fullmatch(r"\w+", name):
        return []
    functional = re.search(rf"^{name} = TypedDict\(.*$", stubs, re.MULTILINE)
    if functional:
        return re.findall(r"""['"]([^'"]+)['"]: """, functional.group())
    body = re.search(rf"^class {name}\(TypedDict[^\n]*\n((?:    [^\n]*\n)*)", stubs, re.MULTILINE)
    return re.findall(r"^    (\w+): ", body.group(1), re.MULTILINE) if body else []


def types_taken(stubs: Collection[ToolStub], source: str) -> set[str]:
    """The types in a source of stubs that one of the tools takes, with those that they name."""
    sources = {match["name"]: match["text"] for match in _TYPE.finditer(source)}
    heads = (signature(stub).rpartition(" -> ")[0] for stub in stubs)
    taken: set[str] = set()
    rest = [word for head in heads for word in _NAME.findall(head)]
    while rest:
        name = rest.pop()
        if name in sources and name not in taken:
            taken.add(name)
            rest += _NAME.findall(sources[name])
    return taken
