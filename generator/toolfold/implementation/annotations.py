"""The classes that annotations name, as far as source code tells."""

import ast
from collections.abc import Collection
from typing import Final

from toolfold.implementation.modules import Module

_AWAITABLE: Final = frozenset(
    {
        *("collections.abc.Awaitable", "collections.abc.Coroutine"),
        *("typing.Awaitable", "typing.Coroutine"),
        *("toolfold_runtime.MaybeAwaitable", "toolfold_runtime.typing.MaybeAwaitable"),
    }
)
_GENERIC: Final = frozenset({"list", "tuple", "set", "frozenset", "dict"})


def class_named(module: Module, annotation: ast.expr | None) -> str | None:
    """The full name of the class that an annotation names; None where it says anything else."""
    annotation = _unquoted(annotation)
    if annotation is None:
        return None
    if isinstance(annotation, ast.Constant):
        return "None" if annotation.value is None else None
    if isinstance(annotation, ast.Subscript):
        # What stands in brackets after a builtin makes it no other class.
        name = module.absolute(annotation.value)
        return name if name in _GENERIC else None
    start = annotation
    while isinstance(start, ast.Attribute):
        start = start.value
    if isinstance(start, ast.Name) and start.id in module.defined:
        return None  # the author's own, whatever else may have the name
    return module.absolute(annotation)


def awaited(module: Module, annotation: ast.expr | None) -> ast.expr | None:
    """The type that `Awaitable[…]` and its like await, or the annotation itself."""
    return argument_of(module, annotation, _AWAITABLE) or annotation


def argument_of(
    module: Module, annotation: ast.expr | None, names: Collection[str]
) -> ast.expr | None:
    """The last argument of a generic class with one of these full names; None for other classes."""
    inner = _unquoted(annotation)
    if not isinstance(inner, ast.Subscript) or module.absolute(inner.value) not in names:
        return None
    last = inner.slice.elts[-1] if isinstance(inner.slice, ast.Tuple) else inner.slice
    return ast.copy_location(last, annotation) if inner is not annotation and annotation else last


def annotation_source(annotation: ast.expr) -> str:
    """An annotation as source, without quotes around it."""
    return ast.unparse(_unquoted(annotation) or annotation)


def _unquoted(annotation: ast.expr | None) -> ast.expr | None:
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return annotation
