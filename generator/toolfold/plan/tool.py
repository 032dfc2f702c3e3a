"""One tool: its schemas checked, its models named, its entry in the catalog written."""

from toolfold_runtime.contract.codec import Json, encode
from toolfold_runtime.contract.definition import Definition
from toolfold_runtime.contract.stub import ToolStub
from toolfold_runtime.contract.summary import Measured
from toolfold_runtime.contract.tool import ToolEntry, ToolViews, share_of
from toolfold_runtime.contract.vocabulary import CODES

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.budgets import listed_tokens
from toolfold.plan.disclosure.deprecation import marked, replacement_of
from toolfold.plan.disclosure.execution import limits_of
from toolfold.plan.disclosure.operation_views import operation_views
from toolfold.plan.disclosure.search_results import result_lines, result_tokens
from toolfold.plan.disclosure.short_view import ShortSource, short_view
from toolfold.plan.disclosure.signature import (
    compact_signature,
    listed_parameters,
    result_type_name,
    signature,
)
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.disclosure.tool_views import tool_views
from toolfold.plan.findings import Findings, Report
from toolfold.plan.model import PlannedTool, ToolPlan
from toolfold.plan.models.modules import result_type
from toolfold.plan.names import identifiers as naming
from toolfold.plan.names.identifiers import method_of
from toolfold.plan.names.stub_names import function_name
from toolfold.plan.operations import check_operation, operation_of
from toolfold.plan.schemas.check import check_examples, check_returns, check_schema
from toolfold.plan.schemas.formats import has_base64
from toolfold.plan.schemas.keywords import walk
from toolfold.plan.schemas.served import (
    LocatedSchema,
    input_schema,
    located_input,
    located_output,
    output_schema,
    served_output,
    written_output,
)
from toolfold.plan.schemas.shown import ShownOperation, shown_operation
from toolfold.plan.schemas.smallest import example_arguments
from toolfold.plan.schemas.validation_cost import checks_per_value, is_quick, quick_validator
from toolfold.plan.search.words import search_texts, search_words
from toolfold.plan.source import ToolContext, ToolSource
from toolfold.plan.stubs.build import tool_stub
from toolfold.plan.text.escape import docstring, json_text


def plan_tool(source: ToolSource, context: ToolContext) -> PlannedTool:
    """The plan of one tool; none if its schemas have errors."""
    name, tool = source.name, source.tool
    given = located_input(name, tool, context.definitions)
    returned = located_output(name, tool, context.definitions)
    findings = Findings()
    _check(source, context, given, returned, findings)
    if findings.has_errors:
        return PlannedTool(tuple(findings.all), None)
    schema = output_schema(tool, context.definitions)
    shown = shown_operation(tool, context.definitions)
    arguments = shown.arguments if shown else given.schema
    entry = _shortened(_entry(source, context, given.schema, schema, shown), tool, context)
    lines = result_lines(name, tool, arguments, schema)
    result = result_type(name, tool)
    listed = listed_parameters(arguments)
    plan = ToolPlan(
        name=name,
        id=source.id,
        category=tool.category,
        effect=tool.effect,
        shown_effect=tool.shown_effect,
        tier=tool.tier,
        measured=Measured(**tool.measured.model_dump()) if tool.measured else None,
        deprecated=replacement_of(tool),
        summary=tool.summary,
        example=tool.example,
        tags=tool.tags,
        module=naming.module_name(name),
        method=method_of(name, tool),
        params_class=naming.params_class(name),
        result_class=result.name if result else None,
        result_module=result.module if result else None,
        content=tool.content,
        docstring=docstring(tool.summary),
        signature=entry.signature,
        call=compact_signature(name, arguments, schema, tool.content),
        params=listed.types,
        more_params=listed.more,
        returns=result_type_name(schema, tool.content),
        tokens=_tokens(entry, lines[0], context.run_steps[tool.effect]),
        tokens_if_listed=_view_tokens(entry, ""),
        result_lines=lines,
        result_tokens=result_tokens(lines),
        words=search_words(search_texts(source, context.definitions)),
        entry=json_text(encode(entry)),
        has_input_schema=entry.http is not None and entry.http.has_input_schema,
        stub=_stub(name, tool, context, shown) if context.has_programs else None,
    )
    return PlannedTool(tuple(findings.all), plan)


def _stub(name: str, tool: Tool, context: ToolContext, shown: ShownOperation | None) -> ToolStub:
    """The tool's function in programs."""
    summary = marked(tool.summary, replacement_of(tool))
    definitions = context.definitions
    if shown is not None:
        return tool_stub(name, summary, shown.arguments, shown.answer_schema, {})
    given, returned = input_schema(tool, definitions), written_output(tool, definitions)
    return tool_stub(name, summary, given, returned, definitions)


