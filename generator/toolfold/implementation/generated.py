"""The modules of the generated package: which there are, and what they declare."""

import ast
import re
from pathlib import Path
from typing import Final

from toolfold.emit.output import Files, owner_of
from toolfold.implementation.modules import Module, module_file, module_of

_SUFFIX: Final = ".py"
_INIT: Final = "/__init__.py"
_MAX_STEPS: Final = 20  # from an import or alias to the class


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
        """The names that a module binds, without imported ones."""
        parsed = self._module(module)
        return parsed.bound - parsed.imported.keys()

    def declaring(self, name: str) -> list[str]:
        """The modules that declare a class or an alias of that name."""
        pattern = re.compile(rf"^(?:class )?{re.escape(name)}\b\s*[(:=]", re.MULTILINE)
        return [m for m, path in self.paths.items() if pattern.search(self._files[path])]

    def class_of(self, name: str) -> str | None:
        """The full name of the class that a full name stands for, through imports and aliases.

        None for anything else, an alias of a list or a union among them.
        """
        for _step in range(_MAX_STEPS):
            module, _, last = name.rpartition(".")
            if module not in self.paths:
                return None
            parsed = self._module(module)
            if last in parsed.classes:
                return name
            origin = parsed.imported.get(last) or _alias_target(parsed, last)
            if origin is None:
                return None
            name = origin
        return None

    def _has_foreign(self, name: str) -> bool:
        path = module_file(self._output, name)
        if path is None:
            return False
        with path.open("rb") as file:
            return not owner_of(file.readline())

    def _module(self, name: str) -> Module:
        if name not in self._parsed:
            path = self.paths[name]
            text = self._files[path]
            self._parsed[name] = module_of(name, text, is_package=path.endswith(_INIT))
        return self._parsed[name]


def _module_name(path: str) -> str:
    stem = path.removesuffix(_INIT) if path.endswith(_INIT) else path.removesuffix(_SUFFIX)
    return stem.replace("/", ".")


def _alias_target(module: Module, name: str) -> str | None:
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
