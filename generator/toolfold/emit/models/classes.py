"""The classes of one tool: the shapes of its properties, and its source from their templates."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolfold.emit.models.shapes import ALIAS, DESCRIPTION, REFERENCE, FieldTemplate, Schema, Shape
from toolfold.plan.schemas.models import ModelClasses
from toolfold.plan.text.escape import docstring_block, python_literal

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


@dataclass(frozen=True)
class ModelsSource:
    """The source of a tool's models: import lines and statements, in order."""

    imports: tuple[str, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True)
class _Property:
    """A property: its shape, and what fills the placeholders of its template."""

    shape: Shape
    values: Mapping[str, str]
    references: tuple[str, ...]


def shapes_of(models: ModelClasses) -> Iterator[Shape]:
    """The shape of every property of every class."""
    for name in models.classes:
        for _, own in _properties(models, name):
            yield own.shape


def render_classes(
    models: ModelClasses, template_of: Callable[[Shape], FieldTemplate]
) -> ModelsSource:
    """A tool's classes as Python source, each after those that it needs."""
    properties = {name: list(_properties(models, name)) for name in models.classes}
    needs = {n: {r for _, p in own for r in p.references} for n, own in properties.items()}
    names: set[str] = set()
    texts: list[str] = []
    ordered, late = _ordered(needs)
    for name in ordered:
        templates = [(attribute, p, template_of(p.shape)) for attribute, p in properties[name]]
        names.update(*(template.names for _, _, template in templates))
        if name in models.fields:
            fields = [_field(*parts) for parts in templates]
            texts.append(_class(name, models.classes[name], fields))
            closed = ["ConfigDict"] if _is_closed(models.classes[name]) else []
            names.update(["Model", *closed])
        else:
            ((_, only, template),) = templates
            texts.append(f"{name}: TypeAlias = {_filled(template.annotation, only)}")
            names.add("TypeAlias")
    texts += [f"{name}.model_rebuild()" for name in late]
    return ModelsSource(tuple(_import_lines(names)), tuple(texts))


def _properties(models: ModelClasses, name: str) -> Iterator[tuple[str, _Property]]:
    """Attribute and property, for every property of a class."""
    schema = models.classes[name]
    # A result that is no object has one nameless field, of which only the annotation is used.
    attributes = models.fields.get(name, {"root": "root"})
    for prop, inner in schema["properties"].items():
        attribute = attributes[prop]
        yield attribute, _property(prop, inner, prop in schema["required"], prop != attribute)


def _property(prop: str, schema: Schema, is_required: bool, is_aliased: bool) -> _Property:
    references: list[str] = []
    description = schema.get("description")
    bare = {key: value for key, value in schema.items() if key != "description"}
    shape = Shape(_nameless(bare, references), is_required, description is not None, is_aliased)
    values = {f"{REFERENCE}{number}": name for number, name in enumerate(references)}
    values |= {ALIAS: python_literal(prop)} if is_aliased else {}
    values |= {DESCRIPTION: python_literal(description)} if description is not None else {}
    return _Property(shape, values, tuple(references))


def _nameless(schema: Any, references: list[str]) -> Any:
    """The schema with numbers for the classes it refers to, which are added to `references`."""
    if isinstance(schema, list):
        return [_nameless(inner, references) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    if isinstance(schema.get("$ref"), str):
        name = schema["$ref"].rsplit("/", 1)[-1]
        if name not in references:
            references.append(name)
        return schema | {"$ref": f"#/$defs/{REFERENCE}{references.index(name)}"}
    return {key: _nameless(inner, references) for key, inner in schema.items()}


def _ordered(needs: Mapping[str, set[str]]) -> tuple[list[str], list[str]]:
    """Names after what they need, and those that stand before something they need."""
    done: dict[str, int] = {}
    waiting = list(needs)
    while waiting:
        for name in waiting:
            if needs[name] - {name} <= done.keys():
                done[name] = len(done)
        left = [name for name in waiting if name not in done]
        if left == waiting:
            # A circle, and perhaps classes around it: the innermost was found last.
            innermost = min(reversed(left), key=lambda name: len(needs[name] - done.keys()))
            done[innermost] = len(done)
            left.remove(innermost)
        waiting = left
    late = [name for name in done if any(done[need] >= done[name] for need in needs[name])]
    return list(done), late


def _class(name: str, schema: Schema, fields: list[str]) -> str:
    body = [docstring_block(schema["description"])] if "description" in schema else []
    body += ["model_config = ConfigDict(extra='forbid')\n"] if _is_closed(schema) else []
    body += fields
    return "\n    ".join([f"class {name}(Model):", *(body or ["pass"])])


def _is_closed(schema: Schema) -> bool:
    return schema.get("additionalProperties") is False


def _field(attribute: str, own: _Property, template: FieldTemplate) -> str:
    value = f" = {_filled(template.value, own)}" if template.value else ""
    return f"{attribute}: {_filled(template.annotation, own)}{value}"


def _filled(parts: list[str], own: _Property) -> str:
    """A template's source with its placeholders, which are every second part, filled."""
    return "".join(own.values[p] if number % 2 else p for number, p in enumerate(parts))


def _import_lines(names: set[str]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    # As import sorters order them: constants before classes.
    for name in sorted(names, key=lambda name: (not name.isupper(), name)):
        by_module.setdefault(_SOURCES[name], []).append(name)
    standard = ["typing"] if "typing" in by_module else []
    others = [module for module in ("pydantic", "toolfold_runtime.models") if module in by_module]
    lines = {m: f"from {m} import {', '.join(by_module[m])}" for m in by_module}
    return [*(lines[m] for m in standard), *([""] if standard else []), *(lines[m] for m in others)]
