"""Names that cannot stand side by side, each reported with both places."""

import keyword
import sys
from collections.abc import Sequence
from typing import Final

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan import naming
from toolfold.plan.model import MetaToolPlan
from toolfold.plan.problems import Problems

_TAKEN_PACKAGES: Final = frozenset({"toolfold", "toolfold_runtime", "mcp", "pydantic", "docs"})


def check_names(
    manifest: Manifest, meta: Sequence[MetaToolPlan], package: str, problems: Problems
) -> None:
    """Everything about names that planning needs to be true."""
    _check_tools(manifest, problems)
    _check_other_names(manifest, problems)
    _check_meta_tools(manifest, meta, problems)
    _check_methods(manifest, problems)
    _check_package(package, problems)


def method_of(name: str, tool: Tool) -> str:
    """The method that carries a tool out."""
    return tool.backend.python if tool.backend else naming.method_name(name)


def _check_tools(manifest: Manifest, problems: Problems) -> None:
    for key, names in (("tools", manifest.tools), ("categories", manifest.categories)):
        for later, earlier, shared in naming.clashes(names, is_tools=key == "tools"):
            first = problems.place((key, earlier))
            fact = f'"{earlier}" ({first}) and "{later}" would share {shared}'
            problems.error_at_key((key, later), fact, "rename one of them")


def _check_other_names(manifest: Manifest, problems: Problems) -> None:
    taken = dict.fromkeys(manifest.tools, "a tool")
    for name, tool in manifest.tools.items():
        for index, alias in enumerate(tool.aliases):
            if alias in taken:
                path = ("tools", name, "aliases", index)
                problems.error(path, f'"{alias}" is already {taken[alias]}', "drop the alias")
            taken[alias] = f'an alias of "{name}"'
    ids: dict[str, str] = {}
    for name, tool in manifest.tools.items():
        identity = tool.id or f"{manifest.server.name}::{name}"
        if identity in ids:
            fact = f'"{identity}" is already the id of "{ids[identity]}"'
            problems.error(("tools", name, "id"), fact, "an id names one tool")
        ids[identity] = name


def _check_meta_tools(manifest: Manifest, meta: Sequence[MetaToolPlan], problems: Problems) -> None:
    owners = {alias: n for n, tool in manifest.tools.items() for alias in (n, *tool.aliases)}
    seen: dict[str, str] = {}
    for tool in meta:
        hint = f"name it otherwise under `disclosure.meta.{tool.role}`"
        if tool.name in owners:
            fact = f'"{tool.name}" is the meta-tool `{tool.role}`'
            path = ("tools", owners[tool.name])
            problems.error_at_key(path, fact, f"{hint}, or rename the tool")
        if tool.name in seen:
            fact = f'"{tool.name}" is already the meta-tool `{seen[tool.name]}`'
            problems.error(("disclosure", "meta", tool.role), fact, hint)
        seen[tool.name] = tool.role


def _check_methods(manifest: Manifest, problems: Problems) -> None:
    seen: dict[str, str] = {}
    for name, tool in manifest.tools.items():
        method = method_of(name, tool)
        path = ("tools", name, "backend", "python")
        if keyword.iskeyword(method):
            problems.error(path, f'"{method}" is a word of Python', "choose another method name")
        if method in seen and tool.backend:
            fact = f'the method "{method}" already carries out "{seen[method]}"'
            problems.error(path, fact, "each tool has a method of its own")
        seen.setdefault(method, name)


def _check_package(package: str, problems: Problems) -> None:
    if keyword.iskeyword(package) or package in sys.stdlib_module_names:
        fact = f'package "{package}" would hide a module of Python'
        problems.error(("server", "package"), fact, "choose another name")
    if package in _TAKEN_PACKAGES:
        fact = f'package "{package}" would hide what it needs itself'
        problems.error(("server", "package"), fact, "choose another name")
