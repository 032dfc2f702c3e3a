"""The modules of models: one per tool, one per definition or cycle of definitions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from toolfold_runtime.contract.codec import Json

from toolfold.manifest.schema import Manifest, Tool
from toolfold.plan.models.build import ModelsBuilder
from toolfold.plan.models.definitions import (
    DefinitionsGroup,
    definition_groups,
    definition_returned,
)
from toolfold.plan.models.model import ExportModule, ModelsModule, ModelSource, ModelsPlan
from toolfold.plan.names.identifiers import (
    TypeName,
    definition_type,
    module_name,
    params_class,
    result_class,
)
from toolfold.plan.schemas.served import input_schema, output_schema, with_definitions
from toolfold.plan.schemas.shared import authored_definitions

_DEFINITIONS_FROM_TOOL: Final = ".definitions."
_DEFINITIONS_FROM_DEFINITION: Final = "."


def models_plan(module: ModelsModule) -> ModelsPlan:
    """The types of a module."""
    builder = ModelsBuilder(module.definitions)
    for source in module.sources:
        builder.add(source)
    return builder.plan(module.description)


def result_type(name: str, tool: Tool) -> TypeName | None:
    """The type of a tool's result and its module below `models`; None where any value will do."""
    definition = definition_returned(tool.returns)
    if definition is not None:
        type_name = definition_type(definition)
        return TypeName(f"definitions.{type_name.module}", type_name.name)
    if tool.returns is None and tool.output_schema is None:
        return None
    return TypeName(module_name(name), result_class(name))


def model_modules(
    manifest: Manifest, tools: Sequence[str]
) -> Iterator[tuple[str, ModelsModule | ExportModule]]:
    """Every module of models by its path below `models`."""
    for name in tools:
        if manifest.has_models(name):
            yield f"{module_name(name)}.py", _of_tool(name, manifest.tools[name], manifest.defs)
    definitions = authored_definitions(manifest)
    for group in definition_groups(definitions):
        yield from _of_group(group, definitions)


def _of_tool(name: str, tool: Tool, definitions: Mapping[str, Json]) -> ModelsModule:
    sources = [
        ModelSource(
            input_schema(tool, definitions),
            params_class(name),
            f"Parameters of {name}.",
            is_foreign=tool.input_schema is not None,
            has_formats=tool.asserts_input_formats,
            must_be_class=True,
        )
    ]
    returned = output_schema(tool, definitions)
    if returned is not None and definition_returned(tool.returns) is None:
        sources.append(
            ModelSource(
                returned,
                result_class(name),
                f"Result of {name}.",
                is_foreign=tool.output_schema is not None,
                has_formats=tool.asserts_output_formats,
            )
        )
    parts = "Parameters and result" if len(sources) == 2 else "Parameters"
    description = f"{parts} of {name}."
    return ModelsModule(description, tuple(sources), _shared(sources), _DEFINITIONS_FROM_TOOL)


def _of_group(
    group: DefinitionsGroup, definitions: Mapping[str, Json]
) -> Iterator[tuple[str, ModelsModule | ExportModule]]:
    names = [definition_type(member) for member in group.members]
    sources = [
        ModelSource(
            with_definitions(definitions[member], definitions),
            type_name.name,
            f"The definition {member}.",
            is_foreign=False,
            has_formats=True,
        )
        for member, type_name in zip(group.members, names, strict=True)
    ]
    noun = "definition" if len(sources) == 1 else "definitions"
    description = f"The {noun} {', '.join(group.members)}."
    shared = tuple(dict.fromkeys((*group.members, *_shared(sources))))
    yield (
        f"definitions/{group.module}.py",
        ModelsModule(description, tuple(sources), shared, _DEFINITIONS_FROM_DEFINITION),
    )
    for type_name in names[1:]:
        yield f"definitions/{type_name.module}.py", ExportModule(group.module, type_name.name)


def _shared(sources: Sequence[ModelSource]) -> tuple[str, ...]:
    """The manifest's definitions that the schemas reach."""
    return tuple(
        dict.fromkeys(
            name
            for source in sources
            if not source.is_foreign
            for name in source.schema.get("$defs", {})
        )
    )