def _check(
    source: ToolSource,
    context: ToolContext,
    given: LocatedSchema,
    returned: LocatedSchema | None,
    findings: Findings,
) -> None:
    name, tool = source.name, source.tool
    check_returns(name, tool, findings.error)
    for located in (given, returned):
        if located is not None:
            check_schema(located, context.definitions, findings)
            _check_properties(located, findings.reporter(located.severity))
            _check_protocol_types(located, findings)
            _check_cost(located, findings)
    _check_root(name, tool, findings)
    check_operation(name, tool, given.schema, findings)
    _check_errors(name, tool, findings)
    if tool.examples:
        report = findings.reporter(given.severity)
        validator = quick_validator(given.schema, asserts_formats=given.asserts_formats)
        check_examples(name, tool, validator, report)


def _check_cost(located: LocatedSchema, findings: Findings) -> None:
    """Warn of a schema against which even small values take long to validate."""
    if not is_quick(located.schema):
        fact = "validation may take very long: its parts refer to the same parts again and again"
        hint = "examples and defaults are not checked; let each part refer to another one once"
        findings.warning(located.manifest_path(()), fact, hint, "validation-cost")


def _check_root(name: str, tool: Tool, findings: Findings) -> None:
    if tool.input_schema is None:
        return
    path = ("tools", name, "input_schema")
    if "type" not in tool.input_schema:
        hint = 'served with `"type": "object"`'
        findings.warning(path, "no root type", hint, "root-type")
    elif tool.input_schema["type"] != "object":
        hint = "arguments are always an object"
        findings.error((*path, "type"), "the root type is not object", hint, "root-type")


def _check_errors(name: str, tool: Tool, findings: Findings) -> None:
    for code in tool.errors:
        if code in CODES:
            fact = f'"{code}" is a code of the runtime itself'
            hint = "agents know what it means without this; give the tool's own error another code"
            findings.warning(("tools", name, "errors", code), fact, hint, "errors", of_key=True)


def _check_protocol_types(located: LocatedSchema, findings: Findings) -> None:
    """Report a foreign schema that the protocol's types refuse: it would make the whole list fail.

    In hand-written schemas this is an error already.
    """
    if not located.is_foreign:
        return
    schema = located.schema
    properties, required = schema.get("properties", {}), schema.get("required", [])
    hint = "clients could read no tool at all beside this one"
    if not isinstance(properties, dict) or not all(
        isinstance(inner, dict | bool) for inner in properties.values()
    ):
        path = located.manifest_path(("properties",))
        findings.error(path, "properties are not a mapping of schemas", hint, "protocol")
    if not isinstance(required, list) or not all(isinstance(name, str) for name in required):
        path = located.manifest_path(("required",))
        findings.error(path, "required is not a list of names", hint, "protocol")
    if not isinstance(schema.get("$schema", ""), str):
        path = located.manifest_path(("$schema",))
        findings.error(path, "$schema is not text", hint, "protocol")


def _check_properties(located: LocatedSchema, report: Report) -> None:
    for path, schema in walk(located.schema):
        if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
            for first, second in naming.attribute_clashes(schema["properties"]):
                where = located.manifest_path((*path, "properties", second))
                fact = f'properties "{first}" and "{second}" would share a Python name'
                hint = (
                    "both are served, and left to the open part of the model"
                    if located.is_foreign
                    else "rename one of them"
                )
                report(where, fact, hint, "property-names", of_key=True)


def _entry(
    source: ToolSource,
    context: ToolContext,
    given: Json,
    result: Json | None,
    shown: ShownOperation | None,
) -> ToolEntry:
    """What the runtime reads when the tool is asked about or called."""
    name, tool = source.name, source.tool
    output, wraps_result = served_output(result) if result is not None else (None, False)
    arguments = shown.arguments if shown else given
    definition = _definition(source, arguments, output)
    return ToolEntry(
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


def _shortened(entry: ToolEntry, tool: Tool, context: ToolContext) -> ToolEntry:
    """The entry, with a shortened view if its schema takes more than its share of an answer."""
    following, limit = context.run_steps[tool.effect], share_of(context.details)
    tokens = _view_tokens(entry, following)["schema"]
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


def _tokens(entry: ToolEntry, result_line: str, following: str) -> dict[str, int]:
    """The tokens of a tool in each form in which agents see it."""
    return {
        "hit": count(result_line),
        "summary": count(entry.views.summary),
        "listed": listed_tokens(entry.definition),
        **_view_tokens(entry, following),
    }


def _view_tokens(entry: ToolEntry, following: str) -> dict[str, int]:
    """The tokens of the views with schemas, for each next step that they can end with."""
    views = entry.views
    return {
        detail: count(views.text(detail, views.definitions, following))
        for detail in ("schema", "full")
    }


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
