"""Comparing the user's class with the protocol, and writing a scaffold where its file is missing."""

import ast
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from toolfold.disk import link_in_the_way, real_path, write_new
from toolfold.emit.output import Files
from toolfold.errors import Place, Problem, Severity, Source, in_file_order
from toolfold.implementation.classes import ClassReader, Method, Methods
from toolfold.implementation.generated import GeneratedPackage
from toolfold.implementation.imports import Imports
from toolfold.implementation.modules import (
    Module,
    UnreadableError,
    module_file,
    new_module_file,
)
from toolfold.implementation.renames import renamed_methods
from toolfold.implementation.scaffold import scaffold, signature, stub
from toolfold.implementation.signatures import Misfit, Signatures
from toolfold.plan.model import MethodPlan, ProtocolPlan

_CODE: Final = "implementation"
_NONE_DECLARED: Final = (
    "no `implementation` is declared: the tools are described and cannot be called"
)
_LIFECYCLE: Final = frozenset({"start", "close"})


@dataclass(frozen=True)
class Comparison:
    """What is wrong with the user's class, and the source that adds what it lacks."""

    problems: tuple[Problem, ...] = ()
    #: Imports and methods to paste into the class: those of all problems at once.
    stub: str = ""
    #: Why something was not compared.
    notices: tuple[str, ...] = ()
    #: The file that was written because there was none.
    written: Path | None = None


@dataclass(frozen=True)
class Target:
    """The protocol that a class must satisfy, and the package generated from the same manifest."""

    manifest: Path
    protocol: ProtocolPlan
    output: Path
    #: The text of each generated file, by its path below the output folder.
    files: Files


def compare(target: Target, severity: Severity, *, may_write: bool) -> Comparison:
    """Compare the class that the manifest names with the protocol that it must satisfy.

    Where its file is missing and `may_write`, a class without implementations is written there.
    A file that exists is never changed.
    """
    if target.protocol.implementation is None:
        return Comparison(notices=(_NONE_DECLARED,) if target.protocol.methods else ())
    module_name, _, class_name = target.protocol.implementation.partition(":")
    implementation = _Implementation(target, module_name, class_name, severity)
    try:
        return implementation.compared(may_write=may_write)
    except UnreadableError as error:
        fact = f"Python cannot read it: {error.reason}"
        return implementation.problem(error.place, class_name, fact, error.hint)
    except RecursionError:
        return implementation.too_deep()


