"""Problems in what a manifest says about one tool: its schemas, examples and error codes."""

from toolfold_runtime.contract.vocabulary import CODES

from toolfold.manifest.schema import Tool
from toolfold.plan.findings import Findings, Report
from toolfold.plan.names import identifiers as naming
from toolfold.plan.operations import check_operation
from toolfold.plan.schemas.check import check_examples, check_returns, check_schema
from toolfold.plan.schemas.keywords import walk
from toolfold.plan.schemas.served import (
    LocatedSchema,
)
from toolfold.plan.schemas.validation_cost import is_quick, quick_validator
from toolfold.plan.source import ToolContext, ToolSource


def check_tool(
    source: ToolSource,
    context: ToolContext,
    given: LocatedSchema,
    returned: LocatedSchema | None,
    findings: Findings,
) -> None:
    """Report every problem in the schemas and examples of a tool."""
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
