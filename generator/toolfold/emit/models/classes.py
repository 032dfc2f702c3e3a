"""The classes of one tool: its properties cut into shapes, and put together from their forms."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolfold.emit.models.shapes import ALIAS, DESCRIPTION, REFERENCE, Form, Schema, Shape
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
class ModelsPiece:
    """The models of one tool: import lines and statements, in order."""

    imports: tuple[str, ...]
    classes: tuple[str, ...]


@dataclass(frozen=True)
class _Property:
    """A property as its shape and what fills the blanks of its form."""

    shape: Shape
    blanks: Mapping[str, str]
    references: tuple[str, ...]


def shapes_of(models: ModelClasses) -> Iterator[Shape]:
    """The shape of every property of every class."""
    for name in models.classes:
        for _, found in _properties(models, name):
            yield found.shape


def written(models: ModelClasses, form_of: Callable[[Shape], Form]) -> ModelsPiece:
    """A tool's classes as text, each after those that it needs."""
    found = {name: list(_properties(models, name)) for name in models.classes}
    needs = {name: {r for _, p in props for r in p.references} for name, props in found.items()}
    names: set[str] = set()
    texts: list[str] = []
    ordered, late = _ordered(needs)
    for name in ordered:
        forms = [(attribute, p, form_of(p.shape)) for attribute, p in found[name]]
        names.update(*(form.names for _, _, form in forms))
        if name in models.fields:
            fields = [_field(attribute, p, form) for attribute, p, form in forms]
            texts.append(_class(name, models.classes[name], fields))
            closed = ["ConfigDict"] if _is_closed(models.classes[name]) else []
            names.update(["Model", *closed])
        else:
            ((_, only, form),) = forms
            texts.append(f"{name}: TypeAlias = {_filled(form.annotation, only)}")
            names.add("TypeAlias")
    texts += [f"{name}.model_rebuild()" for name in late]
    return ModelsPiece(tuple(_import_lines(names)), tuple(texts))


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
    blanks = {f"{REFERENCE}{number}": name for number, name in enumerate(references)}
    blanks |= {ALIAS: python_literal(prop)} if is_aliased else {}
    blanks |= {DESCRIPTION: python_literal(description)} if description is not None else {}
    return _Property(shape, blanks, tuple(references))


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


def _field(attribute: str, found: _Property, form: Form) -> str:
    value = f" = {_filled(form.value, found)}" if form.value else ""
    return f"{attribute}: {_filled(form.annotation, found)}{value}"


def _filled(parts: list[str], found: _Property) -> str:
    """Texts and filled blanks in turn."""
    return "".join(found.blanks[p] if number % 2 else p for number, p in enumerate(parts))


def _import_lines(names: set[str]) -> list[str]:
    by_module: dict[str, list[str]] = {}
    # As import sorters order them: constants before classes.
    for name in sorted(names, key=lambda name: (not name.isupper(), name)):
        by_module.setdefault(_SOURCES[name], []).append(name)
    standard = ["typing"] if "typing" in by_module else []
    others = [module for module in ("pydantic", "toolfold_runtime.models") if module in by_module]
    lines = {m: f"from {m} import {', '.join(by_module[m])}" for m in by_module}
    return [*(lines[m] for m in standard), *([""] if standard else []), *(lines[m] for m in others)]
