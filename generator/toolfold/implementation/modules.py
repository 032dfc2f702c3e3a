"""Python files: parsed and never run, with the places of what they hold."""

import ast
import io
import tokenize
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final, TypeAlias

from toolfold.disk import read_file
from toolfold.errors import Place, Source

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
#: Nodes that have a place in a file.
Placed: TypeAlias = ast.stmt | ast.expr | ast.alias

_MAX_BYTES: Final = 1 << 24


class UnreadableError(Exception):
    """A file that Python cannot parse: where, why, and the way out."""

    def __init__(self, place: Place, reason: str, hint: str = "") -> None:
        self.place, self.reason, self.hint = place, reason, hint
        super().__init__(f"{place}: {reason}")


@dataclass(frozen=True)
class Module:
    """A module's source, under its dotted name."""

    name: str
    source: Source
    tree: ast.Module = field(repr=False)
    is_package: bool = False

    @cached_property
    def body(self) -> list[ast.stmt]:
        """The statements of the module, also those under a condition."""
        return list(statements(self.tree.body))

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes that it declares, by name."""
        return {node.name: node for node in self.body if isinstance(node, ast.ClassDef)}

    @cached_property
    def imported(self) -> dict[str, str]:
        """The origin of each imported name: `module.name`, or `module`."""
        origins = {}
        for node in self.body:
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    origins[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    origins[alias.asname or alias.name] = f"{self.origin(node)}.{alias.name}"
        return origins

    @cached_property
    def defined(self) -> frozenset[str]:
        """The names of its classes and of what it assigns."""
        return frozenset({*self.classes, *assigned(self.body)})

    @cached_property
    def bound(self) -> set[str]:
        """Every name that a statement of the module binds."""
        functions = {node.name for node in self.body if isinstance(node, Function)}
        return {*self.defined, *self.imported, *functions}

    def origin(self, node: ast.ImportFrom) -> str:
        """The module that an import names, relative ones made absolute."""
        if not node.level:
            return node.module or ""
        above = self.name.split(".")
        drop = node.level - (1 if self.is_package else 0)
        package = above[: len(above) - drop] if drop else above
        return ".".join([*package, *([node.module] if node.module else [])])

    def absolute(self, node: ast.expr) -> str | None:
        """The full name, `module.name`, of what a dotted name refers to; None for anything else."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return None
        start = self.imported.get(node.id, node.id)
        return ".".join([start, *reversed(parts)])

    def place(self, node: Placed) -> Place:
        """The place where a node begins."""
        # Python counts bytes, a reader characters.
        before = self.source.line(node.lineno).encode()[: node.col_offset]
        return Place(self.source, node.lineno, len(before.decode("utf-8", "ignore")) + 1)


def module_file(folder: Path, name: str) -> Path | None:
    """The file of the module of that dotted name below a folder, or None; packages come first."""
    files = (folder.joinpath(*name.split("."), "__init__.py"), new_module_file(folder, name))
    return next((file for file in files if file.is_file()), None)


def new_module_file(folder: Path, name: str) -> Path:
    """Where a module of that dotted name is written below a folder."""
    place = folder.joinpath(*name.split("."))
    return place.with_name(f"{place.name}.py")


def read_module(name: str, path: Path) -> Module:
    """The module in a file; UnreadableError where Python could not read it."""
    shown = str(path)
    start = Place(Source(shown, ""), 1, 1)
    try:
        data = read_file(path, _MAX_BYTES)
    except OSError as error:
        raise UnreadableError(start, f"cannot be read: {error.strerror or error}") from None
    if len(data) > _MAX_BYTES:
        raise UnreadableError(start, f"more than {_MAX_BYTES:,} bytes", "split it into modules")
    source = Source(shown, _decoded(data, shown))
    return Module(name, source, _parsed(source), path.name == "__init__.py")


def module_of(name: str, text: str, *, is_package: bool) -> Module:
    """The module of a text that is known to be Python."""
    return Module(name, Source(name, text), ast.parse(text), is_package)


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, also those under a condition."""
    for node in body:
        yield node
        for part in ("body", "orelse", "finalbody"):
            if isinstance(node, ast.If | ast.Try | ast.With):
                yield from statements(getattr(node, part, []))
        for handler in getattr(node, "handlers", []):
            yield from statements(handler.body)


def assigned(body: list[ast.stmt]) -> Iterator[str]:
    """The names that assignments bind."""
    for node in body:
        if isinstance(node, ast.Assign):
            yield from (n.id for t in node.targets for n in ast.walk(t) if isinstance(n, ast.Name))
        elif isinstance(node, ast.AnnAssign) and node.value and isinstance(node.target, ast.Name):
            yield node.target.id


def _decoded(data: bytes, shown: str) -> str:
    """The text of a file in the encoding that it declares, which is UTF-8 unless it says so."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        place = Place(Source(shown, data.decode("utf-8", "replace")), 1, 1)
        raise UnreadableError(place, error.msg, "save it as UTF-8") from None
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        line = data.count(b"\n", 0, error.start)
        before = data[data.rfind(b"\n", 0, error.start) + 1 : error.start]
        column = len(before.decode("utf-8", "replace")) + 1
        place = Place(Source(shown, text), line + 1, column)
        reason = f"byte 0x{data[error.start]:02x} is not {encoding}"
        raise UnreadableError(place, reason, "save it as UTF-8") from None
    except (LookupError, UnicodeError):  # of codecs that are no encodings of text
        place = Place(Source(shown, data.decode("utf-8", "replace")), 1, 1)
        raise UnreadableError(place, f"{encoding} is no text", "save it as UTF-8") from None


def _parsed(source: Source) -> ast.Module:
    text = source.text
    if "\0" in text:
        before = text[: text.index("\0")].split("\n")
        place = Place(source, len(before), len(before[-1]) + 1)
        raise UnreadableError(place, "a null character", "remove it")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an escape that is no escape: Python will say so
            return ast.parse(text, source.name)
    except SyntaxError as error:
        place = Place(source, error.lineno or 1, max(error.offset or 1, 1))
        raise UnreadableError(place, error.msg) from None
    except (RecursionError, MemoryError):
        hint = "split the expression that is nested so deeply"
        raise UnreadableError(Place(source, 1, 1), "too deeply nested", hint) from None
    except ValueError as error:
        raise UnreadableError(Place(source, 1, 1), str(error)) from None
