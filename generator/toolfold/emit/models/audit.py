"""An allow-list for generated models: every syntax node must be one that we expect."""

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
_DEFINITION: Final = re.compile(r"(?:definitions\.)?[a-z0-9_]+")
_RESERVED: Final = BUILTINS | {"True", "False", "None"}
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
    bound: set[str] = set()
    used: set[str] = set()
    for node in ast.parse(source).body:
        bound |= _names_bound(node)
        used |= _names_used(node)
    _refuse_unknown(used - bound)


def _refuse_unknown(names: Iterable[str]) -> None:
    unknown = sorted(names)
    if unknown:
        raise ValueError(f"unexpected expression in models: {', '.join(unknown)[:200]}")


def _names_bound(node: ast.stmt) -> set[str]:
    """The names that a statement binds; ValueError for an import that is not ours."""
    match node:
        case ast.Import(names=[ast.alias(name="datetime", asname="dt")]):
            return {"dt"}
        case ast.ImportFrom(module="__future__", names=[ast.alias(name="annotations")], level=0):
            return set()
        case ast.ImportFrom(module=str() as module, names=names, level=level):
            return {_name_imported(alias, module, level) for alias in names}
        case ast.Import() | ast.ImportFrom():
            raise ValueError(f"unexpected import in models: {ast.unparse(node)[:200]}")
        case ast.ClassDef(name=name):
            return {name}
        case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
            return {name}
    return set()


def _name_imported(alias: ast.alias, module: str, level: int) -> str:
    """The name that an import binds: one of the generator's own imports, or of a definition."""
    is_ours = level == 0 and alias.name != "dt" and IMPORTED.get(alias.name) == module
    is_definition = level == 1 and _DEFINITION.fullmatch(module) and _CLASS.fullmatch(alias.name)
    if alias.asname is not None or not (is_ours or is_definition) or alias.name in _RESERVED:
        raise ValueError(f"unexpected import in models: {alias.name[:200]} from {module[:200]}")
    return alias.name


def _names_used(node: ast.stmt) -> set[str]:
    """The names that a statement of a module uses; ValueError for a statement that is not ours."""
    match node:
        case ast.Expr(value=ast.Constant(value=str())) | ast.Import() | ast.ImportFrom():
            return set()
        case ast.ClassDef(bases=[ast.Name(id="Model")], keywords=[], decorator_list=[], body=body):
            return {"Model"}.union(*(_used_in_class(part) for part in body))
        case ast.AnnAssign(
            target=ast.Name(), annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value
        ):
            return {"TypeAlias"} | _names(value)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Name(id="TypeAliasType"),
                args=[ast.Constant(value=type_name), ast.Constant(value=str() as text)],
                keywords=[],
            ),
        ) if type_name == name:
            return {"TypeAliasType"} | _names(ast.parse(text, mode="eval").body)
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
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            return _names(annotation) | (_used_in_default(value) if value else set())
    raise ValueError(f"unexpected statement in a model: {ast.unparse(node)[:200]}")


def _used_in_default(node: ast.expr) -> set[str]:
    """The names in a default: plain data, a value of Python's own types, an instance of a class."""
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return set()
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return {name for part in parts for name in _used_in_default(part)}
        case ast.Dict(keys=keys, values=values) if None not in keys:
            parts = [*(key for key in keys if key is not None), *values]
            return {name for part in parts for name in _used_in_default(part)}
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="model_validate"),
            args=[inner],
            keywords=[],
        ) if name not in IMPORTED:
            return {name} | _used_in_default(inner)
        case ast.Call(func=function, args=[ast.Constant(), *_] as args, keywords=[]) if ast.unparse(
            function
        ) in _CONSTRUCTORS and all(isinstance(argument, ast.Constant) for argument in args):
            return {ast.unparse(function).partition(".")[0]}
    raise ValueError(f"unexpected default in a model: {ast.unparse(node)[:200]}")


def _names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation; ValueError where it is anything else."""
    match node:
        case ast.Constant(value=None):
            return set()  # text would be read as an annotation of its own
        case ast.Name(id=name) if name in BUILTINS:
            return set()
        case ast.Name(id=name) if _CLASS.fullmatch(name):
            return {name}
        case ast.Attribute(value=ast.Name(id="dt"), attr="date" | "time"):
            return {"dt"}
        case ast.Subscript(value=ast.Name(id="Literal"), slice=inner):
            return {"Literal"} | _constants(inner)
        case ast.Subscript(value=ast.Name() as value, slice=inner):
            return _names(value) | _names(inner)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _names(left) | _names(right)
        case ast.Tuple(elts=parts):
            return {name for part in parts for name in _names(part)}
        case ast.Call(func=ast.Name(id="Field"), args=[], keywords=keywords) if {
            k.arg for k in keywords
        } <= _FIELD:
            return {"Field"}.union(*(_constants(k.value) for k in keywords))
    raise ValueError(f"unexpected expression in models: {ast.dump(node)[:200]}")


def _constants(node: ast.expr) -> set[str]:
    """No names, where there is nothing but constants; ValueError where there is anything else."""
    match node:
        case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return set()
        case ast.Tuple(elts=parts):
            return set().union(*map(_constants, parts))
    raise ValueError(f"unexpected expression in models: {ast.dump(node)[:200]}")
