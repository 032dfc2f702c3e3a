"""Which methods a class has, by reading the files that declare it and its bases."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from toolfold.implementation.modules import (
    Function,
    Module,
    assigned,
    module_file,
    read_module,
    statements,
)

_BASES_WITHOUT_METHODS: Final = frozenset(
    {"object", "typing.Protocol", "typing.Generic", "typing_extensions.Protocol", "abc.ABC"}
)
_PLAIN_DECORATORS: Final = frozenset(
    {"dataclasses.dataclass", "typing.final", "typing.runtime_checkable"}
)
_MAX_DEPTH: Final = 50  # bases of bases


@dataclass(frozen=True)
class Method:
    """A function in the body of a class, and the module that this is in."""

    module: Module
    function: Function


@dataclass
class Methods:
    """The methods of a class, and the reasons why it may have others."""

    #: By name; None for what is bound in another way than by `def`, or in more than one way.
    by_name: dict[str, Method | None] = field(default_factory=dict)
    #: What could not be followed: a base from elsewhere, a decorator, `__getattr__`.
    unseen: list[str] = field(default_factory=list)

    def forget_functions(self) -> None:
        """Forget the functions and keep their names: something else may be bound to them."""
        self.by_name = dict.fromkeys(self.by_name)

    def inherit(self, base: "Methods") -> None:
        """Add what a base has; a name from two bases may be either's."""
        for name, method in base.by_name.items():
            self.by_name[name] = None if name in self.by_name else method
        self.unseen += base.unseen


class ClassReader:
    """Reads classes of modules that lie beside the manifest."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._handlers = f"{package}.handlers.Handlers"
        self._modules: dict[str, Module | None] = {}
        self._methods: dict[tuple[str, str], Methods] = {}

    @property
    def modules(self) -> list[Module]:
        """The modules that were read, in the order in which they were needed."""
        return [module for module in self._modules.values() if module is not None]

    def module(self, name: str) -> Module | None:
        """The module of that dotted name, or None; UnreadableError where it is not Python."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def methods(self, module: Module, name: str, depth: int = 0) -> Methods:
        """All methods of a class, those of its bases included."""
        declared = module.classes.get(name)
        if declared is None:
            return self._elsewhere(module.imported.get(name, ""), name, depth)
        # A base of several classes is read once.
        key = (module.name, name)
        if key not in self._methods:
            self._methods[key] = self._declared(module, declared, depth)
        return self._methods[key]

    def _declared(self, module: Module, declared: ast.ClassDef, depth: int) -> Methods:
        methods = Methods(_bindings(module, declared))
        methods.unseen += _why_incomplete(module, declared, methods.by_name)
        inherited = Methods()
        for base in declared.bases:
            inherited.inherit(self._base(module, base, depth))
        if methods.unseen:
            methods.forget_functions()
        if methods.unseen or inherited.unseen:
            inherited.forget_functions()
        return Methods(inherited.by_name | methods.by_name, methods.unseen + inherited.unseen)

    def _base(self, module: Module, base: ast.expr, depth: int) -> Methods:
        base = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(base, ast.Name) and base.id in module.classes and depth < _MAX_DEPTH:
            return self.methods(module, base.id, depth + 1)
        return self._elsewhere(module.absolute(base) or "", ast.unparse(base), depth)

    def _elsewhere(self, absolute: str, shown: str, depth: int) -> Methods:
        """A class of another module, where that lies beside the manifest too."""
        if absolute == self._handlers or absolute in _BASES_WITHOUT_METHODS:
            return Methods()
        source, _, name = absolute.rpartition(".")
        module = self.module(source) if source and depth < _MAX_DEPTH else None
        if module is None:
            return Methods(unseen=[shown])
        return self.methods(module, name, depth + 1)

    def _read(self, name: str) -> Module | None:
        file = module_file(self._folder, name)
        return None if file is None else read_module(name, file)


def _why_incomplete(
    module: Module, declared: ast.ClassDef, names: dict[str, Method | None]
) -> Iterator[str]:
    """The reasons why a class may have methods that its body does not show."""
    if names.keys() & {"__getattr__", "__getattribute__"}:
        yield "__getattr__"
    for decorator in declared.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if module.absolute(called) not in _PLAIN_DECORATORS:
            yield f"@{ast.unparse(called)}"
    yield from (f"metaclass {ast.unparse(keyword.value)}" for keyword in declared.keywords)


def _bindings(module: Module, declared: ast.ClassDef) -> dict[str, Method | None]:
    """The names that the body of a class binds, with their functions where these are certain."""
    unconditional = {id(node) for node in declared.body}
    bound: dict[str, Method | None] = {}
    for node in statements(declared.body):
        for name in _bound_by(node):
            method = Method(module, node) if isinstance(node, Function) else None
            is_certain = name not in bound or id(node) in unconditional
            bound[name] = method if is_certain else None
    return bound


def _bound_by(node: ast.stmt) -> Iterator[str]:
    """The names that a statement binds."""
    if isinstance(node, Function):
        yield node.name
    elif isinstance(node, ast.Import | ast.ImportFrom):
        yield from (alias.asname or alias.name for alias in node.names)
    else:
        yield from assigned([node])
