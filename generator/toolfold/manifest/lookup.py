"""Which model and which field describe the value at a path of the manifest."""

import types
from collections.abc import Iterator
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from toolfold.manifest.schema import Manifest
from toolfold.manifest.tree import ManifestPath


def fields(model: type[BaseModel] | None) -> Iterator[tuple[str, FieldInfo]]:
    """The keys of a mapping, as authors write them."""
    for name, field in model.model_fields.items() if model else ():
        yield field.alias or name, field


def model_at(path: ManifestPath) -> type[BaseModel] | None:
    """The model that describes the mapping at `path`; None where its keys are free."""
    current: object = Manifest
    for step in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            current = next((f.annotation for n, f in fields(current) if n == step), None)
        else:
            current = get_args(current)[-1] if get_args(current) else None
        current = _unwrapped(current)
    return current if isinstance(current, type) and issubclass(current, BaseModel) else None


def field_at(path: ManifestPath) -> FieldInfo | None:
    """The field at `path`; None for an entry of a list or of a mapping with free keys."""
    return dict(fields(model_at(path[:-1]))).get(str(path[-1])) if path else None


def example_at(path: ManifestPath) -> Any:
    """A value that would do at `path`; None where none is declared."""
    field = field_at(path)
    if field is not None:
        return next(iter(field.examples or ()), None)
    example = example_at(path[:-1]) if path else None
    entries = list(example.values()) if isinstance(example, dict) else example
    return entries[0] if isinstance(entries, list) and entries else None


def section_of(model: type[BaseModel], key: str) -> str:
    """The key of `model` whose mapping has `key`; empty where no key, or more than one, has it."""
    sections = [
        name
        for name, field in fields(model)
        if isinstance(inner := _unwrapped(field.annotation), type)
        and issubclass(inner, BaseModel)
        and key in dict(fields(inner))
    ]
    return sections[0] if len(sections) == 1 else ""


def _unwrapped(annotation: object) -> object:
    """An annotation without Annotated and None; of a union, its model."""
    while True:
        if get_origin(annotation) is Annotated:
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, types.UnionType):
            parts = [_unwrapped(part) for part in get_args(annotation) if part is not type(None)]
            models = [p for p in parts if isinstance(p, type) and issubclass(p, BaseModel)]
            annotation = (models or parts)[0]
        else:
            return annotation
