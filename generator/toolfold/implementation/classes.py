"""Which methods a class has, by reading the files that declare it and its bases."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

_BASES_WITHOUT_METHODS: Final = frozenset(
    {"object", "typing.Protocol", "typing.Generic", "typing_extensions.Protocol", "abc.ABC"}
)
_PLAIN_DECORATORS: Final = frozenset(
    {"dataclasses.dataclass", "typing.final", "typing.runtime_checkable"}
)
_MAX_DEPTH: Final = 50  # bases of bases


@dataclass
class Methods:
    """The names of a class's methods, and why there may be others."""

    names: set[str] = field(default_factory=set)
    #: What could not be followed: a base from elsewhere, a decorator, `__getattr__`.
    unseen: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Module:
    """A Python module of the user's."""

    name: str
    path: Path
    text: str

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes that it declares, by name; SyntaxError where it is not Python."""
        return {node.name: node for node in self._body if isinstance(node, ast.ClassDef)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """The origin of each imported name: `module.name`, or `module`."""
        origins = {}
        for node in self._body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    origins[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    origins[alias.asname or alias.name] = f"{self._source(node)}.{alias.name}"
        return origins

    def defines(self, name: str) -> bool:
        """Whether a class, an import or an assignment binds the name."""
        return name in self.classes or name in self.imported or name in _assigned(self._body)

    def _source(self, node: ast.ImportFrom) -> str:
        """The module that an import names, relative ones made absolute."""
        if not node.level:
            return node.module or ""
        above = self.name.split(".")
        drop = node.level - (1 if self.path.name == "__init__.py" else 0)
        package = above[: len(above) - drop] if drop else above
        return ".".join([*package, *([node.module] if node.module else [])])

    @cached_property
    def _body(self) -> list[ast.stmt]:
        return list(_statements(ast.parse(self.text, str(self.path)).body))


class ClassReader:
    """Reads classes of modules that lie beside the manifest."""

    def __init__(self, folder: Path, package: str) -> None:
        self._folder = folder
        self._handlers = f"{package}.handlers.Handlers"
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """The module of that dotted name, or None; it is parsed when its content is used."""
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def methods(self, module: Module, name: str, depth: int = 0) -> Methods:
        """All methods of a class, those of its bases included."""
        declared = module.classes.get(name)
        if declared is None:
            return self._elsewhere(module.imported.get(name, ""), name, depth)
        methods = Methods(set(_bound_names(declared)))
        if methods.names & {"__getattr__", "__getattribute__"}:
            methods.unseen.append("__getattr__")
        for decorator in declared.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._absolute(module, called) not in _PLAIN_DECORATORS:
                methods.unseen.append(f"@{ast.unparse(called)}")
        methods.unseen += [f"metaclass {ast.unparse(k.value)}" for k in declared.keywords]
        for base in declared.bases:
            inherited = self._base(module, base, depth)
            methods.names |= inherited.names
            methods.unseen += inherited.unseen
        return methods

    def _base(self, module: Module, base: ast.expr, depth: int) -> Methods:
        base = base.value if isinstance(base, ast.Subscript) else base
        if isinstance(base, ast.Name) and base.id in module.classes and depth < _MAX_DEPTH:
            return self.methods(module, base.id, depth + 1)
        return self._elsewhere(self._absolute(module, base), ast.unparse(base), depth)

    def _elsewhere(self, absolute: str, shown: str, depth: int) -> Methods:
        """A class of another module, where that lies beside the manifest too."""
        if absolute == self._handlers or absolute in _BASES_WITHOUT_METHODS:
            return Methods()
        source, _, name = absolute.rpartition(".")
        module = self.module(source) if source and depth < _MAX_DEPTH else None
        if module is None:
            return Methods(unseen=[shown])
        return self.methods(module, name, depth + 1)

    def _absolute(self, module: Module, node: ast.expr) -> str:
        """The full name, `module.name`, of what a dotted name refers to."""
        first, _, rest = ast.unparse(node).partition(".")
        start = module.imported.get(first, first)
        return f"{start}.{rest}" if rest else start

    def _read(self, name: str) -> Module | None:
        place = self._folder.joinpath(*name.split("."))
        for path in (place.with_name(f"{place.name}.py"), place / "__init__.py"):
            if path.is_file():
                return Module(name, path, path.read_text(encoding="utf-8-sig", errors="replace"))
        return None


def _bound_names(declared: ast.ClassDef) -> Iterator[str]:
    """The names that the body of a class binds."""
    body = list(_statements(declared.body))
    yield from _assigned(body)
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def _assigned(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        if isinstance(node, ast.Assign):
            yield from (n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            yield node.target.id


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, also those under a condition."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                yield from _statements(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from _statements(handler.body)
