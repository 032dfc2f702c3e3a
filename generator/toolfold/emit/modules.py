"""Every Python module of the package: rendered from its template, formatted in one ruff pass."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple

from toolfold.emit.format import format_all
from toolfold.emit.models.classes import render_models, shapes_of
from toolfold.emit.models.shapes import FieldTemplate, Shape
from toolfold.emit.render import render
from toolfold.plan.model import TemplateModule
from toolfold.plan.models.model import ModelsModule, ModelsPlan
from toolfold.plan.models.modules import models_plan

#: The template of each shape, by the same names.
ModelShapes = Callable[[Mapping[str, Shape]], Mapping[str, FieldTemplate]]


def render_modules(
    modules: Sequence[TemplateModule | ModelsModule], header: str, model_shapes: ModelShapes
) -> list[str]:
    """The formatted source of each module, in order; each distinct shape is modelled once."""
    plans = [_plan(module) for module in modules]
    shapes = {_name(shape): shape for own in plans if own for shape in shapes_of(own)}
    templates = model_shapes(shapes) if shapes else {}
    sources = []
    for module, own in zip(modules, plans, strict=True):
        if isinstance(module, TemplateModule):
            sources.append(render(module.template, header=header, module=module.values))
        elif own is not None:
            package = module.definitions_package
            models = render_models(own, lambda shape: templates[_name(shape)], package)
            sources.append(render("models/types.py.jinja", header=header, models=models))
    return format_all(sources)


def _plan(module: TemplateModule | ModelsModule) -> ModelsPlan | None:
    return models_plan(module) if isinstance(module, ModelsModule) else None


def _name(shape: Shape) -> str:
    return json.dumps(astuple(shape))
