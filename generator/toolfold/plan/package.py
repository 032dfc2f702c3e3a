"""The Python modules of the generated package: which there are, and what their templates place."""

from collections.abc import Collection, Sequence
from typing import Final

from toolfold_runtime.contract.vocabulary import ContentKind

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
from toolfold.plan.schemas.shared import authored_definitions
from toolfold.plan.text.escape import docstring, python_literal
from toolfold.plan.text.paths import OutputPath, output_path

_MODULES: Final = ("__init__.py", "py.typed", "models/__init__.py", "catalog/__init__.py")
_DEFINITIONS: Final = "models/definitions/__init__.py"
_EXPORT: Final = "models/export.py.jinja"
_CONTENT_TYPES: Final[dict[ContentKind, str]] = {
    "image": "Image",
    "audio": "Audio",
    "file": "File",
    "link": "Link",
    "mixed": "MixedContent",
}


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
    if authored_definitions(manifest):
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
    return {
        output_path(protocol.package, *name.split("/")): module for name, module in modules.items()
    }


def protocol_of(manifest: Manifest, package: str, tools: Sequence[ToolPlan]) -> ProtocolPlan:
    """The protocol that the user's class must satisfy."""
    implemented = [tool for tool in tools if manifest.server_of(tool.name) is None]
    taken = {name for t in implemented for name in (t.params_class, t.result_class) if name}
    methods = tuple(_method(tool, taken) for tool in implemented)
    return ProtocolPlan(package, manifest.server.implementation, methods)


def _method(tool: ToolPlan, taken: Collection[str]) -> MethodPlan:
    result, runtime_names = _result(tool, taken)
    return MethodPlan(
        name=tool.method,
        tool=tool.name,
        module=tool.module,
        params_class=tool.params_class,
        result_class=tool.result_class,
        result_module=tool.result_module,
        result=result,
        runtime_names=runtime_names,
        docstring=tool.docstring,
        content=tool.content,
    )


def _result(tool: ToolPlan, taken: Collection[str]) -> tuple[str, tuple[str, ...]]:
    """The annotation of a method's result, and the imports from the runtime that it needs.

    A class of the models may have a name of the runtime's: many manifests define a `File`.
    """
    name = "Anything" if tool.content is None else _CONTENT_TYPES[tool.content]
    if tool.result_class is not None:
        if tool.content is None:
            return tool.result_class, ()
        name = "ToolResult"
    alias = f"Runtime{name}" if name in taken else name
    imported = name if alias == name else f"{name} as {alias}"
    return (f"{alias}[{tool.result_class}]" if tool.result_class else alias), (imported,)


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
    needed = {name for method in methods for name in method.runtime_names}
    return {
        "types": ", ".join(sorted({"MaybeAwaitable", *needed})),
        "imports": [
            {"module": module, "names": ", ".join(sorted(names))}
            for module, names in sorted(_imported_classes(methods).items())
        ],
        "methods": [
            method._asdict() | {"result": f"MaybeAwaitable[{method.result}]"} for method in methods
        ],
    }


def _imported_classes(methods: Sequence[MethodPlan]) -> dict[str, set[str]]:
    """The classes that signatures name, by their modules."""
    imported: dict[str, set[str]] = {}
    for method in methods:
        imported.setdefault(method.module, set()).add(method.params_class)
        if method.result_class and method.result_module:
            imported.setdefault(method.result_module, set()).add(method.result_class)
    return imported
