"""The last gate before generated models become code: every syntax node must be one we expect."""

import ast
from typing import Final

from toolfold.plan.modelled import Modelled

_BUILTINS: Final = frozenset({"str", "int", "float", "bool", "list", "dict"})
_IMPORTED: Final = frozenset(
    {"Annotated", "Any", "Literal", "TypeAlias", "ConfigDict", "Field", "MISSING", "Model"}
)
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
    "ConfigDict": frozenset({"extra"}),
}


def audited_names(statement: ast.stmt, models: Modelled) -> set[str]:
    """The names a statement uses besides builtins; ValueError where it is not a plain model."""
    match statement:
        case ast.ClassDef(name=name, bases=[ast.Name(id="Model")], keywords=[], decorator_list=[]):
            return {"Model"} | _class_body(statement, models.fields.get(name, {}), models)
        case ast.AnnAssign(target=ast.Name(), annotation=ast.Name(id="TypeAlias"), value=value):
            return {"TypeAlias"} | (_names(value, models) if value else set())
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=[], keywords=[])
        ) if attr == "model_rebuild":
            return set()
    raise ValueError(f"unexpected statement in models: {ast.dump(statement)[:200]}")


def _class_body(statement: ast.ClassDef, fields: dict[str, str], models: Modelled) -> set[str]:
    used: set[str] = set()
    found: list[str] = []
    for part in statement.body:
        match part:
            case ast.Pass() | ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.Assign(targets=[ast.Name(id="model_config")], value=ast.Call() as value):
                used |= _names(value, models)
            case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=value):
                found.append(name)
                used |= _names(annotation, models)
                used |= _names(value, models) if value is not None else set()
            case _:
                raise ValueError(f"unexpected part of {statement.name}: {ast.dump(part)[:200]}")
    if found != list(fields.values()) and sorted(found) != sorted(fields.values()):
        raise ValueError(f"{statement.name} has fields {found}, planned {list(fields.values())}")
    return used


def _names(node: ast.expr, models: Modelled) -> set[str]:
    """Names in an annotation or a value, which may hold nothing but types and constants."""
    match node:
        case ast.Constant():
            return set()
        case ast.Name(id=name) if name in _BUILTINS:
            return set()
        case ast.Name(id=name) if name in _IMPORTED or name in models.classes:
            return {name}
        case ast.Subscript(value=value, slice=inner):
            return _names(value, models) | _names(inner, models)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left, models) | _names(right, models)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in _names(part, models)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return set()
        case ast.Call(func=ast.Name(id=function), args=[], keywords=keywords) if (
            function in _CALLS and {k.arg for k in keywords} <= _CALLS[function]
        ):
            values = (_names(k.value, models) for k in keywords)
            return {function}.union(*values)
    raise ValueError(f"unexpected expression in models: {ast.dump(node)[:200]}")
