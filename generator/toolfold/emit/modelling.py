"""One batch of models: datamodel-code-generator writes the classes, we hold them to the plan.

One call models many tools; its output is parsed, audited node by node and cut into one piece
per tool. Plain data in and out, so that a batch can run in another process.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from toolfold.emit.audit import audited_names
from toolfold.plan.modelled import Modelled

#: A tool to model: its name and its classes.
Job = tuple[str, Modelled]
#: The models of one tool: import lines and class texts, in order.
Piece = tuple[list[str], list[str]]

# The generator spreads the one setting over three lines; a person would not.
_SPREAD_CONFIG: Final = "    model_config = ConfigDict(\n        extra='forbid',\n    )"
_CONFIG: Final = "    model_config = ConfigDict(extra='forbid')\n"
_SOURCES: Final = {
    "Annotated": "typing",
    "Any": "typing",
    "Literal": "typing",
    "TypeAlias": "typing",
    "ConfigDict": "pydantic",
    "Field": "pydantic",
    "MISSING": "pydantic",
    "Model": "toolfold_runtime.models",
}


def model_batch(jobs: Sequence[Job]) -> Iterator[tuple[str, Piece]]:
    """Each tool's imports and classes, from one call of the generator."""
    definitions = {name: schema for _, models in jobs for name, schema in models.classes.items()}
    aliases = {
        prop: attribute
        for _, models in jobs
        for fields in models.fields.values()
        for prop, attribute in fields.items()
        if prop != attribute
    }
    source = call_generator(definitions, aliases)
    statements = _statements(source)
    lines = source.split("\n")
    for name, models in jobs:
        yield name, _cut(models, lines, statements)


def import_generator() -> None:
    """Pay for the generator's imports, which it puts off until its first call."""
    empty = {"type": "object", "properties": {}, "required": []}
    call_generator({"Nothing": empty}, {})


def call_generator(definitions: dict[str, Any], aliases: dict[str, str]) -> str:
    """The generator's module for all classes of a batch, unformatted."""
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


def _statements(source: str) -> dict[str, list[ast.stmt]]:
    """Top-level statements by the class they define or finish; imports are ours to write."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in ast.parse(source).body:
        match statement:
            case ast.ClassDef(name=name):
                found.setdefault(name, []).append(statement)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name)))):
                found.setdefault(name, []).append(statement)
            case ast.ImportFrom():
                pass
            case _:
                raise ValueError(f"unexpected statement from the model generator: {statement}")
    return found


def _cut(models: Modelled, lines: list[str], statements: dict[str, list[ast.stmt]]) -> Piece:
    """The statements of one tool as texts, after holding each to what the plan expects."""
    names = set(models.classes)
    own = [statement for name in names for statement in statements.get(name, [])]
    own.sort(key=lambda statement: statement.lineno)
    if missing := sorted(names - statements.keys()):
        raise ValueError(f"the model generator left out {missing}")
    used: set[str] = set()
    texts = []
    for statement in own:
        text, mentioned = _text(statement, lines, models)
        used |= mentioned
        texts.append(text)
    return _import_lines(used - names), texts


def _text(statement: ast.stmt, lines: list[str], models: Modelled) -> tuple[str, set[str]]:
    text = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
    text = text.replace(_SPREAD_CONFIG, _CONFIG, 1)
    if isinstance(statement, ast.ClassDef) and statement.name not in models.fields:
        text = _alias(statement)
        statement = ast.parse(text).body[0]
    mentioned = audited_names(statement, models)
    return text, mentioned


def _alias(statement: ast.ClassDef) -> str:
    """A result that is no object: a plain alias, so that methods return plain lists."""
    match statement.body[-1]:
        case ast.AnnAssign(target=ast.Name(id="root"), annotation=annotation):
            return f"{statement.name}: TypeAlias = {ast.unparse(annotation)}"
    raise ValueError(f"unexpected form of {statement.name}")


def _import_lines(names: set[str]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    # As import sorters order them: constants before classes.
    for name in sorted(names, key=lambda name: (not name.isupper(), name)):
        by_module.setdefault(_SOURCES[name], []).append(name)
    standard = ["typing"] if "typing" in by_module else []
    others = [module for module in ("pydantic", "toolfold_runtime.models") if module in by_module]
    lines = {m: f"from {m} import {', '.join(by_module[m])}" for m in by_module}
    return [*(lines[m] for m in standard), *([""] if standard else []), *(lines[m] for m in others)]
