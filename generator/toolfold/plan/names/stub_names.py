"""Names in stubs: of functions, of their arguments, and of types that only one tool has."""

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from toolfold_runtime.contract.stub import STUB_NAMES

from toolfold.plan.text.escape import has_hidden

# A function of such a name would hide what programs, or the annotations of other stubs, use.
_TAKEN: Final = frozenset([*dir(builtins), *STUB_NAMES])


def function_name(tool: str) -> str:
    """The name of a tool's function in programs: an identifier like the tool's name.

    `create-issue` becomes `create_issue`, and `list` becomes `list_`.
    """
    # Programs do not see names that begin with an underscore.
    name = re.sub(r"[^A-Za-z0-9_]", "_", tool).lstrip("_") or "tool"
    if name[0].isdigit():
        name = f"tool_{name}"
    return f"{name}_" if keyword.iskeyword(name) or name in _TAKEN else name


def argument_names(parameters: Iterable[str]) -> dict[str, str]:
    """The keyword argument for each parameter, all of them different."""
    names: dict[str, str] = {}
    taken: set[str] = set()
    # What keeps its name comes first, so that nothing else takes it.
    for parameter in sorted(parameters, key=lambda name: not is_plain(name)):
        name = parameter if is_plain(parameter) else encoded(parameter)
        names[parameter] = unique(name, taken)
        taken.add(names[parameter])
    return names


def is_plain(name: str) -> bool:
    """Whether a name is a Python identifier that keeps its meaning in source."""
    return (
        name.isidentifier()
        and not keyword.iskeyword(name)
        and unicodedata.normalize("NFKC", name) == name
        and not has_hidden(name)
    )


def encoded(name: str) -> str:
    """An identifier similar to a name: `page-size` becomes `page_size`, `from` becomes `from_`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", unicodedata.normalize("NFKC", name)) or "_"
    if name[0].isdigit() or not name.strip("_"):
        name = f"p_{name.strip('_')}"
    return f"{name}_" if keyword.iskeyword(name) else name


def unique(name: str, taken: set[str]) -> str:
    """The name, with a number where it is taken."""
    number, free_name = 2, name
    while free_name in taken:
        free_name, number = f"{name}_{number}", number + 1
    return free_name
