"""Every Python module of the package, rendered and formatted."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import astuple

from toolfold.emit.format import format_all
from toolfold.emit.models.classes import ModelsWriter
from toolfold.emit.models.shapes import FieldTemplate, Shape
from toolfold.emit.render import render
from toolfold.plan.model import TemplateModule
from toolfold.plan.models.model import ModelsModule
from toolfold.plan.models.modules import models_plan

#: The template of each shape, by the same names.
ModelShapes = Callable[[Mapping[str, Shape]], Mapping[str, FieldTemplate]]


def render_templates(modules: Sequence[TemplateModule], header: str) -> list[str]:
    """The formatted source of each module that is a template with values, in order."""
    return format_all(
        [render(module.template, header=header, module=module.values) for module in modules]
    )


def render_models(
    modules: Sequence[ModelsModule], header: str, model_shapes: ModelShapes
) -> list[str]:
    """The formatted source of each module of models, in order; each shape is modelled once."""
    writers = [ModelsWriter(models_plan(module)) for module in modules]
    shapes = {_name(shape): shape for writer in writers for shape in writer.shapes()}
    templates = model_shapes(shapes) if shapes else {}
    sources = []
    for module, writer in zip(modules, writers, strict=True):
        package = module.definitions_package
        models = writer.source(lambda shape: templates[_name(shape)], package)
        sources.append(render("models/types.py.jinja", header=header, models=models))
    return format_all(sources)


def _name(shape: Shape) -> str:
    return json.dumps(astuple(shape))
