"""The last gate before generated models become code: every syntax node must be one we expect."""

import ast
import re
from typing import Final

_BUILTINS: Final = frozenset({"str", "int", "float", "bool", "list", "dict"})
_IMPORTED: Final = frozenset({"Annotated", "Any", "Literal", "Field", "MISSING"})
_REFERENCE: Final = re.compile(r"Reference\d+")
_CALLS: Final = {
    "Field": frozenset(
        [
            "description",
            "alias",
            "ge",
            "le",
            "gt",
            "lt",
            "min_length",
            "max_length",
            "validate_default",
        ]
    ),
}


def audited_names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation or a value; ValueError where it is anything else."""
    match node:
        case ast.Constant():
            return set()
        case ast.Name(id=name) if name in _BUILTINS:
            return set()
        case ast.Name(id=name) if name in _IMPORTED or _REFERENCE.fullmatch(name):
            return {name}
        case ast.Subscript(value=value, slice=inner):
            return audited_names(value) | audited_names(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return audited_names(left) | audited_names(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in audited_names(part)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return set()
        case ast.Call(func=ast.Name(id=function), args=[], keywords=keywords) if (
            function in _CALLS and {k.arg for k in keywords} <= _CALLS[function]
        ):
            values = (audited_names(k.value) for k in keywords)
            return {function}.union(*values)
    raise ValueError(f"unexpected expression in models: {ast.dump(node)[:200]}")
