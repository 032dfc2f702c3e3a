"""Manifest names to Python and file names, and the clashes that would follow."""

import builtins
import keyword
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from pydantic import BaseModel

from toolfold.manifest.schema import Tool
from toolfold.plan.text.paths import file_stem, is_device

# Names a generated models module imports or that its annotations use: a field of that name
# would hide them from Pydantic when it resolves the annotations.
_ANNOTATION_NAMES: Final = frozenset(
    {"Annotated", "Any", "Literal", "TypeAlias", "TypeAliasType", "Field", "ConfigDict"}
    | {"AwareDatetime", "UUID", "dt", "Model", "Base64", "NULLABLE"}
    | {"str", "int", "float", "bool", "list", "dict", "tuple", "None"}
)
_MODEL_NAMES: Final = frozenset(name for name in dir(BaseModel))
# Like the classes of generated models, which a field of that name would hide.
_CLASS_LIKE: Final = re.compile(r"[A-Z][A-Za-z0-9]*(Params|Result)")
_WORD_BREAK: Final = re.compile(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])")


def module_name(tool: str) -> str:
    """The module for a tool's models: its name where that is an identifier."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", tool)
    if name.startswith("__"):
        name = name.strip("_") or "tool"
    if name[0].isdigit():
        name = f"tool_{name}"
    is_taken = keyword.iskeyword(name) or is_device(name) or name.lower() == "definitions"
    return f"{name}_" if is_taken else name


class TypeName(NamedTuple):
    """A class or alias, and the module that it is in."""

    type: str
    module: str


def definition_name(definition: str) -> TypeName:
    """The type of a definition, and its module: `order_line` becomes `OrderLine` in `order_line`."""
    words = (word.lower() for word in _WORD_BREAK.split(definition) if word)
    own = class_name(definition)
    name = f"{own}Model" if own in _ANNOTATION_NAMES else own
    return TypeName(name, module_name("_".join(words) or "definition"))


def method_of(name: str, tool: Tool) -> str:
    """The method that carries a tool out: the one that its backend names, or like its module."""
    return tool.backend.python if tool.backend else module_name(name)


def class_name(text: str) -> str:
    """`tana_search` and `tana-search` alike become `TanaSearch`."""
    words = [word for word in _WORD_BREAK.split(text) if word]
    name = "".join(word[0].upper() + word[1:] for word in words) or "Tool"
    return f"Tool{name}" if name[0].isdigit() else name


def params_class(tool: str) -> str:
    """The class of a tool's parameters."""
    return f"{class_name(tool)}Params"


def result_class(tool: str) -> str:
    """The class or alias of a tool's result, where it is not a definition's."""
    return f"{class_name(tool)}Result"


@cache
def field_name(prop: str) -> str:
    """The attribute for a property: the property itself where Python and Pydantic allow.

    It depends on nothing but the property, so that tools can be modelled together.
    """
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", prop))
    if not name.isidentifier() or name.startswith("_"):
        name = f"field_{name.strip('_')}" if name.strip("_") else "field_"
        name = name if name.isidentifier() else "field_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
    if (
        keyword.iskeyword(name)
        or name in _ANNOTATION_NAMES
        or name in _MODEL_NAMES
        or name.startswith("model_")
        or _CLASS_LIKE.match(name)
    ):
        name = f"{name}_"
    return name


def package_name(server: str) -> str:
    """The import name of the generated package when the manifest gives none."""
    name = re.sub(r"[^a-z0-9]+", "_", server.lower()).strip("_") or "server"
    if name[0].isdigit() or keyword.iskeyword(name) or hasattr(builtins, name):
        name = f"mcp_{name}"
    return name if name.endswith("_mcp") else f"{name}_mcp"


def clashes(names: Iterable[str], *, is_tools: bool) -> Iterator[tuple[str, str, str]]:
    """Pairs of names that clash: the later one, the earlier one, and what they would share."""
    seen: dict[str, str] = {}
    for name in names:
        keys = unique_keys(name) if is_tools else _page_key(name)
        shared = next((key for key in keys if key in seen), None)
        if shared is not None:
            yield name, seen[shared], keys[shared]
        for key in keys:
            seen.setdefault(key, name)


def unique_keys(tool: str) -> dict[str, str]:
    """Keys that no two tools may share, each with the words for it in a message."""
    name, module = class_name(tool), module_name(tool)
    return {
        f"class {name}": f"the class {params_class(tool)}",
        f"module {module.casefold()}": f"the module {module}",
        **_page_key(tool),
    }


def _page_key(name: str) -> dict[str, str]:
    page = file_stem(name)
    return {f"page {page.casefold()}": f"the page {page}.md"}
