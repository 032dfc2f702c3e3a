"""Methods to paste and classes to start from, written from the generated protocol."""

import ast
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Final

_SCAFFOLD: Final = '''\
"""What carries the tools out. This file is yours: toolfold never writes it again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from {package}.handlers import Handlers

if TYPE_CHECKING:
    # Import a result's model outside this block where a method makes one.
{imports}


class {name}(Handlers):
    """One method per tool, sync or async."""

{methods}
'''


@dataclass(frozen=True)
class Protocol:
    """The generated protocol: its methods, and where their types come from."""

    package: str
    methods: dict[str, ast.FunctionDef]
    models: dict[str, str]

    def stub(self, methods: Collection[str]) -> str:
        """Imports and methods to paste into a class."""
        imports = "\n".join(self._imports(methods))
        return f"{imports}\n\n{self._bodies(methods)}\n"

    def scaffold(self, name: str) -> str:
        """A file with a class of all methods, none of them implemented."""
        return _SCAFFOLD.format(
            package=self.package,
            name=name,
            imports=textwrap.indent("\n".join(self._imports(self.methods)), "    "),
            methods=self._bodies(self.methods),
        )

    def _imports(self, methods: Collection[str]) -> Iterator[str]:
        """One line per module that the signatures need."""
        needed = {
            node.id
            for name in methods
            for annotation in _annotations(self.methods[name])
            for node in ast.walk(annotation)
            if isinstance(node, ast.Name)
        }
        by_module: dict[str, list[str]] = {}
        for name in sorted(needed & set(self.models)):
            by_module.setdefault(self.models[name], []).append(name)
        for module, names in sorted(by_module.items()):
            yield f"from {module} import {', '.join(names)}"

    def _bodies(self, methods: Collection[str]) -> str:
        return "\n\n".join(
            textwrap.indent(ast.unparse(self.methods[name]), "    ") for name in methods
        )


def protocol_of(text: str, package: str) -> Protocol:
    """The protocol in the text of a generated `handlers.py`."""
    methods: dict[str, ast.FunctionDef] = {}
    models: dict[str, str] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            found = [part for part in node.body if isinstance(part, ast.FunctionDef)]
            methods = {part.name: _plain(part) for part in found}
        elif isinstance(node, ast.ImportFrom) and node.module:
            source = f"{package}.{node.module}" if node.level else node.module
            models |= {alias.name: source for alias in node.names}
    return Protocol(package, methods, models)


def _plain(method: ast.FunctionDef) -> ast.FunctionDef:
    """A method that answers at once: what it returns without the word for maybe later."""
    if isinstance(method.returns, ast.Subscript):
        method.returns = method.returns.slice
    return method


def _annotations(method: ast.FunctionDef) -> Iterator[ast.expr]:
    yield from (argument.annotation for argument in method.args.args if argument.annotation)
    if method.returns:
        yield method.returns
