"""Annotations as datamodel-code-generator writes them: each distinct shape of a property once.

A catalog of a thousand tools has thousands of properties and some hundreds of shapes: a shape is a
property without its name, its texts, its default and the names of the classes it refers to. Plain
data in and out, so that the work can be done in another process.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolfold.emit.models.audit import STUB, audited_names
from toolfold.plan.models.model import referenced_classes

Schema = dict[str, Any]

#: Placeholders for what differs between properties: texts, classes and aliases.
DESCRIPTION: Final = "description"
ALIAS: Final = "alias"
CLASS_STUB: Final = "Reference"
ALIAS_STUB: Final = "Alias"

_CALL: Final = 500  # bounds memory; larger calls of the generator are slower
_FIELDS: Final = 50  # of one class
_PLACEHOLDERS: Final = (DESCRIPTION, ALIAS)
# A field may be called `date`, and would hide the type; bytes are text in JSON.
_PYTHON_TYPES: Final = {
    "date": ast.Attribute(ast.Name("dt"), "date"),
    "time": ast.Attribute(ast.Name("dt"), "time"),
    "bytes": ast.Name("Base64"),
}


@dataclass(frozen=True)
class Shape:
    """A property as the generator sees it.

    Classes are `#/$defs/Reference0` and so on, aliases `#/$defs/Alias0`.
    """

    schema: Schema
    #: Required, or with a default: the annotation needs no `| None`.
    is_never_absent: bool
    is_nullable: bool
    is_described: bool
    is_aliased: bool


@dataclass(frozen=True)
class FieldTemplate:
    """The source of an annotation, split at placeholders, and the names it imports.

    Text and placeholders alternate, beginning and ending with text.
    """

    annotation: list[str]
    names: list[str]


def model_shapes(shapes: Sequence[Shape]) -> Iterator[list[FieldTemplate]]:
    """The template of every shape, in order, batch by batch."""
    for start in range(0, len(shapes), _CALL):
        batch = shapes[start : start + _CALL]
        module = ast.parse(call_generator(*_document(batch)))
        inline = _Inline(_helpers(module))
        fields = _annotations(module)
        yield [
            _template(inline.visit(fields[f"f{number}"]), shape)
            for number, shape in enumerate(batch)
        ]


def call_generator(definitions: Schema, aliases: dict[str, str]) -> str:
    """The generator's module for all classes, unformatted."""
    from datamodel_code_generator import InputFileType, generate
    from datamodel_code_generator.enums import (
        DataModelType,
        NamingStrategy,
        TargetPydanticVersion,
    )
    from datamodel_code_generator.parser import LiteralType

    # The preset is dated and immutable; everything below departs from it on purpose.
    source = generate(
        json.dumps({"$defs": definitions}),
        preset="standard-py311-20261027",
        input_file_type=InputFileType.JsonSchema,
        output_model_type=DataModelType.PydanticV2BaseModel,
        base_class="toolfold_runtime.models.Model",
        formatters=[],
        naming_strategy=NamingStrategy.FullPath,
        enum_field_as_literal=LiteralType.All,
        use_double_quotes=True,
        use_schema_description=True,
        target_pydantic_version=TargetPydanticVersion.V2_14,
        snake_case_field=False,  # the plan names fields
        allow_population_by_field_name=False,  # the base class decides
        treat_dot_as_module=False,
        allow_remote_refs=False,
        strict_refs=True,
        use_frozen_field=False,
        # Constrained items become aliases, which are put in their place, and not classes.
        use_type_alias=True,
        skip_root_model=True,
        collapse_root_models=False,
        aliases=aliases,
    )
    if not isinstance(source, str):
        raise TypeError("the model generator answered with several modules")
    return source


