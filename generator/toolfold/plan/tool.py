"""Planning one tool by itself: its checks, its names, its views and its entry in the catalog."""

from toolfold_runtime.contract.codec import encode
from toolfold_runtime.contract.stub import ToolStub
from toolfold_runtime.contract.summary import Measured
from toolfold_runtime.contract.tool import ToolEntry

from toolfold.manifest.schema import Tool
from toolfold.plan.disclosure.budgets import listed_tokens
from toolfold.plan.disclosure.deprecation import marked, replacement_of
from toolfold.plan.disclosure.search_results import result_lines, result_tokens
from toolfold.plan.disclosure.signature import (
    compact_signature,
    listed_parameters,
    result_type_name,
)
from toolfold.plan.disclosure.tokens import count
from toolfold.plan.entry import entry_of, view_tokens
from toolfold.plan.findings import Findings
from toolfold.plan.model import PlannedTool, ToolPlan
from toolfold.plan.models.modules import result_type
from toolfold.plan.names import identifiers as naming
from toolfold.plan.names.identifiers import method_of
from toolfold.plan.schemas.served import (
    input_schema,
    located_input,
    located_output,
    output_schema,
    written_output,
)
from toolfold.plan.schemas.shown import ShownOperation, shown_operation
from toolfold.plan.search.words import search_texts, search_words
from toolfold.plan.source import ToolContext, ToolSource
from toolfold.plan.stubs.build import tool_stub
from toolfold.plan.text.escape import docstring, json_text
from toolfold.plan.tool_checks import check_tool


def plan_tool(source: ToolSource, context: ToolContext) -> PlannedTool:
    """The plan of one tool; none if its schemas have errors."""
    name, tool = source.name, source.tool
    given = located_input(name, tool, context.definitions)
    returned = located_output(name, tool, context.definitions)
    findings = Findings()
    check_tool(source, context, given, returned, findings)
    if findings.has_errors:
        return PlannedTool(tuple(findings.all), None)
    schema = output_schema(tool, context.definitions)
    shown = shown_operation(tool, context.definitions)
    arguments = shown.arguments if shown else given.schema
    entry = entry_of(source, context, given.schema, schema, shown)
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
        arguments=entry.example,
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
        tokens_if_listed=view_tokens(entry, ""),
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


def _tokens(entry: ToolEntry, result_line: str, following: str) -> dict[str, int]:
    """The tokens of a tool in each form in which agents see it."""
    return {
        "hit": count(result_line),
        "summary": count(entry.views.summary),
        "listed": listed_tokens(entry.definition),
        **view_tokens(entry, following),
    }
