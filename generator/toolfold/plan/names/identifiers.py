"""Python and file names for the names in a manifest, and the clashes between them."""

import builtins
import keyword
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Final, NamedTuple

from pydantic import BaseModel

from toolfold.manifest.schema import Tool
from toolfold.plan.names.annotation_names import BUILTINS, IMPORTED
from toolfold.plan.text.paths import file_stem, is_device

# Pydantic would take a field of that name for the type when it resolves the annotations.
_TAKEN_NAMES: Final = BUILTINS | IMPORTED.keys() | {"None", "True", "False"}
_MODEL_NAMES: Final = frozenset([*dir(BaseModel), *dir(type(BaseModel))])
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

    module: str
    name: str


def definition_type(definition: str) -> TypeName:
    """The type of a definition, and its module: `order_line` becomes `OrderLine` in `order_line`."""
    words = (word.lower() for word in _WORD_BREAK.split(definition) if word)
    name = class_name(definition)
    name = f"{name}Model" if name in _TAKEN_NAMES else name
    return TypeName(module_name("_".join(words) or "definition"), name)


def method_of(name: str, tool: Tool) -> str:
    """The method that carries a tool out: named by its backend, else after the tool."""
    return (tool.backend and tool.backend.python) or module_name(name)


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
    """The attribute for a property, with the property's name where Python and Pydantic allow it.

    It depends on nothing but the property, so that tools can be modelled together.
    """
    name = re.sub(r"\W", "_", unicodedata.normalize("NFKC", prop))
    if not name.isidentifier() or name.startswith("_"):
        name = f"field_{name.strip('_')}" if name.strip("_") else "field_"
        name = name if name.isidentifier() else "field_" + re.sub(r"[^A-Za-z0-9_]", "_", name)
    if (
        keyword.iskeyword(name)
        or name in _TAKEN_NAMES
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


def clashes(
    names: Iterable[str], keys_of: Callable[[str], dict[str, str]]
) -> Iterator[tuple[str, str, str]]:
    """Pairs of names that clash: the later one, the earlier one, and what they would share."""
    seen: dict[str, str] = {}
    for name in names:
        keys = keys_of(name)
        shared = next((key for key in keys if key in seen), None)
        if shared is not None:
            yield name, seen[shared], keys[shared]
        for key in keys:
            seen.setdefault(key, name)


def tool_keys(tool: str) -> dict[str, str]:
    """Keys that no two tools may share, each with the words for it in a message."""
    name, module = class_name(tool), module_name(tool)
    return {
        f"class {name}": f"the class {params_class(tool)}",
        f"module {module.casefold()}": f"the module {module}",
        **category_keys(tool),
    }


def definition_keys(definition: str) -> dict[str, str]:
    """Keys that no two definitions may share, each with the words for it in a message."""
    type_name = definition_type(definition)
    return {
        f"class {type_name.name}": f"the class {type_name.name}",
        f"module {type_name.module.casefold()}": f"the module {type_name.module}",
    }


def category_keys(name: str) -> dict[str, str]:
    """Keys that no two categories may share, each with the words for it in a message."""
    page = file_stem(name)
    return {f"page {page.casefold()}": f"the page {page}.md"}


def attribute_clashes(properties: Iterable[str]) -> list[tuple[str, str]]:
    """Pairs of properties of one object that would share an attribute, in order."""
    seen: dict[str, str] = {}
    pairs = []
    for prop in properties:
        attribute = field_name(prop)
        if attribute in seen:
            pairs.append((seen[attribute], prop))
        seen.setdefault(attribute, prop)
    return pairs
