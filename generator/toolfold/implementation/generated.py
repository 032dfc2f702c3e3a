"""The modules of the generated package: which there are, and what they declare."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from toolfold.emit.output import Files, owner_of
from toolfold.implementation.modules import Module, module_of

_SUFFIX: Final = ".py"
_INIT: Final = "/__init__.py"
_MAX_STEPS: Final = 20  # from an import or alias to the class


class ClassName(NamedTuple):
    """A generated class by the module that declares it."""

    module: str
    name: str


class GeneratedPackage:
    """Reads the texts of a generated package; each is parsed when something in it is asked for."""

    def __init__(self, package: str, files: Files, output: Path) -> None:
        self._files = files
        self._output = output
        self._parsed: dict[str, Module] = {}
        #: The path of each module, by its dotted name.
        self.paths = {
            _module_name(path): path
            for path in files
            if path.startswith(f"{package}/") and path.endswith(_SUFFIX)
        }

    def has_module(self, name: str) -> bool:
        """Whether `import name` works: a generated module, or one that somebody put beside them."""
        return name in self.paths or self._has_foreign(name)

    def declares(self, module: str, name: str) -> bool:
        """Whether `from module import name` works, of a module that there is."""
        if name == "*" or self.has_module(f"{module}.{name}") or module not in self.paths:
            return True
        text = self._files[self.paths[module]]
        # Most imports are of classes, and need no parsing.
        if re.search(rf"^class {re.escape(name)}\b", text, re.MULTILINE):
            return True
        return name in self._module(module).bound or "__getattr__" in self._module(module).bound

    def names(self, module: str) -> set[str]:
        """What a module binds and did not import."""
        parsed = self._module(module)
        return parsed.bound - parsed.imported.keys()

    def declaring(self, name: str) -> list[str]:
        """The modules that declare a class or an alias of that name."""
        pattern = re.compile(rf"^(?:class |type )?{re.escape(name)}\b\s*[(:=]", re.MULTILINE)
        return [m for m, path in self.paths.items() if pattern.search(self._files[path])]

    def class_of(self, module: str, name: str) -> ClassName | None:
        """The class that a name stands for, through imports and aliases; None for anything else."""
        for _ in range(_MAX_STEPS):
            if module not in self.paths:
                return None
            parsed = self._module(module)
            if name in parsed.classes:
                return ClassName(module, name)
            origin = parsed.imported.get(name) or _aliased(parsed, name)
            if origin is None:
                return None
            module, _, name = origin.rpartition(".")
        return None

    def are_related(self, one: ClassName, other: ClassName) -> bool:
        """Whether they are the same class, or one derives from the other."""
        return one in self._ancestors(other) or other in self._ancestors(one)

    def is_model(self, name: ClassName) -> bool:
        """Whether a class is a model of an object, and no enumeration."""
        bases = [ast.unparse(base) for base in self._declared(name).bases]
        return bases == ["Model"]

    def _has_foreign(self, name: str) -> bool:
        place = self._output.joinpath(*name.split("."))
        for path in (place.with_name(f"{place.name}{_SUFFIX}"), place / "__init__.py"):
            if path.is_file():
                with path.open("rb") as file:
                    return not owner_of(file.readline())
        return False

    def _ancestors(self, name: ClassName) -> set[ClassName]:
        known, waiting = {name}, [name]
        while waiting:
            below = waiting.pop()
            for above in self._bases(below):
                if above not in known:
                    known.add(above)
                    waiting.append(above)
        return known

    def _bases(self, name: ClassName) -> Iterator[ClassName]:
        module = self._module(name.module)
        for base in self._declared(name).bases:
            absolute = _qualified(module, module.absolute(base))
            above = self.class_of(*absolute.rpartition(".")[::2]) if absolute else None
            if above is not None:
                yield above

    def _declared(self, name: ClassName) -> ast.ClassDef:
        return self._module(name.module).classes[name.name]

    def _module(self, name: str) -> Module:
        if name not in self._parsed:
            path = self.paths[name]
            text = self._files[path]
            self._parsed[name] = module_of(name, text, is_package=path.endswith(_INIT))
        return self._parsed[name]


def _module_name(path: str) -> str:
    stem = path.removesuffix(_INIT) if path.endswith(_INIT) else path.removesuffix(_SUFFIX)
    return stem.replace("/", ".")


def _aliased(module: Module, name: str) -> str | None:
    """The full name of what `name` is a plain alias of, or None."""
    for node in module.body:
        if isinstance(node, ast.AnnAssign | ast.Assign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                return _qualified(module, module.absolute(node.value))
    return None


def _qualified(module: Module, absolute: str | None) -> str | None:
    """A full name also for what the module itself declares."""
    return f"{module.name}.{absolute}" if absolute and "." not in absolute else absolute