@dataclass(frozen=True)
class _Implementation:
    """The class that a manifest names, by its module and its name."""

    target: Target
    module_name: str
    class_name: str
    severity: Severity

    def compared(self, *, may_write: bool) -> Comparison:
        reader = ClassReader(self.target.manifest.parent, self.target.protocol.package)
        module = reader.module(self.module_name)
        if module is not None:
            return self._compared(reader, module)
        if _is_installed(self.module_name):
            where = f"{self.module_name} is not beside the manifest"
            return Comparison(notices=(f"{where}; its methods were not looked at",))
        return self._write_scaffold(may_write=may_write)

    def problem(self, place: Place, path: str, fact: str, hint: str) -> Comparison:
        return Comparison((Problem(place, path, fact, hint, self.severity, _CODE),))

    def too_deep(self) -> Comparison:
        folder, name = self.target.manifest.parent, self.module_name
        path = module_file(folder, name) or new_module_file(folder, name)
        place = Place(Source(str(path), ""), 1, 1)
        return self.problem(place, self.class_name, "too deeply nested", "split what is nested")

    def _compared(self, reader: ClassReader, module: Module) -> Comparison:
        if self.class_name not in module.bound:
            place = Place(module.source, 1, 1)
            hint = "declare it, or name another class under `server.implementation`"
            return self.problem(place, self.module_name, f'no class "{self.class_name}"', hint)
        methods = reader.methods(module, self.class_name)
        protocol, target = self.target.protocol, self.target
        generated = GeneratedPackage(protocol.package, target.files, target.output)
        signatures = Signatures(protocol, generated)
        missing = [m for m in protocol.methods if m.name not in methods.by_name]
        left_over = _left_over(methods, protocol)
        orphaned = [n for n, method in left_over.items() if signatures.is_orphaned(method)]
        renamed = renamed_methods(missing, left_over, orphaned)
        problems = [*self._wrong_methods(methods, signatures)]
        imports = Imports(protocol, generated, renamed)
        for read in reader.modules:
            problems += [self._misfit(read, "", misfit) for misfit in imports.misfits(read)]
        if missing and methods.unseen:
            unseen = ", ".join(dict.fromkeys(methods.unseen))
            who = f"{module.source.name}: {self.class_name} may get {len(missing)} methods"
            notice = f"{who} from {unseen}, which was not looked into"
            return Comparison(in_file_order(problems), notices=(notice,))
        problems += [self._renamed(left_over[old], renamed[old]) for old in renamed]
        absent = [method for method in missing if method not in renamed.values()]
        place = _class_place(module, self.class_name)
        problems += [self._missing(place, method) for method in absent]
        return Comparison(in_file_order(problems), stub(protocol.package, absent) if absent else "")

    def _wrong_methods(self, methods: Methods, signatures: Signatures) -> Iterator[Problem]:
        """Wrong signatures of the methods that the class has."""
        for plan in self.target.protocol.methods:
            method = methods.by_name.get(plan.name)
            if method is not None:
                path = f"{self.class_name}.{plan.name}"
                for misfit in signatures.misfits(method, plan):
                    yield self._misfit(method.module, path, misfit)

    def _misfit(self, module: Module, path: str, misfit: Misfit) -> Problem:
        place = module.place(misfit.node)
        return Problem(place, path, misfit.fact, misfit.hint, self.severity, _CODE)

    def _renamed(self, method: Method, plan: MethodPlan) -> Problem:
        old = method.function.name
        fact = f'belongs to no tool, while a tool has no method "{plan.name}"'
        new = signature(plan, is_async=isinstance(method.function, ast.AsyncFunctionDef))
        hint = (
            f"if its tool was renamed: `def {old}` → `{new}`,"
            f" and `aliases: [{old}]` under the tool for callers of the old name"
        )
        path = f"{self.class_name}.{old}"
        place = method.module.place(method.function)
        return Problem(place, path, fact, hint, self.severity, _CODE)

    def _missing(self, place: Place, method: MethodPlan) -> Problem:
        fact = f'no method "{method.name}" for the tool "{method.tool}"'
        source = stub(self.target.protocol.package, [method])
        return Problem(place, self.class_name, fact, "", self.severity, _CODE, source)

    def _write_scaffold(self, *, may_write: bool) -> Comparison:
        """Write the scaffold, or report that there is no file."""
        folder = self.target.manifest.parent
        path = new_module_file(folder, self.module_name)
        fact, hint = self._obstacle(path) or ("no such file", "run `toolfold generate`")
        if may_write and fact == "no such file":
            text = _formatted(scaffold(self.target.protocol, self.class_name))
            try:
                write_new(path, text, folder)
                return Comparison(written=path)
            except OSError as error:
                fact, hint = f"cannot be written: {error.strerror or error}", ""
        return self.problem(Place(Source(str(path), ""), 1, 1), self.class_name, fact, hint)

    def _obstacle(self, path: Path) -> tuple[str, str] | None:
        """Why no class can be written to a file, and the way out; None if it can."""
        folder = self.target.manifest.parent
        another = "name another module under `server.implementation`"
        inside = path.relative_to(folder)
        modules = [p.with_suffix(".py") for p in inside.parents if p.name]
        if module := next((p for p in modules if (folder / p).exists()), None):
            return f"{module} is a module, so nothing can be below it", another
        if link := link_in_the_way(path, folder):
            return (
                f"{link} is a link, and nothing is written through one",
                f"remove it, or {another}",
            )
        if real_path(path).is_relative_to(real_path(self.target.output)):
            return f"{self.target.output} is replaced whole when generating", another
        taken = [p for p in (path, *path.parents) if p.is_relative_to(folder) and p != folder]
        if foreign := next((p for p in taken if p.exists() and not p.is_dir()), None):
            return f"{foreign} is in the way", f"move it away, or {another}"
        return None


def _left_over(methods: Methods, protocol: ProtocolPlan) -> dict[str, Method]:
    """The public methods that no tool has."""
    taken = {method.name for method in protocol.methods} | _LIFECYCLE
    return {
        name: method
        for name, method in methods.by_name.items()
        if method is not None and name not in taken and not name.startswith("_")
    }


def _class_place(module: Module, name: str) -> Place:
    declared = module.classes.get(name)
    return module.place(declared) if declared else Place(module.source, 1, 1)


def _is_installed(module: str) -> bool:
    """Whether the module is installed; found out without importing it."""
    here = {"", str(Path.cwd())}
    elsewhere = [entry for entry in sys.path if entry not in here]
    return PathFinder.find_spec(module.partition(".")[0], elsewhere) is not None


def _formatted(text: str) -> str:
    from toolfold.emit.format import format_all

    return format_all([text])[0]
