"""The Python modules of the generated package: which there are, and what their templates place."""

from collections.abc import Sequence
from typing import Final

from toolfold.manifest.schema import Manifest
from toolfold.plan.model import (
    MetaToolPlan,
    MethodPlan,
    ProtocolPlan,
    TemplateModule,
    ToolPlan,
)
from toolfold.plan.models.model import ExportModule, ModelsModule
from toolfold.plan.models.modules import model_modules
from toolfold.plan.text.escape import docstring, python_literal
from toolfold.plan.text.paths import OutputPath, output_path

_MODULES: Final = ("__init__.py", "py.typed", "models/__init__.py", "catalog/__init__.py")
_DEFINITIONS: Final = "models/definitions/__init__.py"
_EXPORT: Final = "models/export.py.jinja"


def package_modules(
    manifest: Manifest,
    protocol: ProtocolPlan,
    meta: Sequence[MetaToolPlan],
    tools: Sequence[ToolPlan],
    root: str,
) -> dict[OutputPath, TemplateModule | ModelsModule]:
    """Every module by its path; `root` leads from the package to the manifest's folder."""
    common: dict[str, object] = {
        "package": protocol.package,
        "docstring": docstring(f"MCP server: {manifest.server.display_title}."),
    }
    modules: dict[str, TemplateModule | ModelsModule] = {
        name: TemplateModule(f"{name}.jinja", common) for name in _MODULES
    }
    if manifest.defs:
        modules[_DEFINITIONS] = TemplateModule(f"{_DEFINITIONS}.jinja", common)
    for tool in meta:
        if tool.module is not None:
            modules[f"{tool.module}.py"] = TemplateModule(f"{tool.module}.py.jinja", {})
    server = common | {"root": python_literal(root), **_server(meta)}
    modules["server.py"] = TemplateModule("server.py.jinja", server)
    modules["handlers.py"] = TemplateModule("handlers.py.jinja", _handlers(protocol.methods))
    for name, models in model_modules(manifest, [tool.name for tool in tools]):
        if isinstance(models, ExportModule):
            modules[f"models/{name}"] = TemplateModule(_EXPORT, models._asdict())
        else:
            modules[f"models/{name}"] = models
    return {output_path(protocol.package, *name.split("/")): own for name, own in modules.items()}


def protocol_of(manifest: Manifest, package: str, tools: Sequence[ToolPlan]) -> ProtocolPlan:
    """What the user's class must satisfy."""
    methods = (
        MethodPlan(
            t.method,
            t.name,
            t.module,
            t.params_class,
            t.result_class,
            t.result_module,
            t.docstring,
        )
        for t in tools
        if manifest.upstream_of(t.name) is None
    )
    return ProtocolPlan(package, manifest.server.implementation, tuple(methods))


def _server(meta: Sequence[MetaToolPlan]) -> dict[str, object]:
    modules = {tool.module: tool.module for tool in meta if tool.module} | {"catalog": "CATALOG"}
    return {
        "imports": [f"from .{module} import {name}" for module, name in sorted(modules.items())],
        "handlers": [
            {"module": tool.module, "name": python_literal(tool.name)}
            for tool in meta
            if tool.module is not None
        ],
    }


def _handlers(methods: Sequence[MethodPlan]) -> dict[str, object]:
    needs_anything = any(method.result_class is None for method in methods)
    return {
        "types": "Anything, MaybeAwaitable" if needs_anything else "MaybeAwaitable",
        "imports": [
            {"module": module, "names": ", ".join(sorted(names))}
            for module, names in sorted(_imported(methods).items())
        ],
        "methods": [
            method._asdict() | {"result": f"MaybeAwaitable[{method.result_class or 'Anything'}]"}
            for method in methods
        ],
    }


def _imported(methods: Sequence[MethodPlan]) -> dict[str, set[str]]:
    """The classes that signatures name, by their modules."""
    imported: dict[str, set[str]] = {}
    for method in methods:
        imported.setdefault(method.module, set()).add(method.params_class)
        if method.result_class and method.result_module:
            imported.setdefault(method.result_module, set()).add(method.result_class)
    return imported
