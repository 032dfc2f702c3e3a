"""The last gate before generated models become code: every syntax node must be one we expect."""

import ast
import re
from typing import Final

_BUILTINS: Final = frozenset({"str", "int", "float", "bool", "list", "dict", "tuple"})
_IMPORTED: Final = frozenset(
    {"Annotated", "Any", "Literal", "Field", "AwareDatetime", "UUID", "Base64", "NULLABLE"}
)
_CLASS: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_STUB: Final = re.compile(r"(?:Reference|Alias)\d+")
_FIELD: Final = frozenset(
    {"description", "alias", "ge", "le", "gt", "lt", "min_length", "max_length"}
)
_MODULES: Final = frozenset({"__future__", "typing", "uuid", "pydantic", "toolfold_runtime.models"})
_CONFIG: Final = "model_config = ConfigDict(extra='forbid')"


def audited_names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation of a shape; ValueError where it has others."""
    names = _names(node)
    unknown = {name for name in names - _IMPORTED if not _STUB.fullmatch(name) and name != "dt"}
    if unknown:
        raise ValueError(f"unexpected names in models: {', '.join(sorted(unknown))}")
    return names


def audit_module(source: str) -> None:
    """ValueError where a module of models holds anything but imports, classes and aliases."""
    module = ast.parse(source)
    classes = {node.name for node in module.body if isinstance(node, ast.ClassDef)}
    for node in module.body:
        if not _is_expected(node, classes):
            raise ValueError(f"unexpected statement in models: {ast.unparse(node)[:200]}")


def _is_expected(node: ast.stmt, classes: set[str]) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Import(names=[ast.alias(name="datetime", asname="dt")]):
            return True
        case ast.ImportFrom(module=str() as name, level=level):
            return level == 1 or name in _MODULES
        case ast.ClassDef(bases=[ast.Name(id="Model")], keywords=[], decorator_list=[], body=body):
            return all(_is_member(part) for part in body)
        case ast.AnnAssign(annotation=ast.Name(id="TypeAlias"), value=ast.expr() as value):
            return bool(_names(value) or True)
        case ast.Assign(
            targets=[ast.Name(id=name)],
            value=ast.Call(
                func=ast.Name(id="TypeAliasType"),
                args=[ast.Constant(value=own), ast.Constant(value=str() as text)],
                keywords=[],
            ),
        ) if own == name:
            return bool(_names(ast.parse(text, mode="eval").body) or True)
        case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List(elts=names)):
            return all(isinstance(name, ast.Constant) for name in names)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="model_rebuild"),
                args=[],
                keywords=[],
            )
        ):
            return name in classes
    return False


def _is_member(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=ast.Constant(value=str())):
            return True
        case ast.Assign():
            return ast.unparse(node) == _CONFIG
        case ast.AnnAssign(target=ast.Name(), annotation=annotation, value=value):
            _names(annotation)
            return value is None or _is_default(value)
    return False


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


_CONSTRUCTORS: Final = frozenset(
    {"UUID", "dt.date", "dt.datetime.fromisoformat", "dt.time.fromisoformat"}
)


def _names(node: ast.expr) -> set[str]:
    """The names besides builtins in an annotation; ValueError where it is anything else."""
    match node:
        case ast.Constant():
            return set()
        case ast.Name(id=name) if name in _BUILTINS:
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
