"""Imports of names that the generated package does not have, usually after a rename."""

import ast
import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from toolfold.implementation.generated import GeneratedPackage
from toolfold.implementation.modules import Module
from toolfold.implementation.scaffold import import_lines
from toolfold.implementation.signatures import Misfit
from toolfold.plan.model import MethodPlan, ProtocolPlan

_CAUGHT: Final = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


@dataclass(frozen=True)
class Imports:
    """Compares imports with the names in the generated package."""

    protocol: ProtocolPlan
    generated: GeneratedPackage
    #: The tools' methods that seem to have been renamed, by their old names.
    renamed: Mapping[str, MethodPlan]

    def misfits(self, module: Module) -> Iterator[Misfit]:
        """Every import of a module or a name that is not generated."""
        nodes = list(_statements(module.tree))
        guarded = _statements_in_try(nodes)
        for node in nodes:
            if id(node) in guarded:
                continue
            if isinstance(node, ast.Import):
                for alias in node.names:
                    if self._is_ours(alias.name) and not self.generated.has_module(alias.name):
                        yield self._gone_module(node, alias.name, ())
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                yield from self._from(node, node.module)

    def _from(self, node: ast.ImportFrom, module: str) -> Iterator[Misfit]:
        if not self._is_ours(module):
            return
        names = [alias.name for alias in node.names]
        if not self.generated.has_module(module):
            yield self._gone_module(node, module, names)
            return
        for alias in node.names:
            if (module, alias.name) in self._planned_classes or self.generated.declares(
                module, alias.name
            ):
                continue
            if module == f"{self.protocol.package}.models":
                yield self._gone_module(node, f"{module}.{alias.name}", ())
            else:
                yield self._gone_name(alias, module)

    def _is_ours(self, module: str) -> bool:
        return module.partition(".")[0] == self.protocol.package

    @cached_property
    def _planned_classes(self) -> set[tuple[str, str]]:
        """The classes that signatures need, by module and name: always generated, so no text is read."""
        models = f"{self.protocol.package}.models"
        params = {(f"{models}.{m.module}", m.params_class) for m in self.protocol.methods}
        results = {
            (f"{models}.{m.result_module}", m.result_class)
            for m in self.protocol.methods
            if m.result_class is not None
        }
        return params | results

    def _gone_module(
        self, node: ast.Import | ast.ImportFrom, module: str, names: Iterable[str]
    ) -> Misfit:
        fact = f'no module "{module}" is generated'
        parent, _, last = module.rpartition(".")
        if (method := self.renamed.get(last)) is not None:
            return Misfit(node, fact, _write(import_lines(self.protocol.package, [method])))
        if moved := [line for name in names for line in self._elsewhere(name)]:
            return Misfit(node, fact, _write(moved))
        above = f"{parent}."
        siblings = [m.removeprefix(above) for m in self.generated.paths if m.startswith(above)]
        return Misfit(node, fact, _nearest(last, siblings, above) or self._remove)

    def _gone_name(self, alias: ast.alias, module: str) -> Misfit:
        fact = f'no "{alias.name}" is generated in {module}'
        if moved := self._elsewhere(alias.name):
            return Misfit(alias, fact, _write(moved))
        methods = [
            method
            for method in self.protocol.methods
            if f"{self.protocol.package}.models.{method.module}" == module
        ]
        if alias.name.endswith("Result") and methods:
            return Misfit(alias, fact, _write(import_lines(self.protocol.package, methods)))
        return Misfit(
            alias, fact, _nearest(alias.name, self.generated.names(module)) or self._remove
        )

    def _elsewhere(self, name: str) -> list[str]:
        """The import of a name from the module that declares it; empty if that is not certain."""
        modules = self.generated.declaring(name)
        return [f"from {modules[0]} import {name}"] if len(modules) == 1 else []

    @property
    def _remove(self) -> str:
        return f"remove it, or look in {self.protocol.package}/models for what there is"


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements below a node, wherever they are nested; no import is in an expression."""
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        for part in ("finalbody", "orelse", "handlers", "cases", "body"):
            waiting += getattr(node, part, ())


def _statements_in_try(nodes: Iterable[ast.AST]) -> set[int]:
    """The statements under a `try` that handles ImportError, where a failure is intended."""
    return {
        id(inner)
        for node in nodes
        if isinstance(node, ast.Try) and any(map(_catches_imports, node.handlers))
        for statement in node.body
        for inner in _statements(statement)
    }


def _catches_imports(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    names = {node.id for node in ast.walk(handler.type) if isinstance(node, ast.Name)}
    return bool(names & _CAUGHT)


def _nearest(name: str, names: Iterable[str], prefix: str = "") -> str:
    nearest = difflib.get_close_matches(name, list(names), 1)
    return f'did you mean "{prefix}{nearest[0]}"?' if nearest else ""


def _write(lines: list[str]) -> str:
    return "write " + " and ".join(f"`{line}`" for line in lines)
