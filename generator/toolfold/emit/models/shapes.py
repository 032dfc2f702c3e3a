"""Fields as datamodel-code-generator writes them: each distinct shape of a property once.

A catalog of a thousand tools has thousands of properties and some hundreds of shapes: a shape is a
property without its name, its description and the names of the classes it refers to. Plain data in
and out, so that the work can be done in another process.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from toolfold.emit.models.audit import audited_names

Schema = dict[str, Any]

#: Placeholders for what is a property's own.
DESCRIPTION: Final = "description"
ALIAS: Final = "alias"
REFERENCE: Final = "Reference"

_CALL: Final = 500  # bounds memory; larger calls of the generator are slower
_FIELDS: Final = 50  # of one class
_PLACEHOLDERS: Final = (DESCRIPTION, ALIAS)


@dataclass(frozen=True)
class Shape:
    """A property as the generator sees it; classes are `#/$defs/Reference0` and so on."""

    schema: Schema
    is_required: bool
    is_described: bool
    is_aliased: bool


@dataclass(frozen=True)
class FieldTemplate:
    """The source of a field: annotation and value, split at placeholders, and the names it imports.

    Text and placeholders alternate, beginning and ending with text.
    """

    annotation: list[str]
    value: list[str]
    names: list[str]


def model_shapes(shapes: Sequence[Shape]) -> Iterator[list[FieldTemplate]]:
    """The template of every shape, in order, batch by batch."""
    for start in range(0, len(shapes), _CALL):
        batch = shapes[start : start + _CALL]
        source = call_generator(*_document(batch))
        fields, lines = _fields(source), source.split("\n")
        yield [_field_template(fields[f"f{number}"], lines) for number in range(len(batch))]


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
        use_missing_sentinel=True,
        target_pydantic_version=TargetPydanticVersion.V2_14,
        snake_case_field=False,  # the plan names fields
        allow_population_by_field_name=False,  # the base class decides
        treat_dot_as_module=False,
        allow_remote_refs=False,
        strict_refs=True,
        use_frozen_field=False,
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
            holder["required"] += [name] if shape.is_required else []
    for name in sorted({ref for shape in shapes for ref in _references(shape.schema)}):
        definitions[name] = {"type": "object", "properties": {"name": {"const": name}}}
    return definitions, aliases


def _references(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].rsplit("/", 1)[-1]
        for inner in schema.values():
            yield from _references(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def _fields(source: str) -> dict[str, ast.AnnAssign]:
    """The field of every shape by its name."""
    return {
        part.target.id: part
        for statement in ast.parse(source).body
        if isinstance(statement, ast.ClassDef) and statement.name.startswith("Shapes")
        for part in statement.body
        if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    }


def _field_template(field: ast.AnnAssign, lines: list[str]) -> FieldTemplate:
    names = audited_names(field.annotation)
    names |= audited_names(field.value) if field.value else set()
    value = _split(field.value, lines) if field.value else []
    used = sorted(name for name in names if not name.startswith(REFERENCE))
    return FieldTemplate(_split(field.annotation, lines), value, used)


def _split(node: ast.expr, lines: list[str]) -> list[str]:
    """The node's source, split at its placeholders: text, placeholder, text and so on."""
    parts: list[str] = []
    at = (node.lineno, node.col_offset)
    for name, placeholder in sorted(_placeholders(node), key=lambda pair: _start(pair[1])):
        parts += [_text(lines, at, _start(placeholder)), name]
        at = _end(placeholder)
    return [*parts, _text(lines, at, _end(node))]


def _placeholders(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and inner.id.startswith(REFERENCE):
            yield inner.id, inner
        elif isinstance(inner, ast.keyword) and inner.arg in _PLACEHOLDERS:
            yield inner.arg, inner.value


def _start(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _end(node: ast.expr) -> tuple[int, int]:
    return node.end_lineno or node.lineno, node.end_col_offset or 0


def _text(lines: list[str], start: tuple[int, int], end: tuple[int, int]) -> str:
    """Source between two positions, whose columns count bytes, as `ast` does."""
    (first, left), (last, right) = start, end
    rows = [line.encode() for line in lines[first - 1 : last]]
    rows[-1] = rows[-1][:right]
    rows[0] = rows[0][left:]
    return b"\n".join(rows).decode()
