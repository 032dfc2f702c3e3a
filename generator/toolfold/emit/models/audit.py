"""The last gate before generated models become code: every syntax node must be one we expect."""

import ast
import re
from collections.abc import Iterable
from typing import Final

from toolfold.plan.names.annotation_names import BUILTINS, IMPORTED

_CLASS: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
#: Stands for a class or an alias in the annotation of a shape.
STUB: Final = re.compile(r"(?:Reference|Alias)\d+")
_FIELD: Final = frozenset(
    {"description", "alias", "ge", "le", "gt", "lt", "min_length", "max_length"}
)
_MODULES: Final = frozenset({"__future__", *IMPORTED.values()}) - {"datetime"}
_CONSTRUCTORS: Final = frozenset(
    {"UUID", "dt.date", "dt.datetime.fromisoformat", "dt.time.fromisoformat"}
)
_CONFIG: Final = "model_config = ConfigDict(extra='forbid')"


def audited_names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation of a shape; ValueError where it has others."""
    names = _names(node)
    _refuse_unknown(name for name in names - IMPORTED.keys() if not STUB.fullmatch(name))
    return names


def audit_module(source: str) -> None:
    """ValueError where a module of models holds anything but imports, classes and aliases."""
    module = ast.parse(source)
    bound: set[str] = set()
    used: set[str] = set()
    for node in module.body:
        bound |= _bound(node)
        used |= _used(node)
    _refuse_unknown(used - bound)


def _refuse_unknown(names: Iterable[str]) -> None:
    unknown = sorted(names)
    if unknown:
        raise ValueError(f"unexpected expression in models: {', '.join(unknown)[:200]}")


def _bound(node: ast.stmt) -> set[str]:
    """The names that a statement binds."""
    match node:
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            return {alias.asname or alias.name for alias in names}
        case ast.ClassDef(name=name):
            return {name}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return {name}
    return set()


def _used(node: ast.stmt) -> set[str]:
    """The names that a statement of a module uses; ValueError for a statement that is not ours."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return set()
        case ast.Import(names=[ast.alias(name="datetime", asname="dt")]):
            return set()
        case ast.ImportFrom(module=str() as name, level=level) if level == 1 or name in _MODULES:
            return set()
        case ast.ClassDef(bases=[ast.Name(id="Model")], keywords=[], decorator_list=[], body=body):
            return {"Model"}.union(*(_used_in_class(part) for part in body))
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value):
            return _names(value)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Name(id="TypeAliasType"),
                args=[ast.Constant(value=own), ast.Constant(value=str() as text)],
                keywords=[],
            ),
        ) if own == name:
            return _names(ast.parse(text, mode="eval").body)
        case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=parts)) if all(
            isinstance(part, ast.Constant) for part in parts
        ):
            return set()
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="model_rebuild"),
                args=[],
                keywords=[],
            )
        ):
            return {name}
    raise ValueError(f"unexpected statement in models: {ast.unparse(node)[:200]}")


def _used_in_class(node: ast.stmt) -> set[str]:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return set()
        case ast.Assign() if ast.unparse(node) == _CONFIG:
            return {"ConfigDict"}
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=None):
            return _names(annotation)
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=ast.expr() as value) if (
            _is_default(value)
        ):
            return _names(annotation)
    raise ValueError(f"unexpected statement in a model: {ast.unparse(node)[:200]}")


def _is_default(node: ast.expr) -> bool:
    """Whether a default is plain data, a value of Python's own types, or an instance of a class."""
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return all(_is_default(part) for part in parts)
        case ast.Dict(keys=keys, values=values):
            return all(k is not None and _is_default(k) for k in keys) and all(
                _is_default(value) for value in values
            )
        case ast.Call(
            func=ast.Name(id="Field"),
            args=[],
            keywords=[ast.keyword(arg="default_factory", value=ast.Lambda(body=body))],
        ):
            return _is_default(body)
        case ast.Call(
            func=ast.Attribute(value=ast.Name(), attr="model_validate"), args=[inner], keywords=[]
        ):
            return _is_default(inner)
        case ast.Call(func=function, args=args, keywords=[]):
            is_ours = ast.unparse(function) in _CONSTRUCTORS
            return is_ours and all(isinstance(argument, ast.Constant) for argument in args)
    return False


def _names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation; ValueError where it is anything else."""
    match node:
        case ast.Constant():
            return set()
        case ast.Name(id=name) if name in BUILTINS:
            return set()
        case ast.Name(id=name) if _CLASS.fullmatch(name):
            return {name}
        case ast.Attribute(value=ast.Name(id="dt"), attr="date" | "time"):
            return {"dt"}
        case ast.Subscript(value=value, slice=inner):
            return _names(value) | _names(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left) | _names(right)
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return {name for part in parts for name in _names(part)}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return set()
        case ast.Call(func=ast.Name(id="Field"), args=[], keywords=keywords) if {
            k.arg for k in keywords
        } <= _FIELD:
            return {"Field"}.union(*(_names(k.value) for k in keywords))
    raise ValueError(f"unexpected expression in models: {ast.dump(node)[:200]}")
