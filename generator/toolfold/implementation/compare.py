"""Comparing the user's class with the protocol, and writing the class once where there is none."""

import sys
from dataclasses import dataclass
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Final

from toolfold.errors import Place, Problem, Severity, Source
from toolfold.implementation.classes import ClassReader, Module
from toolfold.implementation.scaffold import scaffold, stub
from toolfold.plan.model import MethodPlan, ProtocolPlan

_CODE: Final = "implementation"
_NONE_DECLARED: Final = (
    "no `implementation` is declared: the tools are described and cannot be called"
)


@dataclass(frozen=True)
class Comparison:
    """What the user's class lacks, and the source that adds it."""

    problems: tuple[Problem, ...] = ()
    #: Imports and methods to paste into the class: those of all problems at once.
    stub: str = ""
    #: Why something was not compared.
    notices: tuple[str, ...] = ()
    #: The file that was written because there was none.
    written: Path | None = None


def compare(
    manifest: Path, protocol: ProtocolPlan, severity: Severity, *, may_write: bool
) -> Comparison:
    """Compare the class that the manifest names with the protocol that it must satisfy.

    Where its file is missing and `may_write`, a class without implementations is written there.
    A file that exists is never changed.
    """
    if protocol.implementation is None:
        return Comparison(notices=(_NONE_DECLARED,))
    module_name, _, class_name = protocol.implementation.partition(":")
    implementation = _Implementation(manifest.parent, protocol, module_name, class_name, severity)
    return implementation.compared(may_write=may_write)


@dataclass(frozen=True)
class _Implementation:
    """The class that a manifest names, by its module and its name."""

    folder: Path
    protocol: ProtocolPlan
    module_name: str
    class_name: str
    severity: Severity

    def compared(self, *, may_write: bool) -> Comparison:
        reader = ClassReader(self.folder, self.protocol.package)
        module = reader.module(self.module_name)
        if module is not None:
            return self._compared(reader, module)
        if _is_installed(self.module_name):
            where = f"{self.module_name} is not beside the manifest"
            return Comparison(notices=(f"{where}; its methods were not looked at",))
        return self._absent(may_write=may_write)

    def _compared(self, reader: ClassReader, module: Module) -> Comparison:
        try:
            place = _place(module, self.class_name)
            methods = reader.methods(module, self.class_name)
        except SyntaxError as error:
            at = Place(Source(str(error.filename or module.path), ""), error.lineno or 1, 1)
            return self._problem(at, self.class_name, f"Python cannot read it: {error.msg}", "")
        if not module.defines(self.class_name):
            hint = "declare it, or name another class under `server.implementation`"
            return self._problem(place, self.module_name, f'no class "{self.class_name}"', hint)
        missing = [m for m in self.protocol.methods if m.name not in methods.names]
        if missing and methods.unseen:
            unseen = ", ".join(dict.fromkeys(methods.unseen))
            who = f"{module.path}: {self.class_name} may get {len(missing)} methods"
            return Comparison(notices=(f"{who} from {unseen}, which was not looked into",))
        problems = tuple(self._missing(place, method) for method in missing)
        return Comparison(problems, stub(self.protocol.package, missing) if missing else "")

    def _missing(self, place: Place, method: MethodPlan) -> Problem:
        fact = f'no method "{method.name}", which carries out a tool'
        source = stub(self.protocol.package, [method])
        return Problem(place, self.class_name, fact, "", self.severity, _CODE, source)

    def _absent(self, *, may_write: bool) -> Comparison:
        """Write the scaffold, or report that there is no file."""
        path = self.folder.joinpath(*self.module_name.split(".")).with_suffix(".py")
        above = [p.with_suffix(".py") for p in path.relative_to(self.folder).parents if p.name]
        modules = [p for p in above if (self.folder / p).exists()]
        if may_write and not modules and not path.is_symlink():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8", newline="\n") as file:
                file.write(_formatted(scaffold(self.protocol, self.class_name)))
            return Comparison(written=path)
        fact, hint = "no such file", "run `toolfold generate`"
        if modules:
            fact = f"{modules[0]} is a module, so nothing can be below it"
            hint = "name another module under `server.implementation`"
        return self._problem(Place(Source(str(path), ""), 1, 1), self.class_name, fact, hint)

    def _problem(self, place: Place, path: str, fact: str, hint: str) -> Comparison:
        return Comparison((Problem(place, path, fact, hint, self.severity, _CODE),))


def _place(module: Module, name: str) -> Place:
    source = Source(str(module.path), module.text)
    declared = module.classes.get(name)
    return (
        Place(source, declared.lineno, declared.col_offset + 1) if declared else Place(source, 1, 1)
    )


def _is_installed(module: str) -> bool:
    """Whether Python would find it elsewhere; nothing is imported to find out."""
    here = {"", str(Path.cwd())}
    elsewhere = [entry for entry in sys.path if entry not in here]
    return PathFinder.find_spec(module.partition(".")[0], elsewhere) is not None


def _formatted(text: str) -> str:
    from toolfold.emit.format import format_all

    return format_all([text])[0]
