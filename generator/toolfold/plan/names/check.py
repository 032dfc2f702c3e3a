"""Clashes between names, each reported with both places."""

import keyword
import sys
from collections.abc import Collection, Sequence
from typing import Final

from toolfold.manifest.schema import Manifest
from toolfold.manifest.tree import PlacedMapping, place_of
from toolfold.plan.findings import Findings
from toolfold.plan.model import MetaToolPlan
from toolfold.plan.names.identifiers import (
    category_keys,
    clashes,
    definition_keys,
    definition_type,
    method_of,
    params_class,
    result_class,
    tool_keys,
)
from toolfold.plan.names.stub_names import function_name
from toolfold.plan.text.paths import is_device

_NEEDED_PACKAGES: Final = frozenset({"toolfold", "toolfold_runtime", "mcp", "pydantic"})
_TAKEN_PACKAGES: Final = _NEEDED_PACKAGES | {"docs"}  # a folder of the output too


def check_names(
    manifest: Manifest,
    tree: PlacedMapping,
    meta: Sequence[MetaToolPlan],
    package: str,
    definitions: Collection[str],
    findings: Findings,
) -> None:
    """Report every name that clashes with another, or is reserved by Python or Windows.

    `definitions` are those that get classes.
    """
    _check_shared(manifest, tree, definitions, findings)
    _check_definitions(manifest, definitions, findings)
    _check_other_names(manifest, findings)
    _check_meta_tools(manifest, meta, findings)
    _check_methods(manifest, findings)
    if manifest.disclosure.code != "off":
        _check_functions(manifest, findings)
    _check_package(manifest, package, findings)
    _check_implementation(manifest, package, findings)


def _check_shared(
    manifest: Manifest, tree: PlacedMapping, definitions: Collection[str], findings: Findings
) -> None:
    for key, names, keys_of in (
        ("tools", manifest.tools, tool_keys),
        ("categories", manifest.categories, category_keys),
        ("$defs", definitions, definition_keys),
    ):
        for later, earlier, shared in clashes(names, keys_of):
            first = place_of(tree, (key, earlier), of_key=True)
            fact = f'"{earlier}" ({first}) and "{later}" would share {shared}'
            findings.error((key, later), fact, "rename one of them", "name", of_key=True)


def _check_definitions(
    manifest: Manifest, definitions: Collection[str], findings: Findings
) -> None:
    """Report definitions whose class would have the name of a tool's."""
    classes = {
        type_name: name
        for name in manifest.tools
        for type_name in (params_class(name), result_class(name))
    }
    for name in definitions:
        shared = definition_type(name).name
        if shared in classes:
            fact = f'"{name}" would share the class {shared} with the tool "{classes[shared]}"'
            findings.error(("$defs", name), fact, "rename the definition", "name", of_key=True)


def _check_other_names(manifest: Manifest, findings: Findings) -> None:
    taken = dict.fromkeys(manifest.tools, "a tool")
    for name, tool in manifest.tools.items():
        for index, alias in enumerate(tool.aliases):
            if alias in taken:
                path = ("tools", name, "aliases", index)
                findings.error(
                    path, f'"{alias}" is already {taken[alias]}', "drop the alias", "name"
                )
            taken[alias] = f'an alias of "{name}"'
    ids: dict[str, str] = {}
    for name in manifest.tools:
        identity = manifest.id_of(name)
        if identity in ids:
            fact = f'"{identity}" is already the id of "{ids[identity]}"'
            findings.error(("tools", name, "id"), fact, "give one of them another `id`", "name")
        ids[identity] = name


def _check_meta_tools(manifest: Manifest, meta: Sequence[MetaToolPlan], findings: Findings) -> None:
    aliases = {a: (n, i) for n, t in manifest.tools.items() for i, a in enumerate(t.aliases)}
    seen: dict[str, str] = {}
    for tool in meta:
        hint = f"name it otherwise under `disclosure.meta.{tool.role}`"
        fact = f'"{tool.name}" is the meta-tool `{tool.role}`'
        if tool.name in manifest.tools:
            path = ("tools", tool.name)
            findings.error(path, fact, f"{hint}, or rename the tool", "name", of_key=True)
        if tool.name in aliases:
            owner, index = aliases[tool.name]
            where = ("tools", owner, "aliases", index)
            findings.error(where, fact, f"{hint}, or drop the alias", "name")
        if tool.name in seen:
            fact = f'"{tool.name}" is already the meta-tool `{seen[tool.name]}`'
            findings.error(("disclosure", "meta", tool.role), fact, hint, "name")
        seen[tool.name] = tool.role


def _check_methods(manifest: Manifest, findings: Findings) -> None:
    seen: dict[str, str] = {}
    for name, tool in manifest.tools.items():
        if manifest.server_of(name) is not None:
            continue
        method = method_of(name, tool)
        path = ("tools", name, "backend", "python")
        if keyword.iskeyword(method):
            findings.error(
                path, f'"{method}" is a word of Python', "choose another method name", "name"
            )
        other = seen.get(method)
        if other and (tool.backend or manifest.tools[other].backend):
            fact = f'the method "{method}" already carries out "{other}"'
            where = path if tool.backend else path[:2]
            hint = "give each tool a method of its own"
            findings.error(where, fact, hint, "name", of_key=not tool.backend)
        seen.setdefault(method, name)


def _check_functions(manifest: Manifest, findings: Findings) -> None:
    """Report tools whose functions in programs would clash with each other or with a type."""
    taken = {definition_type(name).name: f'the definition "{name}"' for name in manifest.defs}
    for name in manifest.tools:
        function = function_name(name)
        if function in taken:
            fact = f'in programs "{name}" would be called {function}, as {taken[function]} is'
            hint = "rename one of them, or set `disclosure.code: off`"
            findings.error(("tools", name), fact, hint, "name", of_key=True)
        taken[function] = f'"{name}"'


def _check_package(manifest: Manifest, package: str, findings: Findings) -> None:
    if keyword.iskeyword(package):
        fact = f'package "{package}" is a word of Python'
    elif package in sys.stdlib_module_names:
        fact = f'package "{package}" would hide a module of Python'
    elif package.lower() in _TAKEN_PACKAGES:
        fact = f'package "{package}" would hide a module that it needs itself'
    elif is_device(package):
        fact = f'package "{package}" is the name of a device on Windows'
    else:
        return
    path = ("server", "package" if manifest.server.package else "name")
    findings.error(path, fact, "choose another import name with `server.package`", "name")


def _check_implementation(manifest: Manifest, package: str, findings: Findings) -> None:
    module, _, name = (manifest.server.implementation or "").partition(":")
    parts = module.split(".")
    words = [part for part in (*parts, name) if keyword.iskeyword(part)]
    reserved = [part for part in (*parts, name) if part.startswith("__") and part.endswith("__")]
    devices = [part for part in parts if is_device(part)]
    if words:
        fact = f'"{words[0]}" is a word of Python'
    elif reserved:
        fact = f'"{reserved[0]}" is a name that Python reserves'
    elif devices:
        fact = f'"{devices[0]}" is the name of a device on Windows'
    elif parts[0] in sys.stdlib_module_names:
        fact = f'"{parts[0]}" is a module of Python'
    elif parts[0].lower() in _NEEDED_PACKAGES:
        fact = f'"{parts[0]}" is a module that the server needs itself'
    elif parts[0] == package:
        fact = f'"{package}" is the generated package'
    else:
        return
    hint = "name a module and a class of your own, as in `shop.tools:Shop`"
    findings.error(("server", "implementation"), fact, hint, "name")
