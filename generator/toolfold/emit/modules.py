"""Every Python module of the package: rendered from its template, formatted in one ruff pass."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple

from toolfold.emit.format import format_all
from toolfold.emit.models.classes import render_classes, shapes_of
from toolfold.emit.models.shapes import FieldTemplate, Shape
from toolfold.emit.render import render
from toolfold.plan.model import ModelsModule, TemplateModule
from toolfold.plan.schemas.models import ModelClasses, model_classes

#: The template of each shape, by the same names.
ModelShapes = Callable[[Mapping[str, Shape]], Mapping[str, FieldTemplate]]


def render_modules(
    modules: Sequence[TemplateModule | ModelsModule], header: str, model_shapes: ModelShapes
) -> list[str]:
    """The formatted source of each module, in order; each distinct shape is modelled once."""
    models = [_classes(module) for module in modules]
    shapes = {_name(shape): shape for own in models if own for shape in shapes_of(own)}
    templates = model_shapes(shapes) if shapes else {}
    sources = []
    for module, own in zip(modules, models, strict=True):
        if isinstance(module, TemplateModule):
            sources.append(render(module.template, header=header, module=module.values))
        elif own is not None:
            classes = render_classes(own, lambda shape: templates[_name(shape)])
            sources.append(render("models/tool.py.jinja", header=header, models=classes))
    return format_all(sources)


def _classes(module: TemplateModule | ModelsModule) -> ModelClasses | None:
    if isinstance(module, TemplateModule):
        return None
    return model_classes(module.params, module.returns, module.class_prefix)


def _name(shape: Shape) -> str:
    return json.dumps(astuple(shape))