def _document(shapes: Sequence[Shape]) -> tuple[Schema, dict[str, str]]:
    """Classes whose fields are the shapes, named `f0` and so on, and the aliases among them."""
    definitions: Schema = {}
    aliases: dict[str, str] = {}
    for start in range(0, len(shapes), _FIELDS):
        holder: Schema = {"type": "object", "properties": {}, "required": []}
        definitions[f"Shapes{start}"] = holder
        for number, shape in enumerate(shapes[start : start + _FIELDS], start):
            name = f"f{number}"
            if shape.is_aliased:
                aliases[f"{ALIAS} {number}"] = name
                name = f"{ALIAS} {number}"
            described = {"description": DESCRIPTION} if shape.is_described else {}
            holder["properties"][name] = shape.schema | described
            holder["required"] += [name] if shape.is_never_absent else []
    for name in sorted({stub for shape in shapes for stub in referenced_classes(shape.schema)}):
        definitions[name] = _stub(name)
    return definitions, aliases


def _stub(name: str) -> Schema:
    """A placeholder definition, unique because the generator merges equal ones."""
    if name.startswith(ALIAS_STUB):
        return {"enum": [name]}
    return {"type": "object", "properties": {"name": {"const": name}}}


def _annotations(module: ast.Module) -> dict[str, ast.expr]:
    """The annotation of every shape by the name of its field."""
    return {
        part.target.id: part.annotation
        for statement in module.body
        if isinstance(statement, ast.ClassDef) and statement.name.startswith("Shapes")
        for part in statement.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def _helpers(module: ast.Module) -> dict[str, ast.expr]:
    """The types behind the generator's own aliases, by name: `Name = TypeAliasType("Name", type)`."""
    helpers = {}
    for statement in module.body:
        match statement:
            case ast.Assign(
                targets=[ast.Name(id=name)],
                value=ast.Call(func=ast.Name(id="TypeAliasType"), args=[_, kind]),
            ) if not STUB.fullmatch(name):
                helpers[name] = kind
    return helpers


class _Inline(ast.NodeTransformer):
    """Replaces aliases by their types, and some of Python's types by our names for them."""

    def __init__(self, helpers: dict[str, ast.expr]) -> None:
        self._replacements = _PYTHON_TYPES | helpers

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """The replacement of a name, if it has one."""
        replacement = self._replacements.get(node.id)
        return node if replacement is None else self.visit(replacement)

    def visit_BinOp(self, node: ast.BinOp) -> ast.expr:
        """`Any` alone for `Any | None`, which says no more."""
        self.generic_visit(node)
        is_any = isinstance(node.left, ast.Name) and node.left.id == "Any"
        return node.left if is_any else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        """Our own types, as they are."""
        return node


def _template(annotation: ast.expr, shape: Shape) -> FieldTemplate:
    names = audited_names(annotation)
    if shape.is_nullable and not shape.is_never_absent:
        annotation = _with_null_mark(annotation)
        names |= {"Annotated", "NULLABLE"}
    used = sorted(name for name in names if not STUB.fullmatch(name))
    text = ast.unparse(annotation)
    return FieldTemplate(_split(ast.parse(text, mode="eval").body, text), used)


def _with_null_mark(annotation: ast.expr) -> ast.expr:
    """The annotation marked as accepting null, apart from the None for an absent value."""
    mark = ast.Name("NULLABLE")
    match annotation:
        case ast.Subscript(value=ast.Name(id="Annotated"), slice=ast.Tuple(elts=parts)):
            return ast.Subscript(annotation.value, ast.Tuple([*parts, mark]))
    return ast.Subscript(ast.Name("Annotated"), ast.Tuple([annotation, mark]))


def _split(node: ast.expr, text: str) -> list[str]:
    """One line of source, split at its placeholders: text, placeholder, text and so on."""
    data = text.encode()  # whose columns `ast` counts
    parts: list[str] = []
    at = 0
    for name, placeholder in sorted(_placeholders(node), key=lambda pair: pair[1].col_offset):
        parts += [data[at : placeholder.col_offset].decode(), name]
        at = placeholder.end_col_offset or 0
    return [*parts, data[at:].decode()]


def _placeholders(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and STUB.fullmatch(inner.id):
            yield inner.id, inner
        elif isinstance(inner, ast.keyword) and inner.arg in _PLACEHOLDERS:
            yield inner.arg, inner.value
