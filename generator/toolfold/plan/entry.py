"""The entry of a tool in the catalog: all that the runtime reads when it shows or calls the tool."""

from toolfold_runtime.contract.codec import Json
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.tool import ToolEntry, ToolViews, share_of

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.deprecation import marked, replacement_of
from toolfold.plan.disclosure.execution import limits_of
from toolfold.plan.disclosure.operation_views import operation_views
from toolfold.plan.disclosure.short_view import ShortSource, short_view
from toolfold.plan.disclosure.signature import (
    signature,
)
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.disclosure.tool_views import tool_views
from toolfold.plan.names import identifiers as naming
from toolfold.plan.names.identifiers import method_of
from toolfold.plan.names.stub_names import function_name
from toolfold.plan.operations import operation_of
from toolfold.plan.schemas.formats import has_base64
from toolfold.plan.schemas.served import (
    served_output,
    written_output,
)
from toolfold.plan.schemas.shown import ShownOperation
from toolfold.plan.schemas.smallest import example_arguments
from toolfold.plan.schemas.validation_cost import checks_per_value
from toolfold.plan.source import ToolContext, ToolSource
from toolfold.plan.text.escape import json_text


def entry_of(
    source: ToolSource,
    context: ToolContext,
    given: Json,
    result: Json | None,
    shown: ShownOperation | None,
) -> ToolEntry:
    """The entry of a tool, with a shortened view if its schema is large.

    `given` and `result` are its whole schemas, `shown` what is shown of an operation instead.
    """
    name, tool = source.name, source.tool
    output, wraps_result = served_output(result) if result is not None else (None, False)
    arguments = shown.arguments if shown else given
    definition = _definition(source, arguments, output)
    entry = ToolEntry(
        name=name,
        category=tool.category,
        effect=tool.effect,
        module=naming.module_name(name),
        params=naming.params_class(name),
        method=method_of(name, tool),
        signature=signature(name, arguments, result, tool.content),
        definition=definition,
        views=_views(source, context, given, shown),
        listed_bytes=len(json_text(definition.listed()).encode()),
        wraps_result=wraps_result,
        limits=limits_of(tool),
        example=_example(tool, given),
        asserts_input_formats=tool.asserts_input_formats,
        asserts_output_formats=tool.asserts_output_formats,
        has_base64_result=has_base64(result),
        errors=tuple(tool.errors),
        input_checks=checks_per_value(given),
        output_checks=checks_per_value(output),
        scopes=tuple(tool.scopes),
        confirm=tool.confirm,
        content=tool.content,
        upstream=source.upstream,
        pin=source.pin,
        http=operation_of(tool, given, context.checks, is_shown_whole=arguments == given),
        function=_function(name, context),
    )
    return _shortened(entry, tool, context)


def view_tokens(entry: ToolEntry, following: str) -> dict[str, int]:
    """The tokens of the views with schemas, by detail, when `following` is their next step."""
    views = entry.views
    return {
        detail: count(views.text(detail, views.definitions, following))
        for detail in ("schema", "full")
    }


def _views(
    source: ToolSource, context: ToolContext, given: Json, shown: ShownOperation | None
) -> ToolViews:
    name, tool = source.name, source.tool
    if shown is not None:
        schema_tool = context.schema_tool
        return operation_views(name, tool, shown, context.format, schema_tool)
    # As written: an object that is referred to need not be said beside its definition.
    returned = written_output(tool, context.definitions)
    return tool_views(name, tool, given, returned, context.format)


def _function(name: str, context: ToolContext) -> str:
    """The name of the tool's function in programs; empty if it is the tool's name."""
    function = function_name(name) if context.has_programs else name
    return "" if function == name else function


def _example(tool: Tool, given: Json) -> Json | None:
    """The arguments of the valid call that errors show."""
    examples = (example.arguments for example in tool.examples)
    return example_arguments(given, examples, asserts_formats=tool.asserts_input_formats)


def _definition(source: ToolSource, given: Json, output: Json | None) -> Definition:
    """The tool as `tools/list` shows it."""
    tool, replacement = source.tool, replacement_of(source.tool)
    deprecated = {} if replacement is None else {"toolfold/deprecated": replacement or True}
    icons = (icon.model_dump(by_alias=True, exclude_unset=True) for icon in tool.icons)
    return Definition(
        name=source.name,
        title=tool.display_title,
        description=marked(tool.full_description, replacement),
        input_schema=given,
        output_schema=output,
        icons=tuple(icons),
        annotations={**tool.annotations, **_hints(tool)},
        meta={**tool.meta, "toolfold/id": source.id, **deprecated},
    )


def _hints(tool: Tool) -> dict[str, bool]:
    """The annotations that follow from the effect; none if the effect was only proposed."""
    if "effect" in tool.proposed:
        return {}
    return {
        "readOnlyHint": tool.effect == "read",
        "destructiveHint": tool.effect == "destructive",
    }


def _shortened(entry: ToolEntry, tool: Tool, context: ToolContext) -> ToolEntry:
    """The entry, with a shortened view if its schema takes more than its share of an answer."""
    following, limit = context.run_steps[tool.effect], share_of(context.details)
    tokens = view_tokens(entry, following)["schema"]
    if tokens <= limit:
        return entry
    given = (entry.definition.input_schema, entry.example, context.format, following)
    short = short_view(ShortSource(entry.name, tool, *given, context.schema_tool), limit)
    definitions = tuple(
        definition._replace(tokens=count(definition.text)) for definition in entry.views.definitions
    )
    views = entry.views._replace(short=short, definitions=definitions)
    short_tokens = count(views.text("short", (), following))
    return entry._replace(views=views, schema_tokens=tokens, short_tokens=short_tokens)
